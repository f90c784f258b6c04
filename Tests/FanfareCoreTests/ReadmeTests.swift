import FanfareCore
import Foundation
import Testing

/// What the README says in tables is what the code does.
@Suite struct ReadmeTests {
    private let text: String

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    }

    @Test func `it shows the table of answers as it is`() throws {
        let begin = try #require(text.range(of: "<!-- table of answers: begin -->\n"))
        let end = try #require(text.range(of: "<!-- table of answers: end -->"))
        let shown = String(text[begin.upperBound..<end.lowerBound])
        #expect(
            shown == ResponseClass.markdownTable,
            "put this between the markers:\n\(ResponseClass.markdownTable)")
    }

    @Test func `it shows the table of endings as it is`() throws {
        let begin = try #require(text.range(of: "<!-- table of endings: begin -->\n"))
        let end = try #require(text.range(of: "<!-- table of endings: end -->"))
        let shown = String(text[begin.upperBound..<end.lowerBound])
        #expect(
            shown == AttemptEnding.markdownTable,
            "put this between the markers:\n\(AttemptEnding.markdownTable)")
    }

    @Test(arguments: Outcome.allCases)
    func `it explains each outcome`(_ outcome: Outcome) {
        #expect(text.contains("| `\(outcome.name)` |"))
    }

    @Test(arguments: FanfareCore.ExitStatus.allCases)
    func `it explains each exit code`(_ status: FanfareCore.ExitStatus) {
        #expect(text.contains("| \(status.rawValue) |"))
    }
}

extension ResponseClass {
    /// The table of answers as the README shows it, ending with a line end.
    static var markdownTable: String {
        var text = "| status | reason | outcome | retry | also | meaning |\n"
        text += "| --- | --- | --- | --- | --- | --- |\n"
        for rule in rules {
            let reason = rule.reason.utf8CodeUnitCount == 0 ? "–" : "`\(rule.reason)`"
            text += line("\(rule.status)", reason, rule.class, meaning: "\(rule.meaning)")
        }
        for fallback in fallbacks {
            text += line(fallback.label, "any other", fallback.class, meaning: fallback.meaning)
        }
        return text
    }

    private static func line(
        _ status: String, _ reason: String, _ response: ResponseClass, meaning: String
    ) -> String {
        let effects = response.effects.isEmpty ? "–" : response.effects.joined(separator: ", ")
        return """
            | \(status) | \(reason) | `\(response.outcome.name)` | \(response.retryText) \
            | \(effects) | \(meaning) |

            """
    }
}
