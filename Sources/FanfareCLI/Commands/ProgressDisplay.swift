import Fanfare
import FanfareCore

/// How far a job is, on standard error: a line that is redrawn on a terminal, else a line now and then.
final class ProgressDisplay {
    private enum Style {
        case bar, plain
    }

    private let style: Style
    private var started: Instant?
    private var last: (at: Instant, snapshot: ProgressSnapshot)?

    /// A display of the chosen style; `nil` for `none`.
    /// - Parameter choice: `auto`, `bar`, `plain` or `none`.
    init?(_ choice: String?) {
        switch choice ?? "auto" {
        case "none": return nil
        case "bar": style = .bar
        case "plain": style = .plain
        default: style = Terminal.isInteractive ? .bar : .plain
        }
    }

    /// How often it wants to be told.
    var interval: Duration { style == .bar ? .milliseconds(250) : .seconds(10) }

    func show(_ snapshot: ProgressSnapshot, at now: Instant) {
        let before = last ?? (now, snapshot)
        if started == nil { started = now }
        let seconds = Double(now.nanoseconds(since: before.at)) / 1e9
        let rate = seconds > 0 ? Double(snapshot.finished - before.snapshot.finished) / seconds : 0
        last = (now, snapshot)
        let other = snapshot.finished - snapshot.accepted - snapshot.unregistered
        var line =
            "\(snapshot.isPaused ? "paused: " : "")\(snapshot.finished) rows, \(UInt64(rate))/s, \(snapshot.inFlight) in flight on "
            + "\(snapshot.connections) connections: \(snapshot.accepted) accepted, "
            + "\(snapshot.unregistered) unregistered, \(other) other"
        if let limitation = snapshot.limitation(since: before.snapshot) {
            line += "; limited by \(limitation)"
        }
        if let until = snapshot.waitsUntilMilliseconds {
            line +=
                "; \(snapshot.waitingRows) wait for their window until "
                + TimestampWriter.string(milliseconds: until)
        }
        switch style {
        case .bar: Terminal.show("\r\u{1B}[K" + line)
        case .plain: Terminal.error(line)
        }
    }

    /// Clears the live line, so that what follows stands on a line of its own.
    func finish() {
        if style == .bar { Terminal.show("\r\u{1B}[K") }
    }
}
