import FanfareBase
import FanfareCore
import Testing

/// The table; what real bodies come to is in `FCMAnswerBodyTests`.
@Suite struct FCMAnswersTests {
    private func judge(
        _ status: UInt16, _ facts: GoogleErrorFacts?, _ word: String = ""
    ) -> FCMAnswers.Finding {
        withBytes(word) { FCMAnswers.judge(status: status, facts: facts, word: $0) }
    }

    @Test func `only FCM's own word with a 404 makes a dead token`() {
        #expect(
            judge(404, GoogleErrorFacts(source: .fcm), "UNREGISTERED").verdict.outcome
                == .unregistered)
        for source in [GoogleErrorFacts.Source.nothing, .status, .info] {
            let found = judge(404, GoogleErrorFacts(source: source), "UNREGISTERED").verdict
            #expect(found.outcome == .failed && found.job == .stop)
        }
        #expect(judge(404, nil, "UNREGISTERED").verdict.outcome == .failed)
        for status in (0...999).map(UInt16.init) where status != 404 {
            for facts in [GoogleErrorFacts(source: .fcm), nil] {
                #expect(judge(status, facts, "UNREGISTERED").verdict.outcome != .unregistered)
            }
        }
    }

    @Test(arguments: ["", "Unregistered", "UNREGISTERED ", "UNREGISTERE", "NOT_FOUND"])
    func `a 404 with another word stops the job`(word: String) {
        let found = judge(404, GoogleErrorFacts(source: .fcm), word).verdict
        #expect(found == ResponseClass(.failed, job: .stop))
    }

    @Test func `no body that is not Google's blames a token`() {
        for status in (0...999).map(UInt16.init) {
            let found = judge(status, nil).verdict
            #expect(found.outcome != .suspect && found.outcome != .unregistered)
            #expect(found.credential == .keep && found.job != .stop, "\(status)")
        }
    }

    @Test func `every 5xx is in doubt, and after ten seconds at the earliest`() {
        for status in (500...999).map(UInt16.init) {
            for facts in [GoogleErrorFacts(source: .fcm), GoogleErrorFacts(), nil] {
                let found = judge(status, facts, "INTERNAL").verdict
                #expect(found.outcome == .unknown && found.retry == .inDoubt)
                #expect(found.firstDelay == (status == 502 ? .seconds(30) : nil))
                #expect(found.job == .goOn)
            }
        }
    }

    @Test func `the place in the table is that of the rule`() throws {
        let accepted = judge(200, nil)
        #expect(accepted.verdict == ResponseClass(.accepted) && accepted.rule == 0)
        let found = judge(404, GoogleErrorFacts(source: .fcm), "UNREGISTERED")
        let rule = FCMAnswers.rules[try #require(found.rule)]
        #expect(rule.status == 404 && "\(rule.word)" == "UNREGISTERED")
        #expect(judge(418, GoogleErrorFacts()).rule == nil)
    }

    @Test func `the rules are sorted, and each one is reached`() {
        #expect(FCMAnswers.rules[0].status == 200)
        for (left, right) in zip(FCMAnswers.rules, FCMAnswers.rules.dropFirst()) {
            #expect(left.status <= right.status)
        }
        // Places are counted in a byte.
        #expect(FCMAnswers.rules.count < 255)
        for (index, rule) in FCMAnswers.rules.enumerated() where index > 0 {
            let (part, quota): (GoogleErrorFacts.Part, GoogleErrorFacts.Quota) =
                switch rule.naming {
                case .anything: (.nothing, .nothing)
                case .token: (.token, .nothing)
                case .part: (.other, .nothing)
                case .device: (.nothing, .device)
                case .topic: (.nothing, .topic)
                }
            let facts = GoogleErrorFacts(source: .fcm, part: part, quota: quota)
            #expect(judge(rule.status, facts, "\(rule.word)").rule == index, "\(rule.meaning)")
        }
    }

    @Test func `each fallback stands for all of its statuses, and none is left out`() {
        var covered: Set<UInt16> = [200]
        for fallback in FCMAnswers.fallbacks {
            for status in fallback.statuses {
                #expect(
                    FCMAnswers.fallback(status: status, isGoogles: fallback.isGoogles)
                        == fallback.verdict, "\(status)")
                covered.insert(status)
            }
        }
        #expect(covered.isSuperset(of: (200...999).map(UInt16.init)))
    }

    @Test func `a fault in what the row gave itself is the row's, and the job goes on`() throws {
        let found = judge(400, GoogleErrorFacts(source: .status, part: .other)).verdict
        #expect(found.job == .stop && found.outcome == .failed)
        #expect(found.blamedColumn == .payload)
        #expect(found.ownFault.outcome == .rejected && found.ownFault.job == .goOn)
    }
}
