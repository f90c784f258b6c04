import FanfareBase
import FanfareCore

/// The lines that the table of a job and that of a report share.
extension PlainText {
    /// Returns the outcomes that rows have had, each with its reasons.
    static func lines(of tally: Tally, usesColor: Bool) -> [String] {
        let reasons = tally.reasons
        var lines: [String] = []
        func add(_ name: String, _ count: UInt64, _ color: Style) {
            let name = styled(padded(name, 14), [color], usesColor: usesColor)
            let share = leftPadded(NumberText.share(count, of: tally.finished), 10)
            lines.append("  " + name + leftPadded(NumberText.grouped(count), 15) + share)
        }
        // Reports have them as skipped, which says what was done and not what they are.
        if tally.valid > 0 { add("\(Outcome.validReason)", tally.valid, .green) }
        for outcome in Outcome.allCases {
            let count = tally.count(outcome) - (outcome == .skipped ? tally.valid : 0)
            guard count > 0 else { continue }
            add("\(outcome.name)", count, color(of: outcome))
            for reason in reasons
            where reason.outcome == outcome && outcome != .accepted && !reason.isValid {
                if let line = line(for: reason, usesColor: usesColor) { lines.append(line) }
            }
        }
        return lines
    }

    /// The characters of a reason that the table shows: more than any of our own has.
    private static let reasonShownMax = 120

    private static func line(for reason: Tally.ReasonCount, usesColor: Bool) -> String? {
        var parts: [String] = []
        if reason.status != 0 { parts.append("\(reason.status)") }
        if !reason.reason.isEmpty { parts.append(reason.reason) }
        guard !parts.isEmpty else { return nil }
        let count = leftPadded(NumberText.grouped(reason.count), 15)
        let head = "    " + padded("", 12) + count + "    "
        // Whole, so that it can be looked for and explained; only a provider's may be longer.
        let text = fitted(parts.joined(separator: " "), reasonShownMax)
        let lines = wrapped(text, width - head.count)
            .replacing("\n", with: "\n" + padded("", head.count))
        return styled(head + lines, [.dim], usesColor: usesColor)
    }

    /// Returns a count with its name.
    static func line(_ name: String, count: UInt64) -> String {
        "  " + padded(name, 14) + leftPadded(NumberText.grouped(count), 15)
    }

    /// Returns a figure in words with its name.
    static func line(_ name: String, _ value: String) -> String { "  " + padded(name, 14) + value }

    static func line(of latency: Summary.Latency) -> String {
        latency.figures.map { "\($0.name) \(NumberText.latency(nanoseconds: $0.nanoseconds))" }
            .joined(separator: "  ")
    }
}
