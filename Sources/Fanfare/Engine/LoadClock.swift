import FanfareBase
import FanfareCore
import Synchronization

/// The schedule of a load test at work, which its lanes share.
///
/// A request costs one atomic operation. Time begins when the first lane asks, as soon as it has a
/// connection.
final class LoadClock: Sendable {
    let schedule: LoadSchedule
    /// Nanoseconds on the lanes' clock; 0 before the beginning.
    private let began = Atomic<Int64>(0)
    /// The number of the next request.
    private let next = Atomic<Int64>(0)

    init(_ schedule: LoadSchedule) {
        self.schedule = schedule
    }

    /// The permission for a request to start.
    enum Claim: Equatable {
        /// Now; it was due at this moment.
        case due(Instant)
        /// The request may not start before this moment.
        case later(Instant)
        /// Neither now nor later.
        case over
    }

    /// Takes the next request, if one is due.
    func claim(now: Instant) -> Claim {
        let start = beginning(now)
        let elapsed = now.nanoseconds(since: start)
        guard elapsed < schedule.lastStart else { return .over }
        guard case .open = schedule.load else {
            // In a loop that is closed, requests are numbered for the sake of their count.
            guard schedule.countMax < .max else { return .due(now) }
            let number = next.add(1, ordering: .relaxed).oldValue
            return number < schedule.countMax ? .due(now) : .over
        }
        var number = next.load(ordering: .relaxed)
        while number < schedule.countMax {
            let due = schedule.due(number)
            guard due < schedule.length else { return .over }
            let moment = start.advanced(byNanoseconds: due)
            guard due <= elapsed else { return .later(moment) }
            let (isOurs, found) = next.compareExchange(
                expected: number, desired: number + 1, ordering: .relaxed)
            if isOurs { return .due(moment) }
            number = found
        }
        return .over
    }

    /// Nanoseconds since the beginning; negative before it.
    func elapsed(_ moment: Instant) -> Int64 {
        let began = began.load(ordering: .relaxed)
        return began == 0 ? -1 : moment.nanoseconds - began
    }

    /// Returns true if the time for starts is over.
    func hasEnded(now: Instant) -> Bool { elapsed(now) >= schedule.lastStart }

    /// Returns true if no request will be given out any more.
    func isOver(now: Instant) -> Bool {
        let number = next.load(ordering: .relaxed)
        if hasEnded(now: now) || number >= schedule.countMax { return true }
        if case .closed = schedule.load { return false }
        return schedule.due(number) >= schedule.length
    }

    /// The number of requests of an open loop that were given out.
    var claimed: Int64 { min(next.load(ordering: .relaxed), schedule.countMax) }

    private func beginning(_ now: Instant) -> Instant {
        let (isOurs, found) = began.compareExchange(
            expected: 0, desired: now.nanoseconds, ordering: .relaxed)
        return isOurs ? now : Instant(nanoseconds: found)
    }
}
