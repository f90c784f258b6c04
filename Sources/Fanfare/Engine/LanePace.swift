import FanfareBase
import FanfareCore
import Synchronization

/// The pace of a job, which its lanes share.
final class JobPace: Sendable {
    private let pacer: Mutex<Pacer>
    private let changeCount = Atomic<Int>(0)

    /// - Parameters:
    ///   - settings: The pace; `nil` for none, until it is changed.
    ///   - lanes: The number of lanes that share it.
    init(_ settings: PaceSettings?, lanes: Int) {
        pacer = Mutex(Pacer(settings, lanes: lanes))
    }

    /// The number of changes of the pace.
    var changes: Int { changeCount.load(ordering: .relaxed) }

    /// Gives the job another pace, or none.
    ///
    /// Lanes that wait have to be woken.
    func change(to settings: PaceSettings?, now: Instant) {
        pacer.withLock { $0.change(to: settings, now: now) }
        changeCount.add(1, ordering: .relaxed)
    }

    /// Begins or ends a time in which nothing is to start.
    func rest(_ reason: Pacer.Rest, _ isOn: Bool, now: Instant) {
        pacer.withLock { $0.rest(reason, isOn, now: now) }
    }

    /// The starts that were not made when they could have been; `nil` without a pace.
    var lateStarts: UInt64? { withPacer { $0.lateStarts } }

    /// Does something with the pacer; no other lane does meanwhile.
    func withPacer<Result: Sendable>(_ body: (inout Pacer) -> Result) -> Result {
        pacer.withLock { body(&$0) }
    }
}

/// A lane's lease of permits from a pace that it shares.
private struct PaceLease: Sendable {
    let pace: JobPace
    private let lane: Int
    /// The permits of the last lease, which has not been settled yet.
    private(set) var count = 0
    /// The time to ask again; `nil` if there is nothing to wait for.
    private(set) var next: Instant?
    /// The number of the pace that `next` belongs to.
    private var changes = 0

    init(_ pace: JobPace, lane: Int) {
        self.pace = pace
        self.lane = lane
    }

    /// Takes a lease when the last one is used up.
    /// - Parameters:
    ///   - wanted: The number of permits that are of use.
    ///   - now: The time.
    /// - Returns: The number of permits; 0 where `next` is the time to ask again, and nothing is
    ///   leased.
    mutating func take(_ wanted: Int, now: Instant) -> Int {
        let changes = pace.changes
        if let next, now < next, changes == self.changes {
            if count > 0 { settle(unused: 0, keepsPlace: true, now: now) }
            return 0
        }
        self.changes = changes
        let grant = pace.withPacer { [count] in
            $0.take(lane: lane, used: count, wanted: wanted, now: now)
        }
        count = grant.permits
        next = grant.next
        return count
    }

    /// Returns true if the lane has something to settle.
    func isOpen(keepsPlace: Bool) -> Bool { count > 0 || next != nil && !keepsPlace }

    /// Gives back the unused permits.
    /// - Parameters:
    ///   - unused: The number of unused permits.
    ///   - keepsPlace: True if the lane waits for more, and keeps its place in the queue.
    ///   - now: The time.
    mutating func settle(unused: Int, keepsPlace: Bool, now: Instant) {
        let used = count - unused
        pace.withPacer {
            $0.settle(
                lane: lane, used: used, unused: unused, keepsPlace: keepsPlace, now: now)
        }
        count = 0
        if !keepsPlace { next = nil }
    }
}

/// One lane's hold on the paces that it has to keep: its route's and the job's.
///
/// A request costs a subtraction. The locks are taken once for a lease of permits, and once at the
/// end of a turn to settle them, so that none is out while the lane sleeps.
struct LanePace: Sendable {
    /// The lease that all lanes of the job share; `nil` for as fast as possible.
    private var whole: PaceLease?
    /// The lease that the lanes of the same route share, besides.
    private var own: PaceLease?
    /// The requests that may start without asking: as many as both paces have room for.
    private(set) var permits: Int
    private var hasAsked = false
    /// The time to ask again, for a load test.
    private var nextOfLoad: Instant?
    /// The schedule of a load test, in place of a pace.
    private let load: LoadClock?
    /// The most requests of the lane in flight together, as far as the load is concerned.
    let inFlightMax: Int
    /// The time at which the request with the last permit was due.
    private(set) var due = Instant(nanoseconds: 0)

    /// As fast as possible.
    init() { self.init(job: nil, lane: 0) }

    /// As a load test wants it.
    init(_ load: LoadClock, inFlightMax: Int = .max) {
        permits = 0
        self.load = load
        self.inFlightMax = inFlightMax
    }

    /// - Parameters:
    ///   - job: The pace of the whole job; `nil` for none.
    ///   - route: The pace of the lane's route; `nil` for none.
    ///   - lane: The lane's number among all that share them.
    init(job: JobPace?, route: JobPace? = nil, lane: Int) {
        whole = job.map { PaceLease($0, lane: lane) }
        own = route.map { PaceLease($0, lane: lane) }
        permits = job == nil && route == nil ? .max : 0
        load = nil
        inFlightMax = .max
    }

    /// The pace of the whole job.
    var job: JobPace? { whole?.pace }

    /// The pace of the lane's route.
    var route: JobPace? { own?.pace }

    /// The time to ask again; `nil` if there is nothing to wait for.
    var next: Instant? { whole?.next ?? own?.next ?? nextOfLoad }

    /// Starts that its paces had room for and that were not made; `nil` without a pace.
    var lateStarts: UInt64? { (job ?? route)?.lateStarts }

    /// A request has started.
    mutating func started() { permits -= 1 }

    /// Takes a lease, when there is none left and a request is waiting.
    /// - Returns: True if there are permits now; else `next` is the time to ask again.
    mutating func ask(now: Instant) -> Bool {
        guard load == nil else { return askLoad(now: now) }
        guard whole != nil || own != nil else { return true }
        hasAsked = true
        permits = Limits.permitsPerLease
        if own != nil {
            let surplus = ownSurplus
            if surplus > 0 { own?.settle(unused: surplus, keepsPlace: false, now: now) }
            permits = own?.take(permits, now: now) ?? 0
            // A lane that waits for the one holds up no lanes that wait for the other.
            guard permits > 0 else {
                whole?.settle(unused: 0, keepsPlace: false, now: now)
                return false
            }
        }
        if whole != nil {
            let wanted = permits
            permits = whole?.take(wanted, now: now) ?? 0
            if permits == 0 { own?.settle(unused: wanted, keepsPlace: false, now: now) }
        }
        return permits > 0
    }

    /// The permits of the route's pace that the job's has no room for.
    private var ownSurplus: Int {
        guard let own, let whole else { return 0 }
        return own.count - whole.count
    }

    /// Gives back the unused permits, and the place in the queue if nothing was requested.
    /// - Parameter now: The time, which is read if it is needed.
    mutating func settle(now: @autoclosure () -> Instant) {
        guard load == nil else { return settleLoad() }
        // A lane that has permits over waits for something else.
        let isWaiting = hasAsked && permits == 0
        hasAsked = false
        let isWholeOpen = whole?.isOpen(keepsPlace: isWaiting) ?? false
        let isOwnOpen = own?.isOpen(keepsPlace: isWaiting) ?? false
        guard isWholeOpen || isOwnOpen else { return }
        let time = now()
        let unused = permits + ownSurplus
        if isWholeOpen { whole?.settle(unused: permits, keepsPlace: isWaiting, now: time) }
        if isOwnOpen { own?.settle(unused: unused, keepsPlace: isWaiting, now: time) }
        permits = 0
    }
}

/// Starting requests as a load test's schedule says.
///
/// A permit is for one request, which knows when it was due; it is kept until that has started.
extension LanePace {
    private mutating func askLoad(now: Instant) -> Bool {
        hasAsked = true
        switch load?.claim(now: now) {
        case .due(let moment):
            due = moment
            permits = 1
        case .later(let moment):
            nextOfLoad = moment
        case .over, nil:
            nextOfLoad = nil
        }
        return permits > 0
    }

    private mutating func settleLoad() {
        // A lane that has not asked waits for an answer or a connection, not for the clock.
        if !hasAsked || permits > 0 { nextOfLoad = nil }
        hasAsked = false
    }

    /// Returns true if nothing will start any more.
    func isOver(now: Instant) -> Bool {
        guard let load else { return false }
        return load.isOver(now: now) && (permits == 0 || load.hasEnded(now: now))
    }
}
