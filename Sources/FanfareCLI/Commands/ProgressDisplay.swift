import Fanfare
import FanfareBase
import FanfareCore
import FanfareSystem

/// A job's progress on standard error: redrawn lines on a terminal, else a line now and then.
final class ProgressDisplay {
    private enum Style {
        case bar, plain, json
    }

    private let style: Style
    /// Returns the step of a load test; `nil` for jobs with rows.
    private let stage: (() -> LoadStage)?
    private var history = ProgressHistory(started: MachineClock.now)

    /// A display of the chosen style; `nil` for `none`.
    /// - Parameters:
    ///   - choice: The choice of the user.
    ///   - mayDraw: True if nothing else is known to write to the terminal.
    ///   - stage: Returns the step of a load test; `nil` for jobs with rows.
    init?(_ choice: ProgressChoice, mayDraw: Bool = true, stage: (() -> LoadStage)? = nil) {
        self.stage = stage
        switch choice {
        case .none: return nil
        case .bar: style = .bar
        case .plain: style = .plain
        case .json: style = .json
        case .auto: style = mayDraw && Terminal.canRedraw ? .bar : .plain
        }
    }

    /// The time between two updates.
    var interval: Duration {
        switch style {
        case .bar: .milliseconds(250)
        case .plain: .seconds(10)
        case .json: .seconds(1)
        }
    }

    func show(_ snapshot: ProgressSnapshot, isStopping: Bool, at now: Instant) {
        let reading = history.read(snapshot, isStopping: isStopping, at: now)
        if let stage, style != .json {
            show(reading, stage(), at: now)
            return
        }
        switch style {
        case .bar:
            let view = LiveView(
                reading, usesColor: Terminal.usesColor(onError: true), clock: Self.localTime)
            // Asked each time, because windows change their size.
            Terminal.showLive(view.lines(terminal: Terminal.columns))
        case .plain: if !Terminal.isAsking { Terminal.error(ProgressLine(reading).plain) }
        case .json: Terminal.show(reading.json)
        }
    }

    /// Shows a load test.
    private func show(_ reading: ProgressReading, _ stage: LoadStage, at now: Instant) {
        let usesColor = style == .bar && Terminal.usesColor(onError: true)
        let view = LoadView(reading, stage, at: now, usesColor: usesColor)
        switch style {
        case .bar: Terminal.showLive(view.lines(terminal: Terminal.columns))
        case .plain: Terminal.error(view.plain)
        case .json: Terminal.show(reading.json)
        }
    }

    private static func localTime(_ milliseconds: Int64) -> String {
        LocalTime.text(milliseconds / 1000, now: WallClock.milliseconds / 1000)
    }

    /// Clears the live line, so that the next text stands on a line of its own.
    ///
    /// A program that reads the progress learns that this was the end.
    func finish(_ snapshot: ProgressSnapshot, at now: Instant) {
        switch style {
        case .bar: Terminal.clearLive()
        case .plain: break
        case .json:
            var reading = history.read(snapshot, at: now)
            reading.state = .ended
            reading.secondsLeft = nil
            Terminal.show(reading.json)
        }
    }
}
