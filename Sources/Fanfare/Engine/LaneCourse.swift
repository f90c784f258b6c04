import FanfareBase
import FanfareCore

/// The course of a lane: whether requests may start, and the reason why none does any more.
struct LaneCourse: ~Copyable {
    /// The moment from which on no request starts.
    let until: Instant
    /// The reason why no new requests start, if there is one.
    private(set) var stop: JobStop?
    /// True if no requests start for now; requests in flight are answered, and time goes on.
    var isPaused = false
    private(set) var isFinished = false

    init(until: Instant) {
        self.until = until
    }

    /// Returns true if requests may start at all.
    func mayStart(now: Instant) -> Bool { stop == nil && !isPaused && now < until }

    /// The deadline, while it can still change something.
    func deadline(now: Instant) -> Instant? { now < until && stop == nil ? until : nil }

    /// Starts nothing new, for the first reason that there is.
    mutating func drain(_ reason: JobStop) {
        if stop == nil { stop = reason }
    }

    /// Notes that no work is left.
    mutating func finish() {
        isFinished = true
    }
}
