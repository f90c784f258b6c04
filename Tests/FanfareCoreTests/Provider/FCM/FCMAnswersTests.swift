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

    /// Those of FCM's own that name just this.
    private func facts(naming: FCMRule.Naming) -> GoogleErrorFacts {
        let (part, quota): (GoogleErrorFacts.Part, GoogleErrorFacts.Quota) =
            switch naming {
            case .anything: (.nothing, .nothing)
            case .token: (.token, .nothing)
            case .part: (.other, .nothing)
            case .device: (.nothing, .device)
            case .topic: (.nothing, .topic)
            }
        return GoogleErrorFacts(source: .fcm, part: part, quota: quota)
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
            let facts = facts(naming: rule.naming)
            #expect(judge(rule.status, facts, "\(rule.word)").rule == index, "\(rule.meaning)")
        }
    }

    @Test func `the words that a rule is known by lead to it`() {
        for (index, rule) in FCMAnswers.rules.enumerated() {
            for word in rule.words {
                #expect(
                    judge(rule.status, facts(naming: rule.naming), word).rule == index, "\(word)")
            }
        }
        let known = Set(FCMAnswers.rules.flatMap(\.words))
        // https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode
        #expect(
            known.isSuperset(of: [
                "INVALID_ARGUMENT", "UNREGISTERED", "SENDER_ID_MISMATCH", "QUOTA_EXCEEDED",
                "UNAVAILABLE", "INTERNAL", "THIRD_PARTY_AUTH_ERROR",
            ]))
    }

    @Test func `the page's table has a line for each rule and fallback`() {
        let lines = FCMAnswers.markdownTable.split(separator: "\n")
        #expect(lines.count == 2 + FCMAnswers.rules.count + FCMAnswers.fallbacks.count)
        for line in [
            "| 401 | `ACCESS_TOKEN_EXPIRED` | – | `failed` | with a new access token "
                + "| connection retires | the access token has expired |",
            "| 404 | `UNREGISTERED` in an `FcmError` | – | `unregistered` | no | – "
                + "| the token is no longer active |",
            "| 429 | any other, as `QUOTA_EXCEEDED`, `RESOURCE_EXHAUSTED` | – | `throttled` "
                + "| after a delay | first wait 60 s | the project's quota is used up |",
            "| 3xx | any other | – | `failed` | after a delay "
                + "| job stops if the first 20 answers are all such "
                + "| a redirect: no verdict from FCM |",
        ] {
            #expect(lines.contains(line[...]), "\(line)")
        }
        for line in lines { #expect(line.filter { $0 == "|" }.count == 8) }
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
