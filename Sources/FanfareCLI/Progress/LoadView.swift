package import Fanfare
package import FanfareBase
import FanfareCore

/// A load test as it stands at the bottom of a terminal.
///
/// ```
/// step 2/5  at 450/s  448 answers/s  p50 41.0 ms  p99 253 ms  errors 0  18 s left
/// ```
package struct LoadView {
    private let reading: ProgressReading
    private let stage: LoadStage
    private let now: Instant
    private let usesColor: Bool

    /// - Parameters:
    ///   - reading: The figures of the last seconds.
    ///   - stage: The step that runs.
    ///   - now: The time.
    ///   - usesColor: Use ANSI colors.
    package init(
        _ reading: ProgressReading, _ stage: LoadStage, at now: Instant, usesColor: Bool = false
    ) {
        self.reading = reading
        self.stage = stage
        self.now = now
        self.usesColor = usesColor
    }

    /// Returns the lines for a terminal: the step, and if there is room the rates that a search has
    /// tried.
    /// - Parameter terminal: Its width; the last column stays free.
    /// - Returns: Lines without their ends.
    package func lines(terminal: Int) -> [String] {
        let width = terminal - 1
        let lines =
            terminal < LiveView.threeLinesFrom ? [step(width)] : [step(width), tries(width)]
        return lines.filter { !$0.isEmpty }
    }

    /// The line for a log.
    package var plain: String { step(.max / 2) }

    // MARK: The step

    private enum Part: CaseIterable {
        case state, number, load, rate, p50, p99, errors, left
    }

    /// The parts, in the order in which they are left out where there is no room.
    private static let byLightness: [Part] = [.rate, .p50, .load, .p99, .left, .number, .errors]

    private func step(_ width: Int) -> String {
        var shown = Part.allCases.filter { !text(of: $0).isEmpty }
        func length() -> Int { shown.reduce(-2) { $0 + 2 + text(of: $1).count } }
        for part in Self.byLightness where length() > width { shown.removeAll { $0 == part } }
        var line = LiveText(width: width, usesColor: usesColor)
        for part in shown { line.add(text(of: part), style(of: part)) }
        return line.text
    }

    private func style(of part: Part) -> LiveText.Style {
        switch part {
        case .state: .yellow
        case .number: .bold
        case .errors: errors > 0 ? .red : .green
        case .load, .rate, .p50, .p99, .left: .plain
        }
    }

    private func text(of part: Part) -> String {
        switch part {
        case .state: return reading.state == .running ? "" : reading.state.rawValue
        case .number:
            guard stage.number > 0 else { return "connecting" }
            guard let count = stage.count else { return "try \(stage.number)" }
            return count > 1 ? "step \(stage.number)/\(count)" : ""
        case .load: return load
        case .rate: return "\(Self.rate(reading.rowsPerSecond)) answers/s"
        case .p50:
            return reading.latency.map { "p50 \(NumberText.latency(nanoseconds: $0.p50))" } ?? ""
        case .p99:
            return reading.latency.map { "p99 \(NumberText.latency(nanoseconds: $0.p99))" } ?? ""
        case .errors:
            let share = errors > 0 ? " (\(NumberText.share(errors, of: ended)))" : ""
            return "errors \(NumberText.grouped(errors))\(share)"
        case .left: return secondsLeft.map { "\(Self.time($0)) left" } ?? ""
        }
    }

    private var load: String {
        switch stage.load {
        case nil: return ""
        case .closed: return "\(reading.inFlight) in flight"
        case .open(let from, let to):
            let end = Self.rate(to)
            return from == to ? "at \(end)/s" : "from \(Self.rate(from))/s to \(end)/s"
        }
    }

    /// Requests of this step that have ended.
    private var ended: UInt64 { stage.ended(reading) }

    private var errors: UInt64 {
        let good = reading.good - min(stage.before.good, reading.good)
        return ended - min(good, ended)
    }

    /// The seconds left of this step and all later ones; of a search, only of its step.
    private var secondsLeft: Double? { stage.secondsLeft(reading, at: now) }

    private static func rate(_ rate: Double) -> String {
        NumberText.grouped(UInt64(min(max(rate, 0), 1e15).rounded()))
    }

    private static func time(_ seconds: Double) -> String {
        let seconds = min(seconds, 1e12)
        return seconds < 59.5
            ? "\(Int(seconds.rounded(.up))) s"
            : NumberText.duration(milliseconds: Int64(seconds) * 1000)
    }

    // MARK: The search

    /// The last tries for which there is room.
    private func tries(_ width: Int) -> String {
        let label = "tried"
        var room = width - label.count
        var shown: [LoadStage.Try] = []
        for one in stage.tries.reversed() {
            room -= 2 + Self.text(of: one).count
            guard room >= 0 else { break }
            shown.insert(one, at: 0)
        }
        guard !shown.isEmpty else { return "" }
        var line = LiveText(width: width, usesColor: usesColor)
        line.add(label)
        for one in shown { line.add(Self.text(of: one), one.isKept ? .green : .yellow) }
        return line.text
    }

    private static func text(of one: LoadStage.Try) -> String {
        "\(rate(one.rate))/s \(one.isKept ? "kept" : "too much")"
    }
}
