import FanfareBase
import FanfareCore
import Synchronization

/// The pace of a job, which its lanes share.
final class JobPace: Sendable {
    private let pacer: Mutex<Pacer>
    private let changeCount = Atomic<Int>(0)

    /// - Parameters:
    ///   - settings: The pace; `nil` for none, until it is changed.
    ///   - lanes: How many lanes share it.
    init(_ settings: PaceSettings?, lanes: Int) {
        pacer = Mutex(Pacer(settings, lanes: lanes))
    }

    /// How often the pace has changed.
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

    /// Does something with the pacer; no other lane does meanwhile.
    func withPacer<Result: Sendable>(_ body: (inout Pacer) -> Result) -> Result {
        pacer.withLock { body(&$0) }
    }
}

/// One lane's hold on the job's pace.
///
/// A request costs a subtraction. The lock is taken once for a lease of permits, and once at the end
/// of a turn to say what became of them, so that none is out while the lane sleeps.
struct LanePace: Sendable {
    /// What is shared with the other lanes; `nil` for as fast as possible.
    let job: JobPace?
    private let lane: Int
    /// How many requests may start without asking.
    private(set) var permits: Int
    private var leased = 0
    private var hasAsked = false
    /// When to ask again; `nil` if nothing is waited for.
    private(set) var next: Instant?
    /// Which pace `next` is about.
    private var changes = 0
    /// The schedule of a load test, in place of a pace.
    private let load: LoadClock?
    /// How many requests of the lane may be in flight together, as far as the load is concerned.
    let inFlightMax: Int
    /// When the request that has the last permit was due.
    private(set) var due = Instant(nanoseconds: 0)

    /// As fast as possible.
    init() {
        job = nil
        load = nil
        lane = 0
        permits = .max
        inFlightMax = .max
    }

    /// As a load test wants it.
    init(_ load: LoadClock, inFlightMax: Int = .max) {
        job = nil
        self.load = load
        lane = 0
        permits = 0
        self.inFlightMax = inFlightMax
    }

    init(_ job: JobPace, lane: Int) {
        self.job = job
        self.lane = lane
        permits = 0
        load = nil
        inFlightMax = .max
    }

    /// The job's starts that were not made when they could have been; `nil` without a pace.
    var lateStarts: UInt64? { job?.withPacer { $0.lateStarts } ?? nil }

    /// A request has started.
    mutating func started() { permits -= 1 }

    /// Takes a lease, when there is none left and a request is waiting.
    /// - Returns: Whether there are permits now; else `next` says when to ask again.
    mutating func ask(now: Instant) -> Bool {
        guard let job else { return load == nil || askLoad(now: now) }
        hasAsked = true
        let changes = job.changes
        if let next, now < next, changes == self.changes { return false }
        self.changes = changes
        let grant = job.withPacer {
            $0.take(lane: lane, used: leased, wanted: Limits.permitsPerLease, now: now)
        }
        leased = grant.permits
        permits = grant.permits
        next = grant.next
        return permits > 0
    }

    /// Gives back what is left, and the place in the queue if nothing was asked for.
    /// - Parameter now: The time, which is read if it is needed.
    mutating func settle(now: @autoclosure () -> Instant) {
        guard let job else { return settleLoad() }
        // A lane that has permits over waits for something else.
        let isWaiting = hasAsked && permits == 0
        hasAsked = false
        guard leased > 0 || (next != nil && !isWaiting) else { return }
        let (used, unused) = (leased - permits, permits)
        let time = now()
        job.withPacer {
            $0.settle(
                lane: lane, used: used, unused: unused, keepsPlace: isWaiting, now: time)
        }
        leased = 0
        permits = 0
        if !isWaiting { next = nil }
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
            next = moment
        case .over, nil:
            next = nil
        }
        return permits > 0
    }

    private mutating func settleLoad() {
        // A lane that has not asked waits for an answer or a connection, not for the clock.
        if !hasAsked || permits > 0 { next = nil }
        hasAsked = false
    }

    /// Whether nothing will start any more.
    func isOver(now: Instant) -> Bool {
        guard let load else { return false }
        return load.isOver(now: now) && (permits == 0 || load.hasEnded(now: now))
    }
}

/// Starting requests at the job's pace.
extension LaneEngine {
    /// Whether the pace lets a request start, if there is one.
    mutating func hasPermit() -> Bool {
        if pace.permits > 0 { return true }
        guard dispatcher.inFlightCount < pace.inFlightMax else { return false }
        // What a load test has started has its permit, also when a GOAWAY sends it back.
        if observer.isMetered && dispatcher.isNextRepeated { return true }
        let now = environment.now
        return hasRowsWaiting(now: now) && pace.ask(now: now)
    }
}
