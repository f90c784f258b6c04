import FanfareCLI
import FanfareCore
import Foundation
import Testing

/// All that a report says can be explained.
@Suite struct ExplanationTests {
    private func one(_ word: String) throws -> Explanation {
        let found = Explanation.find(word)
        #expect(found.count == 1, "\(word): \(found.map(\.title))")
        return try #require(found.first)
    }

    private func fact(_ name: String, of word: String) throws -> String {
        try fact(name, of: try one(word))
    }

    private func fact(_ name: String, of explanation: Explanation) throws -> String {
        try #require(explanation.facts.first { $0.name == name }?.text)
    }

    @Test func `every answer of the table is explained with its outcome and advice`() throws {
        for rule in ResponseClass.rules where rule.reason.utf8CodeUnitCount > 0 {
            let reason = "\(rule.reason)"
            #expect(try fact("Outcome", of: reason) == "\(rule.class.outcome.name)")
            #expect(try fact("Meaning", of: reason) == "\(rule.meaning).")
            #expect(try fact("To do", of: reason).hasSuffix("."))
            #expect(try one("\(rule.status) \(reason)") == one(reason))
            // A word in capitals from FCM is that word.
            let capitals = reason.uppercased()
            let isFCMs = FCMAnswers.rules.contains { $0.words.contains(capitals) }
            #expect(Explanation.find(capitals).contains(try one(reason)) != isFCMs)
            #expect(Explanation.find("\(rule.status)").contains(try one(reason)))
        }
    }

    @Test func `every status has what holds for other reasons`() {
        for status in (200...299).map({ $0 }) + Array(300...599) {
            let found = Explanation.find("\(status)")
            #expect(!found.isEmpty, "\(status)")
            #expect(
                ResponseClass.fallbacks.filter { $0.statuses.contains(UInt16(status)) }
                    .allSatisfy {
                        $0.class == .fallback(status: UInt16(status), bodyIsJSON: $0.bodyIsJSON)
                    })
        }
        let titles = ["all else, any other reason", "all else, a body that is not JSON"]
        #expect(
            Explanation.find("418").map(\.title)
                == titles + ["FCM all else, without a word", "FCM all else, any other"])
        #expect(
            Explanation.find("5xx").map(\.title)
                == [
                    "5xx to 9xx, any other reason", "FCM 502, any other",
                    "FCM 500, 501, 503 to 999, any other",
                ])
        #expect(
            Explanation.find("3xx").map(\.title)
                == ["3xx, any other reason", "FCM 3xx, any other"])
    }

    @Test func `exit codes are explained, by their number and by their name`() throws {
        for status in ExitStatus.allCases {
            let explanation = try one("exit \(status.rawValue)")
            #expect(explanation == (try one("\(status.rawValue)")))
            #expect(explanation.facts.last?.text.hasSuffix(".") == true)
            // A test holds these words against the page of outcomes.
            #expect(
                try fact("Meaning", of: "exit \(status.rawValue)")
                    == "an exit code: \(status.meaning).")
        }
        #expect(try fact("To do", of: "exit 4").contains("--resume"))
    }

    @Test func `a word of a sentence finds it`() {
        #expect(Explanation.find("duplicate").map(\.title) == ["token is a duplicate"])
        #expect(Explanation.find("hexadecimal").map(\.title) == ["token is not hexadecimal"])
        #expect(Explanation.find("token").isEmpty == false && Explanation.find("is").isEmpty)
    }

    @Test func `every other reason of a report is explained`() throws {
        for outcome in Outcome.allCases { _ = try one("\(outcome.name)") }
        for ending in AttemptCause.allCases where ending.proof != .answered {
            _ = try one("\(ending.reason)")
        }
        for problem in RowProblem.allCases {
            #expect(try fact("Outcome", of: "\(problem.text)") == "\(problem.outcome.name)")
        }
        for code in RowFault.Code.allCases where code != .none {
            _ = try one("line 17: \(RowFault(code).text)")
        }
        for word in ["interrupted", "valid", "CANCEL", "ENHANCE_YOUR_CALM"] { _ = try one(word) }
    }

    @Test func `a row that was left out has advice of its own`() throws {
        #expect(try fact("To do", of: "token is a duplicate").hasPrefix("Nothing"))
        #expect(try fact("To do", of: "token is suppressed").contains("--suppress"))
        #expect(try fact("To do", of: "deadline has passed").contains("--until"))
        #expect(try fact("To do", of: "expiration has passed").contains("--expiration"))
        #expect(try fact("To do", of: "hours are closed").contains("--outside-window"))
    }

    @Test func `what was in doubt is not said to be safe`() throws {
        #expect(try fact("Outcome", of: "no sign of life") == "unknown")
        #expect(try fact("Outcome", of: "REFUSED_STREAM") == "failed")
        #expect(
            try fact("Outcome", of: "connection lost")
                == "unknown, or failed if it had provably not left")
        #expect(try fact("To do", of: "Unregistered").contains("--unregistered"))
        #expect(try fact("To do", of: "BadDeviceToken").contains("--environment"))
        #expect(try fact("To do", of: "BadCollapseId").contains("--collapse-id"))
    }

    @Test func `a misspelled word is told with what was meant`() {
        #expect(Explanation.nearest(to: "BadDeviceTokn") == ["BadDeviceToken"])
        #expect(Explanation.nearest(to: "unregistred").contains("unregistered"))
        #expect(Explanation.nearest(to: "frobnicate") == [])
    }

    @Test func `advice names options that there are`() {
        let known = Set(
            Commands.all.flatMap(\.options).map { "--\($0.name)" })
        for fact in Explanation.all.flatMap(\.facts) {
            for match in fact.text.matches(of: /--[a-z][a-z-]+/) {
                #expect(known.contains(String(match.output)), "\(fact.text)")
            }
        }
    }

    @Test(arguments: Outcome.allCases)
    func `outcomes mean what the page says`(_ outcome: Outcome) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "docs/outcomes.md"), encoding: .utf8
        ).replacing("`", with: "")
        #expect(page.contains("| \(outcome.name) | \(outcome.meaning)"))
    }
}
