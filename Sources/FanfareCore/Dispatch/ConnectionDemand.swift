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
        /// True if the connections that are wanted are up and have been answered, but for a few.
        package var isSettled: Bool

        package init(times: LimitTimes, answers: UInt64, inFlight: Int, isSettled: Bool) {
            self.times = times
            self.answers = answers
            self.inFlight = inFlight
            self.isSettled = isSettled
        }
    }

    /// The most connections.
    package private(set) var most: Int
    /// The number of connections that there should be.
    package private(set) var target: Int
    /// The limit that held the first ones when more were wanted; `nil` as long as they were enough.
    package private(set) var cause: Limitation?

    private enum Phase {
        case settling
        case filling(untilAnswers: UInt64)
        case measuring(Measurement)
    }

    /// The measurement of a rate, by whole flights.
    ///
    /// Requests that start together are answered together, so that answers come in bursts. A time that
    /// ends between two of them has one more or one less than its share: with 100 ms to an answer and
    /// 200 ms to measure, that is half of all. Behind as many answers as there are requests in
    /// flight, the same place in a burst comes again.
    private struct Measurement {
        let since: Instant
        let answers: UInt64
        let flight: UInt64
        let times: LimitTimes
        /// The number of whole flights at which it looks whether it has lasted for long enough.
        var flights: UInt64 = 1

        /// The number of answers at which it looks.
        var end: UInt64 { answers + flights * flight }

        /// Goes on to the end of the flight that is under way.
        mutating func goOn(_ answers: UInt64) { flights = (answers - self.answers) / flight + 1 }
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

    /// Sets the most connections: those that are wanted already stay.
    package mutating func bound(to most: Int) { self.most = max(most, target) }

    /// Begins anew with one connection.
    package mutating func beginAnew() {
        target = 1
        before = nil
        phase = .settling
    }

    /// Wants one connection less, as others need it; one is left.
    package mutating func shrink() {
        target = max(target - 1, 1)
        before = nil
        phase = .settling
    }

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
                Measurement(
                    since: now, answers: view.answers, flight: flight, times: view.times))
        case .measuring(var measurement):
            guard view.answers >= measurement.end else { return }
            let elapsed = now.nanoseconds(since: measurement.since)
            guard elapsed >= Limits.connectionMeasure.wholeNanoseconds else {
                measurement.goOn(view.answers)
                return phase = .measuring(measurement)
            }
            phase = .settling
            judge(
                rate: Double(measurement.end - measurement.answers) / Double(elapsed),
                times: view.times - measurement.times, elapsed: elapsed, now: now)
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

    /// Notes that rows wait behind requests of HTTP/1.1 that are not answered: one connection more lets them
    /// pass.
    package mutating func isHeldUp() {
        target = min(most, target + 1)
        phase = .settling
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
