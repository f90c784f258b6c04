package import Fanfare
import FanfareBase
import FanfareFigures

/// A summary of a job before it begins, for a person to agree to.
package struct SendPlan: Sendable, Equatable {
    /// A provider with a rate of its own.
    package struct Pace: Sendable, Equatable {
        package var rate: SendingRate
        /// The provider's share of the rows, 0 to 1; nil where that is not known.
        package var share: Double?
        /// The rate in words, with the provider's name.
        package var words: String

        /// - Parameters:
        ///   - route: The provider's name.
        ///   - rate: Its rate.
        ///   - share: Its share of the rows.
        ///   - words: The rate in other words than the usual ones.
        package init(route: String, rate: SendingRate, share: Double?, words: String? = nil) {
            self.rate = rate
            self.share = share
            self.words = words ?? "\(route) at \(rate)"
        }
    }

    /// The columns in front of each text.
    private static let labelColumns = 14
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
    /// The rate of all providers together; nil for as fast as possible.
    package var rate: SendingRate?
    /// The providers that have rates of their own beside it.
    package var paces: [Pace] = []
    /// The hours, in words; nil for any.
    package var hours: String?
    /// The width of the terminal.
    package var columns = PlainText.width

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
            let room = Self.labelColumns - 2 - name.count
            lines.append("  " + name + String(repeating: " ", count: max(room, 0)) + text)
        }
        if let chosen { add("only", chosen) }
        for (index, route) in routes.enumerated() { add(index == 0 ? "to" : "", route) }
        let width = min(max(columns, 40), PlainText.width) - Self.labelColumns - 1
        let text = sample.map { MessageText.lines(of: $0, columns: width) } ?? []
        for (index, line) in text.enumerated() { add(index == 0 ? "first row" : "", line) }
        if let hours { add("hours", hours) }
        add("time", time)
        return lines.joined(separator: "\n") + "\nType yes to send: "
    }

    /// The choice of rows, and what becomes of the others; nil for all of them.
    private var chosen: String? {
        var parts = choice.conditions.map(\.description)
        // Those that the conditions exclude are never sent to.
        let others = parts.isEmpty ? "the others" : "the others of those"
        if let sample = choice.sample { parts.append("a sample of \(sample)") }
        if let limit = choice.limit {
            parts.append("the first \(NumberText.grouped(UInt64(max(limit, 0))))")
        }
        guard !parts.isEmpty else { return nil }
        return parts.joined(separator: ", ")
            + (choice.isCanary ? "; --resume sends \(others) later" : "")
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
        let rates = (rate.map { ["\($0)"] } ?? []) + paces.map(\.words)
        guard !rates.isEmpty else { return "as fast as the provider takes them" }
        let words = (rate == nil ? "" : "at ") + rates.joined(separator: ", ")
        guard let milliseconds else { return words }
        // A provider without a rate may take longer than those that have one.
        let isKnown = rate != nil || paces.count == routes.count
        let duration = NumberText.duration(milliseconds: milliseconds)
        return
            "\(isKnown ? "about" : "at least about") \(duration)\(rate == nil ? ": " : " ")\(words)"
    }

    /// The time that the slowest of the rates needs for its rows; nil if one has no known number.
    private var milliseconds: Int64? {
        guard let left else { return nil }
        var longest = 0.0
        let rates: [(SendingRate, Double?)] =
            (rate.map { [($0, 1)] } ?? []) + paces.map { ($0.rate, $0.share) }
        for (rate, share) in rates {
            guard let share, rate.count > 0 else { return nil }
            let period = Double(rate.period.wholeNanoseconds) / 1e6
            longest = max(longest, Double(left) * share * period / Double(rate.count))
        }
        return Int64(min(longest, 1e15))
    }
}
