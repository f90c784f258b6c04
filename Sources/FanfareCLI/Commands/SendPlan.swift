package import Fanfare
import FanfareBase

/// A summary of a job before it begins, for a person to agree to.
package struct SendPlan: Sendable, Equatable {
    /// More rows than these are asked about.
    package static let askedRowsMax: UInt64 = 1000

    /// The rows of all inputs; nil where that cannot be told without reading them.
    package var rows: UInt64?
    /// The choice of the rows that are sent to.
    package var choice = RowChoice()
    /// True if the job carries on an unfinished one.
    package var resumes = false
    /// The rows that have an outcome in its report; nil where that is not known.
    package var done: UInt64?
    /// The destinations of rows: `apns, production: com.example.app`.
    package var routes: [String] = []
    /// The first row's payload; nil if it could not be made.
    package var sample: String?
    /// The rate; nil for as fast as possible.
    package var rate: SendingRate?
    /// The hours, in words; nil for any.
    package var hours: String?

    package init() {}

    /// The rows that are to be sent; with conditions, the most that they may be.
    private var left: UInt64? {
        var left = rows
        if resumes { left = done.flatMap { done in rows.map { $0 - min(done, $0) } } }
        if let rows, let sample = choice.sample {
            let share = UInt64((Double(rows) * sample.share).rounded(.up))
            left = min(left ?? share, share)
        }
        if let limit = choice.limit.map({ UInt64(max($0, 0)) }) { left = min(left ?? limit, limit) }
        return left
    }

    /// True if the job is large enough to ask; a job of unknown size may be.
    package var isLarge: Bool { left.map { $0 > Self.askedRowsMax } ?? true }

    /// The lines before the question, and the question.
    package var question: String {
        var lines = ["About to send to \(count):"]
        func add(_ name: String, _ text: String) {
            let label = name + String(repeating: " ", count: max(12 - name.count, 0))
            lines.append("  " + label + text)
        }
        if let chosen { add("only", chosen) }
        for (index, route) in routes.enumerated() { add(index == 0 ? "to" : "", route) }
        if let sample { add("first row", Self.short(sample)) }
        if let hours { add("hours", hours) }
        add("time", time)
        return lines.joined(separator: "\n") + "\nType yes to send: "
    }

    /// The choice of rows, and what becomes of the others; nil for all of them.
    private var chosen: String? {
        var parts = choice.conditions.map(\.description)
        if let sample = choice.sample { parts.append("a sample of \(sample)") }
        if let limit = choice.limit {
            parts.append("the first \(NumberText.grouped(UInt64(max(limit, 0))))")
        }
        guard !parts.isEmpty else { return nil }
        return parts.joined(separator: ", ") + "; --resume sends the others later"
    }

    private var count: String {
        guard choice == RowChoice() else {
            let most = left.map { "at most about \(NumberText.grouped($0))" } ?? "some"
            guard let rows else { return "\(most) rows" }
            return "\(most) of about \(NumberText.grouped(rows)) rows"
        }
        let all = rows.map { "about \(NumberText.grouped($0)) rows" } ?? "an unknown number of rows"
        guard resumes else { return all }
        guard let left else { return "what is left of \(all)" }
        return "about \(NumberText.grouped(left)) rows, which are left of \(all)"
    }

    private var time: String {
        guard let rate else { return "as fast as the provider takes them" }
        guard let left, rate.count > 0 else { return "at \(rate)" }
        let period = Double(rate.period.wholeNanoseconds) / 1e6
        let milliseconds = min(Double(left) * period / Double(rate.count), 1e15)
        return "about \(NumberText.duration(milliseconds: Int64(milliseconds))) at \(rate)"
    }

    /// A text of which the beginning is enough to know it again.
    private static func short(_ text: String) -> String {
        text.count > 200 ? text.prefix(200) + "..." : text
    }
}
