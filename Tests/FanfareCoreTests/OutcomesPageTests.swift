import FanfareCore
import Foundation
import Testing

/// The tables of `docs/outcomes.md` are what the code does.
@Suite struct OutcomesPageTests {
    private let text: String

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        text = try String(contentsOf: root.appending(path: "docs/outcomes.md"), encoding: .utf8)
    }

    /// The text between the markers of a table.
    private func shown(_ name: String) throws -> String {
        let begin = try #require(text.range(of: "<!-- table of \(name): begin -->\n"))
        let end = try #require(text.range(of: "<!-- table of \(name): end -->"))
        return String(text[begin.upperBound..<end.lowerBound])
    }

    private static let tables = [
        "answers of APNs": ResponseClass.markdownTable,
        "answers of FCM": FCMAnswers.markdownTable,
        "endings": AttemptCause.markdownTable,
        "reasons": reasons,
    ]

    /// The reasons that are ours, each with the outcomes that it goes with.
    private static var reasons: String {
        var outcomes: [(reason: String, names: [String])] = []
        func add(_ reason: String, _ outcome: Outcome) {
            let name = "`\(outcome.name)`"
            guard let index = outcomes.firstIndex(where: { $0.reason == reason }) else {
                return outcomes.append((reason, [name]))
            }
            if !outcomes[index].names.contains(name) { outcomes[index].names.append(name) }
        }
        for problem in RowProblem.allCases { add("\(problem.text)", problem.outcome) }
        for code in RowFault.Code.allCases where code != .none { add("\(code.text)", .invalid) }
        for ending in AttemptCause.allCases where ending.proof != .answered {
            add("\(ending.reason)", ending.proof == .unprocessed ? .failed : .unknown)
        }
        add("\(Outcome.validReason)", .skipped)
        return "| reason | outcome |\n| --- | --- |\n"
            + outcomes.map { "| `\($0.reason)` | \($0.names.joined(separator: ", ")) |\n" }.joined()
    }

    @Test(arguments: tables.keys.sorted())
    func `it shows each table as it is`(name: String) throws {
        let table = try #require(Self.tables[name])
        #expect(try shown(name) == table, "put this between the markers:\n\(table)")
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
    /// The table of answers as the page shows it, ending with a line end.
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
        "| \(status) | \(reason) | \(response.markdownCells) | \(meaning) |\n"
    }

    /// The action, as cells of a table.
    fileprivate var markdownCells: String {
        let effects = effects.isEmpty ? "–" : effects.joined(separator: ", ")
        return "`\(outcome.name)` | \(retryText) | \(effects)"
    }
}

extension FCMAnswers {
    /// The table of FCM's answers as the page shows it, ending with a line end.
    static var markdownTable: String {
        var text = "| status | word | names | outcome | retry | also | meaning |\n"
        text += "| --- | --- | --- | --- | --- | --- | --- |\n"
        for rule in rules {
            text += "| \(rule.status) | \(rule.wordCell) | \(rule.naming.text ?? "–") "
            text += "| \(rule.verdict.markdownCells) | \(rule.meaning) |\n"
        }
        for fallback in fallbacks {
            text += "| \(fallback.label) | \(fallback.isGoogles ? "any other" : "none") | – "
            text += "| \(fallback.verdict.markdownCells) | \(fallback.meaning) |\n"
        }
        return text
    }
}

extension FCMRule {
    fileprivate var wordCell: String {
        if status == 200 { return "–" }
        let known = words.map { "`\($0)`" }.joined(separator: ", ")
        if word.utf8CodeUnitCount > 0 { return known + (isFCMs ? " in an `FcmError`" : "") }
        return (naming == .anything ? "any other" : "any") + (known.isEmpty ? "" : ", as \(known)")
    }
}

extension AttemptCause {
    /// The table as the page shows it, ending with a line end.
    static var markdownTable: String {
        var text = "| how the attempt ended | that is | why |\n| --- | --- | --- |\n"
        for ending in allCases {
            text += "| \(ending.meaning) | \(ending.proof.words) | \(ending.explanation) |\n"
        }
        return text
    }
}

extension AttemptCause.Proof {
    fileprivate var words: String {
        switch self {
        case .unprocessed: "provably unprocessed"
        case .answered: "answered"
        case .inDoubt: "in doubt"
        }
    }
}
