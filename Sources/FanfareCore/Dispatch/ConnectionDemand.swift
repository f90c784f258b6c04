package import FanfareBase

/// The number of connections that a lane wants if the configuration names none.
///
/// It begins with one. When stream limits or flow-control windows have held the lane for a good
/// part of a while, it wants twice as many; and then it looks whether they have helped. It cannot
/// compute round trip × rate ÷ capacity of a connection. It can only observe whether the rows wait
/// for connections.
///
/// ```
///  settling ──► filling ──► measuring ──► settling
///  all are up   a flight    what held      more, or as they are
///               answered    the lane
/// ```
package struct ConnectionDemand: Sendable {
    /// The state of a lane at the end of a turn.
    package struct View: Sendable {
        package var times: LimitTimes
        /// Requests answered so far.
        package var answers: UInt64
        package var inFlight: Int
        /// True if every connection that is wanted is up, and has been answered.
        package var isSettled: Bool

        package init(times: LimitTimes, answers: UInt64, inFlight: Int, isSettled: Bool) {
            self.times = times
            self.answers = answers
            self.inFlight = inFlight
            self.isSettled = isSettled
        }
    }

    /// The most connections.
    package let most: Int
    /// The number of connections that there should be.
    package private(set) var target: Int
    /// The limit that held the first ones when more were wanted; `nil` as long as they were enough.
    package private(set) var cause: Limitation?

    private enum Phase {
        case settling
        case filling(untilAnswers: UInt64)
        case measuring(since: Instant, answers: UInt64, untilAnswers: UInt64, times: LimitTimes)
    }
    private var phase = Phase.settling
    /// The rate before the last growth, and the number of connections that gave it.
    private var before: (rate: Double, connections: Int)?
    private var notBefore = Instant(nanoseconds: .min)
    private var pause = Limits.connectionGrowthPause

    /// - Parameters:
    ///   - first: The number to begin with.
    ///   - most: The most connections; the same as `first` for a number that does not change.
    package init(first: Int, most: Int) {
        precondition(first > 0 && most >= first)
        self.most = most
        target = first
    }

    /// True if `look` is of any use.
    package var isOpen: Bool { target < most || before != nil }

    /// Looks at the lane, and may want more connections.
    package mutating func look(_ view: View, now: Instant) {
        guard view.isSettled else { return phase = .settling }
        let flight = UInt64(max(view.inFlight, 1))
        switch phase {
        case .settling:
            phase = .filling(untilAnswers: view.answers + flight)
        case .filling(let untilAnswers):
            guard view.answers >= untilAnswers else { return }
            phase = .measuring(
                since: now, answers: view.answers, untilAnswers: view.answers + flight,
                times: view.times)
        case .measuring(let since, let answers, let untilAnswers, let times):
            let elapsed = now.nanoseconds(since: since)
            guard view.answers >= untilAnswers,
                elapsed >= Limits.connectionMeasure.wholeNanoseconds
            else { return }
            phase = .settling
            judge(
                rate: Double(view.answers - answers) / Double(elapsed),
                times: view.times - times, elapsed: elapsed, now: now)
        }
    }

    private mutating func judge(rate: Double, times: LimitTimes, elapsed: Int64, now: Instant) {
        if let before {
            // A time in which something else was the limit was no trial. Our own window grows by
            // answers, and so behind the connections: with answers from far away for longer than a
            // trial lasts.
            let others = [
                Limitation.pace, .input, .pause, .window, .retries, .output, .connecting,
                .inFlightGrowth,
            ]
            guard others.reduce(0, { $0 + times[$1] }) <= elapsed / 4 else { return }
            self.before = nil
            let expected = Double(target) / Double(before.connections) - 1
            if rate < before.rate * (1 + expected * Limits.connectionGainMin) {
                // Something else holds the lane: those that were of no use are closed again.
                target = before.connections
                return rest(now: now)
            }
            pause = Limits.connectionGrowthPause
        }
        let held = times[.streamLimit] + times[.flowControl]
        guard now >= notBefore, target < most,
            Double(held) >= Double(elapsed) * Limits.connectionHeldShare
        else { return }
        before = (rate, target)
        if cause == nil {
            cause = times[.flowControl] >= times[.streamLimit] ? .flowControl : .streamLimit
        }
        // Twice as many are a change that shows through bursts and other people's traffic.
        target = min(most, target * 2)
    }

    /// Notes that a connection beyond the first ones could not be had.
    /// - Parameters:
    ///   - live: The number of connections.
    ///   - now: The time.
    package mutating func refused(live: Int, now: Instant) {
        guard let before, live >= before.connections else { return }
        self.before = nil
        target = min(target, live)
        rest(now: now)
    }

    private mutating func rest(now: Instant) {
        notBefore = now.advanced(by: pause)
        pause = min(pause * 2, Limits.connectionGrowthPauseMax)
    }
}
