import FanfareCLI
import FanfareCore
import Testing

/// FCM's answers are explained as APNs' are, and beside them.
@Suite struct FCMExplanationTests {
    private func fact(_ name: String, of explanation: Explanation) throws -> String {
        try #require(explanation.facts.first { $0.name == name }?.text)
    }

    private func titles(_ word: String) -> [String] { Explanation.find(word).map(\.title) }

    @Test func `every answer of the table is explained, with the provider in its title`() throws {
        for rule in FCMAnswers.rules {
            let found = Explanation.find("FCM \(rule.status)")
                .filter { $0.summary == "\(rule.meaning)" }
            #expect(found.count == 1)
            let explanation = try #require(found.first)
            #expect(explanation.title.hasPrefix("FCM \(rule.status)"))
            #expect(Explanation.find(explanation.title) == [explanation])
            #expect(try fact("Outcome", of: explanation) == "\(rule.verdict.outcome.name)")
            #expect(try fact("Retry", of: explanation) == rule.verdict.retryText)
            #expect(try fact("To do", of: explanation).hasSuffix("."))
            for word in rule.words {
                for text in [word, "\(rule.status) \(word)", "fcm \(rule.status) \(word)"] {
                    #expect(Explanation.find(text).contains(explanation), "\(text)")
                }
            }
        }
    }

    @Test func `every other status is explained, too`() {
        for status in 200...999 {
            let found = Explanation.find("\(status)").map(\.title)
            let ofFCM = found.drop { !$0.hasPrefix("FCM ") }
            #expect(!ofFCM.isEmpty && ofFCM.count < found.count, "\(status)")
            // APNs' come first.
            #expect(ofFCM.allSatisfy { $0.hasPrefix("FCM ") }, "\(status)")
        }
    }

    @Test(
        arguments: [
            ("UNREGISTERED", ["FCM 404 UNREGISTERED"]),
            ("Unregistered", ["410 Unregistered"]),
            ("unregistered", ["unregistered"]),
            ("FCM 404 UNREGISTERED", ["FCM 404 UNREGISTERED"]),
            ("NOT_FOUND", ["FCM 404, any other"]),
            ("PERMISSION_DENIED", ["FCM 403, any other"]),
            (
                "INVALID_ARGUMENT",
                ["FCM 400, naming the token", "FCM 400, naming another part", "FCM 400, any other"]
            ),
            (
                "QUOTA_EXCEEDED",
                ["FCM 429, naming the device", "FCM 429, naming the topic", "FCM 429, any other"]
            ),
            (
                "404",
                [
                    "404 BadPath", "all else, any other reason",
                    "all else, a body that is not JSON",
                    "FCM 404 UNREGISTERED", "FCM 404, any other", "FCM all else, without a word",
                ]
            ),
        ])
    func `a word stands for these`(word: String, expected: [String]) {
        #expect(titles(word) == expected)
    }

    @Test(
        arguments: [
            ("UNREGISTERED", "Delete the token, unless"),
            ("NOT_FOUND", "No token is dead"),
            ("SERVICE_DISABLED", "Enable the Firebase Cloud Messaging API"),
            ("PERMISSION_DENIED", "roles/firebasecloudmessaging.admin"),
            ("IAM_PERMISSION_DENIED", "cloudmessaging.messages.create"),
            ("SENDER_ID_MISMATCH", "another Firebase project"),
            ("THIRD_PARTY_AUTH_ERROR", "Firebase console"),
            ("ACCESS_TOKEN_EXPIRED", "the machine's clock"),
            ("FCM 401, any other", "revoked"),
            ("FCM 400, naming the token", "Do not delete the token"),
            ("UNAVAILABLE", "have been delivered"),
        ])
    func `there is something to do about each`(word: String, says: String) throws {
        let found = Explanation.find(word)
        #expect(found.count == 1)
        #expect(try fact("To do", of: try #require(found.first)).contains(says))
    }

    /// The result of `judge` is among those explained, and equals the explanation where that is
    /// one.
    @Test func `an answer is explained as it is judged`() throws {
        let names: [GoogleErrorFacts] = [
            GoogleErrorFacts(source: .fcm), GoogleErrorFacts(source: .fcm, part: .token),
            GoogleErrorFacts(source: .fcm, part: .other),
            GoogleErrorFacts(source: .fcm, quota: .device),
            GoogleErrorFacts(source: .fcm, quota: .topic),
        ]
        let statuses: [UInt16] = [
            200, 204, 302, 400, 401, 403, 404, 405, 408, 410, 421, 429, 500, 502, 503, 504, 999,
        ]
        for status in statuses {
            for word in [""] + Set(FCMAnswers.rules.flatMap(\.words)).sorted() + ["NEW"] {
                let found = Explanation.answers(status: status, reason: word, from: .fcm)
                let texts = try found.map {
                    [try fact("Outcome", of: $0), try fact("Retry", of: $0)]
                }
                for facts in word.isEmpty ? [nil] : names.map(Optional.some) {
                    let verdict = Array(word.utf8).withUnsafeBufferPointer {
                        FCMAnswers.judge(status: status, facts: facts, word: $0).verdict
                    }
                    #expect(
                        texts.contains(["\(verdict.outcome.name)", verdict.retryText]),
                        "\(status) \(word)")
                }
                #expect(found.count == 1 || status == 400 || status == 429)
            }
        }
        #expect(Explanation.answers(status: 0, reason: "", from: .fcm).isEmpty)
        #expect(
            Explanation.answers(status: 404, reason: "", from: .fcm).map(\.title)
                == ["FCM all else, without a word"])
    }

    @Test func `a provider's name stands for all of its answers`() {
        #expect(Explanation.answers(of: "FCM").contains { $0.title == "FCM 404 UNREGISTERED" })
        #expect(
            Explanation.answers(of: "fcm").count
                == FCMAnswers.rules.count + FCMAnswers.fallbacks.count)
        #expect(Explanation.answers(of: "APNs").contains { $0.title == "410 Unregistered" })
        #expect(Explanation.answers(of: "gcm").isEmpty)
    }

    /// `push` has no job to carry on, and of a job that has left nothing there is none.
    @Test func `what cannot be carried on is not to be`() throws {
        for kind in [ProviderKind.apns, .fcm] {
            for status in 0...999 as ClosedRange<UInt16> {
                let reasons =
                    kind == .fcm
                    ? Set(FCMAnswers.rules.flatMap(\.words)).sorted()
                    : ResponseClass.rules.map { "\($0.reason)" }
                for reason in [""] + reasons {
                    let answer = JobStop.Answer(status: status, reason: reason, provider: kind)
                    guard let advice = Explanation.advice(on: answer, mayResume: false) else {
                        continue
                    }
                    #expect(!advice.contains("--resume"), "\(status) \(reason): \(advice)")
                    #expect(advice.hasSuffix("."), "\(status) \(reason): \(advice)")
                }
            }
        }
        let answer = JobStop.Answer(status: 404, reason: "NOT_FOUND", provider: .fcm)
        #expect(
            Explanation.advice(on: answer, mayResume: false)?.hasSuffix("none is to be deleted.")
                == true)
        #expect(Explanation.advice(on: answer)?.hasSuffix("Then go on with --resume.") == true)
    }

    @Test func `what is said of a stopped job is about what stops one`() throws {
        func advice(_ status: UInt16, _ reason: String, _ provider: ProviderKind) throws -> String {
            try #require(
                Explanation.advice(
                    on: JobStop.Answer(status: status, reason: reason, provider: provider)))
        }
        #expect(try advice(404, "NOT_FOUND", .fcm).hasPrefix("Correct the project's id"))
        let invalid = try advice(400, "INVALID_ARGUMENT", .fcm)
        #expect(invalid.contains("names") && invalid.contains("4,096 bytes"))
        #expect(!invalid.contains("token"))
        #expect(try advice(403, "PERMISSION_DENIED", .apns).contains("--key-id"))
        #expect(
            Explanation.advice(on: JobStop.Answer(status: 403, reason: "InvalidProviderToken"))?
                .contains("--team-id") == true)
        #expect(try advice(302, "", .fcm).contains("--proxy"))
    }
}
