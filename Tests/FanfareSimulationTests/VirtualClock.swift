import FanfareBase
import FanfareCore
import Synchronization

/// The wall clock of a simulated world: it shows the world's own time.
final class VirtualClock: Sendable {
    private let now = Mutex(Instant(nanoseconds: 0))

    func set(_ moment: Instant) { now.withLock { $0 = moment } }

    var unixMilliseconds: Int64 { Self.unixMilliseconds(at: now.withLock { $0 }) }

    static func unixMilliseconds(at moment: Instant) -> Int64 {
        1_700_000_000_000 + moment.nanoseconds / 1_000_000
    }
}
