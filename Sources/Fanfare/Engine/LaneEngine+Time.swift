import FanfareBase
import FanfareCore

/// Moments of the wall clock on the engine's own.
struct WallTime {
    /// UNIX time at the beginning of the engine's clock.
    private let offsetMilliseconds: Int64

    init(_ environment: any LaneEnvironment) {
        offsetMilliseconds = environment.unixMilliseconds(at: Instant(nanoseconds: 0))
    }

    /// UNIX time at a moment of the engine's clock.
    func milliseconds(at moment: Instant) -> Int64 {
        offsetMilliseconds + moment.nanoseconds / 1_000_000
    }

    func moment(unixMilliseconds: Int64) -> Instant {
        let (difference, isFar) = unixMilliseconds.subtractingReportingOverflow(offsetMilliseconds)
        let (nanoseconds, isFarther) = difference.multipliedReportingOverflow(by: 1_000_000)
        return isFar || isFarther ? .distantFuture : Instant(nanoseconds: nanoseconds)
    }

    /// The end of a notification's life: 0 is no end, but a single try of the provider's.
    func expiration(unixSeconds: Int64) -> Instant {
        guard unixSeconds > 0 else { return .distantFuture }
        let (milliseconds, isFar) = unixSeconds.multipliedReportingOverflow(by: 1000)
        return isFar ? .distantFuture : moment(unixMilliseconds: milliseconds)
    }
}

/// The ends by the clock: the job's deadline, a row's expiration, a connection's life.
extension LaneEngine {
    /// Returns true if requests may start at all.
    func mayStart(now: Instant) -> Bool { stop == nil && !isPaused && now < until }

    /// Returns the moment from which on a row's notification is of no use.
    func expiration(of row: borrowing PreparedRow) -> Instant {
        row.expiration.map(wall.expiration(unixSeconds:)) ?? jobExpiration
    }

    /// Asks silent peers for a sign of life, and gives up those that show none.
    mutating func watchSilence(now: Instant) {
        for index in connections.indices {
            guard let connection = connections[index], connection.phase == .open else { continue }
            let oldest = dispatcher.oldestStart(on: index)
            switch dispatcher.connections[index].lookAtSilence(oldest: oldest, now: now) {
            case .wait:
                break
            case .ping:
                connection.ping()
                observer.note("ping_sent", .debug, on: index, now: now)
            case .giveUp:
                end(index, .silent("no sign of life"), now: now)
            }
        }
    }

    /// Ends the connections whose peers allow no stream at all while rows wait.
    mutating func endUselessConnections(now: Instant) {
        for index in connections.indices {
            let keepsRows =
                dispatcher.connections[index].isShut && hasRowsWaiting(takesBatch: false, now: now)
            if dispatcher.connections[index].isUseless(keepsRows: keepsRows, now: now) {
                end(index, .transient("the provider allows no streams"), now: now)
            }
        }
    }

    /// Replaces the connections that are old, or whose token is.
    mutating func retireOldConnections(now: Instant) {
        let hasLoad = mayStart(now: now) && (intake.hasUntaken || !dispatcher.isIdle)
        while let index = dispatcher.nextToRetire(hasLoad: hasLoad, now: now) {
            retire(index, because: "age", now: now)
        }
    }
}
