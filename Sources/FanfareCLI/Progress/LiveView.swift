import FanfareBase
import FanfareCore

/// A reading as it stands at the bottom of a terminal: three lines where there is room, one where there is not.
///
/// ```
/// [=============>                ]  42 %  1,234,567 rows  12,345/s  3 min 12 s left
/// 1,221,352 accepted  13,210 unregistered  5 rejected
/// 640 in flight on 4 connections  p50 42.0 ms, p99 250 ms in the last 2 s  limit: stream limit
/// ```
package struct LiveView {
    /// The width from which on there are three lines.
    package static let threeLinesFrom = 80

    private let reading: ProgressReading
    private let line: ProgressLine
    private let usesColor: Bool

    /// - Parameters:
    ///   - reading: The figures to show.
    ///   - usesColor: Use ANSI colors.
    ///   - clock: Returns the text of a moment in milliseconds of UNIX time.
    package init(
        _ reading: ProgressReading, usesColor: Bool,
        clock: @escaping (Int64) -> String = TimestampWriter.string(milliseconds:)
    ) {
        self.reading = reading
        self.usesColor = usesColor
        line = ProgressLine(reading, clock: clock)
    }

    /// The lines for a terminal.
    /// - Parameter terminal: Its width. The last column stays free: some terminals go to the next line as soon as it is
    ///   written.
    /// - Returns: Lines without their ends.
    package func lines(terminal: Int) -> [String] {
        let width = terminal - 1
        guard terminal >= Self.threeLinesFrom else { return [line.live(width: width)] }
        return [progress(width), outcomes(width), engine(width)].filter { !$0.isEmpty }
    }

    private func progress(_ width: Int) -> String {
        var text = LiveText(width: width, usesColor: usesColor)
        if reading.state != .running { text.add(reading.state.rawValue, .yellow) }
        if let share = line.share {
            text.add(Self.bar(reading.inputShare ?? 0, width: width * 3 / 10))
            text.add(share, .bold)
        }
        text.add("\(NumberText.grouped(reading.rows)) rows")
        text.add("\(line.rate)/s")
        text.add(line.left.map { "\($0) left" } ?? "")
        return text.text
    }

    /// A bar of ASCII, which every terminal has.
    private static func bar(_ share: Double, width: Int) -> String {
        let room = width - 2
        let full = Int(Double(room) * min(max(share, 0), 1))
        let head = full > 0 && full < room ? ">" : ""
        let done = String(repeating: "=", count: full - head.count)
        return "[" + done + head + String(repeating: " ", count: room - full) + "]"
    }

    /// The outcomes, errors before mere omissions, so that errors are the last to be added up as
    /// other.
    private static let byWeight: [(outcome: Outcome, style: LiveText.Style)] = [
        (.unregistered, .yellow), (.failed, .red), (.unknown, .red), (.suspect, .red),
        (.rejected, .red), (.throttled, .yellow), (.invalid, .red), (.skipped, .dim),
    ]

    private func outcomes(_ width: Int) -> String {
        var text = LiveText(width: width, usesColor: usesColor)
        if line.isUnsent {
            text.add("\(NumberText.grouped(reading.counts[.invalid])) invalid", .red)
            return text.text
        }
        text.add("\(NumberText.grouped(reading.good)) \(reading.goodWord)", .green)
        var rest: UInt64 = 0
        // As long as the longest number, and the word.
        let reserve = 2 + NumberText.grouped(reading.rows).count + " other".count
        for (outcome, style) in Self.byWeight {
            let count = reading.counts[outcome] - (outcome == .skipped ? reading.valid : 0)
            guard count > 0 else { continue }
            let part = "\(NumberText.grouped(count)) \(outcome.name)"
            if rest > 0 || !text.add(part, style, reserve: reserve) { rest += count }
        }
        if rest > 0 { text.add("\(NumberText.grouped(rest)) other", .yellow) }
        return text.text
    }

    private func engine(_ width: Int) -> String {
        var text = LiveText(width: width, usesColor: usesColor)
        text.add(line.trouble, .red)
        text.add(line.pauses, .yellow)
        text.add(line.wholeJob ?? "")
        text.add(line.waiting ?? "", .yellow)
        if !line.isUnsent { text.add([line.inFlight, "\(reading.inFlight) in flight"]) }
        let limit = reading.limitation.map { "limit: \($0.text)" } ?? ""
        // The limit says more than what the latencies are about.
        text.add(line.latencies, reserve: limit.isEmpty ? 0 : limit.count + LiveText.gap.count)
        text.add(limit)
        return text.text
    }
}
