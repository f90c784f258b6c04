import FanfareBase
import FanfareCore

/// The lines that the table of a job and that of a report share.
extension PlainText {
    /// The outcomes that rows have had, each with its reasons.
    static func lines(of tally: Tally, usesColor: Bool) -> [String] {
        let reasons = tally.reasons
        var lines: [String] = []
        for outcome in Outcome.allCases where tally.count(outcome) > 0 {
            let name = styled(
                padded("\(outcome.name)", 14), [color(of: outcome)], usesColor: usesColor)
            let count = leftPadded(NumberText.grouped(tally.count(outcome)), 15)
            let share = leftPadded(NumberText.share(tally.count(outcome), of: tally.finished), 10)
            lines.append("  " + name + count + share)
            for reason in reasons where reason.outcome == outcome && outcome != .accepted {
                if let line = line(for: reason, usesColor: usesColor) { lines.append(line) }
            }
        }
        return lines
    }

    private static func line(for reason: Tally.ReasonCount, usesColor: Bool) -> String? {
        var parts: [String] = []
        if reason.status != 0 { parts.append("\(reason.status)") }
        if !reason.reason.isEmpty { parts.append(reason.reason) }
        guard !parts.isEmpty else { return nil }
        let count = leftPadded(NumberText.grouped(reason.count), 15)
        let text = fitted(parts.joined(separator: " "), width - 46)
        return styled(
            "    " + padded("", 12) + count + "    " + text, [.dim], usesColor: usesColor)
    }

    /// A count with its name.
    static func line(_ name: String, count: UInt64) -> String {
        "  " + padded(name, 14) + leftPadded(NumberText.grouped(count), 15)
    }

    /// A figure in words with its name.
    static func line(_ name: String, _ value: String) -> String { "  " + padded(name, 14) + value }

    static func line(of latency: Summary.Latency) -> String {
        latency.figures.map { "\($0.name) \(NumberText.latency(nanoseconds: $0.nanoseconds))" }
            .joined(separator: "  ")
    }
}
