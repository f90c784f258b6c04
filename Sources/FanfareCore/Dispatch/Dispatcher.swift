package import FanfareBase

/// The choice of a lane's next request and its connection, and the fate of requests whose attempts
/// end.
///
/// It knows requests and connections by number only: no bytes, no sockets, no clock. The lane's
/// engine tells it facts and carries out its answers; the simulation does the same on a virtual
/// clock.
///
/// A request is always in exactly one place:
/// ```
///  taken up ──► in flight ──► finished
///      │        ▲      │
///      └► ready ┘◄─────┤ provably unprocessed
///            ▲         ▼
///            └── backing off: answered with "later", or in doubt where that is sent again
///                  │   ▲
///                  ▼   │ a token of the retry budget
///                over budget
/// ```
package struct Dispatcher: ~Copyable {
    private let inPlace = InPlace()
    package let settings: DispatchSettings
    private(set) var requests = RequestTable()
    /// Those of them that wait for a start.
    private(set) var waiting: WaitingRequests
    /// The connections by place; the engine tells each of them the events there.
    package var connections: [ConnectionRecord] = []
    var dialler: Dialler
    var habit = ServingHabit()
    var demand: ConnectionDemand
    package var patience: Patience
    package var verdicts: VerdictWatch
    var doubts: DoubtRun
    var quota: RequestQuota
    /// The limit that ENHANCE_YOUR_CALM has left of a connection, for the next ones; `nil` without
    /// one.
    var calmLimit: Int?
    var generator: SplitMix64
    /// The chance that the rows of a request that ends have in common.
    private var sharedWait = SplitMix64(seed: 0)

    /// True until the route's provider has answered: then the lane has one request in flight at most.
    package private(set) var isUnproven: Bool
    /// The time at which the lane goes on though there is no answer yet.
    var unprovenUntil: Instant?

    package private(set) var inFlightCount = 0
    /// The request in flight that may be what ends connections, and goes alone; −1 without.
    private(set) var suspect: RequestID = -1
    /// The window of all connections together, if `settings.isAdaptive`.
    var adaptive: AdaptiveWindow

    package init(settings: DispatchSettings, seed: UInt64) {
        self.settings = settings
        isUnproven = settings.provesRoute
        adaptive = AdaptiveWindow(lanes: settings.lanes)
        demand = ConnectionDemand(first: settings.connections, most: settings.connectionsMax)
        patience = Patience(settings.patience)
        // Bounded waits count against the provider as well.
        verdicts = VerdictWatch(
            settings.patience,
            attemptsMax: settings.retry.wishMax == nil ? settings.retry.attemptsMax : 1)
        doubts = DoubtRun(firstPause: settings.retry.leastDelay, wishMax: settings.patience)
        quota = RequestQuota(lanes: settings.lanes, longest: settings.patience)
        dialler = Dialler(policy: settings.dial, connections: settings.connectionsMax)
        waiting = WaitingRequests(settings.retry)
        generator = SplitMix64(seed: seed)
        makePlaces()
    }

    // MARK: Proof of the route

    /// Notes that the first request of the route keeps the lane's others back until then.
    package mutating func waitsForProof(until moment: Instant?) { unprovenUntil = moment }

    /// Notes that the route's provider has answered, or that the lane no longer waits for that.
    package mutating func routeIsProven() {
        isUnproven = false
        unprovenUntil = nil
    }

    // MARK: Requests

    /// Takes up a row.
    ///
    /// Next it is `started`, `postponed` or `finished`.
    package mutating func takeUp() -> RequestID {
        requests.take()
    }

    /// Notes that an earlier run of the job may have sent a row just taken up: that was an attempt
    /// too, and no line tells its result.
    /// - Parameters:
    ///   - id: The row's request.
    ///   - notAfter: The time from which no further attempt may start.
    package mutating func wasTried(_ id: RequestID, notAfter: Instant) {
        requests[id].attempts += 1
        requests[id].wasInDoubt = true
        requests[id].notAfter = notAfter
    }

    /// Sets the moment from which no attempt may start: the notification of a row just taken up
    /// expires then.
    package mutating func expires(_ id: RequestID, at moment: Instant) {
        requests[id].notAfter = moment
    }

    /// Lets a request wait for room: a row just taken up gets behind those that are ready, and one
    /// that was ready already keeps its place.
    package mutating func postponed(_ id: RequestID) {
        if requests[id].phase == .held { waiting.becomeReady(id, in: &requests) }
    }

    /// Returns the request that has been ready longest; those whose back-off is over become ready
    /// first, as far as the retry budget allows.
    package mutating func nextReady(now: Instant) -> RequestID? {
        waiting.next(rowsOfRequest: settings.rowsOfRequest, in: &requests, now: now)
    }

    /// True if the request that has been ready longest was on the wire before, and came back
    /// unprocessed.
    package var isNextRepeated: Bool {
        waiting.firstReady.map { requests[$0].isRepeated } ?? false
    }

    /// Notes that a request went on the wire of a connection.
    package mutating func started(_ id: RequestID, on connection: Int, now: Instant) {
        if requests[id].phase == .ready { waiting.leaveReady(id, in: &requests) }
        if requests[id].attempts == 0 && !requests[id].isRepeated {
            waiting.firstAttemptStarted()
        }
        requests[id].phase = .inFlight
        requests[id].connection = Int32(truncatingIfNeeded: connection)
        requests[id].attempts += 1
        requests[id].startedAt = now
        requests[id].hasTimedOut = false
        if requests[id].isSuspect {
            suspect = id
            connections[connection].carriesSuspect = true
        }
        requests.append(id, to: &connections[connection].inFlight)
        connections[connection].requestStarted()
        inFlightCount += 1
        adaptive.started(inFlight: inFlightCount)
    }

    /// Notes that the time for a request's answer is over; its attempt ends when its stream does.
    package mutating func timedOut(_ id: RequestID) {
        requests[id].hasTimedOut = true
    }

    package func request(_ id: RequestID) -> Request { requests[id] }

    // One field each: a whole request is a line of the cache to copy.

    /// The time when a request's last attempt started.
    package func start(of id: RequestID) -> Instant { requests[id].startedAt }

    /// The time from which no further attempt of a request may start.
    package func lastStart(of id: RequestID) -> Instant { requests[id].notAfter }

    /// True if the provider may have acted on an attempt whose answer is not known.
    package func wasInDoubt(_ id: RequestID) -> Bool { requests[id].wasInDoubt }

    /// True if the time for a request's answer is over.
    package func hasTimedOut(_ id: RequestID) -> Bool { requests[id].hasTimedOut }

    /// True if a request has been on the wire and come back unprocessed.
    package func isRepeated(_ id: RequestID) -> Bool { requests[id].isRepeated }

    /// True if a request was made before, for an earlier attempt.
    package func wasSent(_ id: RequestID) -> Bool {
        requests[id].isRepeated || requests[id].attempts > 0
    }

    package enum EndedAction: Equatable, Sendable {
        /// The row has its outcome: report it, then call `finished`.
        case report
        /// It will be sent again; nothing to do.
        case later
    }

    /// Notes the end of an attempt, which decides the request's fate.
    /// - Parameters:
    ///   - id: The request of the attempt.
    ///   - end: The end of the attempt.
    ///   - isOverload: True if the answer is that the provider has too much to do.
    ///   - isTooMany: True if it is that there are too many requests, which is no outage.
    ///   - isForeign: True if the answer does not look like the provider's.
    ///   - isCut: True if its connection was cut, and the request may be the reason.
    ///   - notAfter: The time from which no further attempt may start.
    ///   - now: The time.
    /// - Returns: The fate of the request, and of its connection.
    package mutating func attemptEnded(
        _ id: RequestID, _ end: AttemptEnd, isOverload: Bool = false, isTooMany: Bool = false,
        isForeign: Bool = false, isCut: Bool = false, notAfter: Instant = .distantFuture,
        now: Instant
    ) -> (request: EndedAction, connection: ConnectionRecord.RequestEndedAction) {
        let connection = Int(requests[id].connection)
        requests.remove(id, from: &connections[connection].inFlight)
        inFlightCount -= 1
        if id == suspect {
            suspect = -1
            // An end of another kind says of the peer what it always does.
            if !isCut { connections[connection].carriesSuspect = false }
        }
        let wasAnswered = end.isAnswer
        if wasAnswered {
            dialler.answered()
            patience.answered()
            judge(end, isForeign: isForeign, now: now)
            if isOverload {
                adaptive.refused(now: now)
                if isTooMany, requests[id].holdsToken {
                    waiting.retryWasTooMany(started: requests[id].startedAt, now: now)
                }
            } else {
                let latency = now.nanoseconds(since: requests[id].startedAt)
                adaptive.answered(after: max(latency, 0), now: now)
            }
            if !connections[connection].hasAnswered { dialler.provedUseful() }
            patience.isBlameless(until: now)
        }
        let action = connections[connection].requestEnded(answeredAt: wasAnswered ? now : nil)
        requests[id].notAfter = notAfter
        if isTooMany { noteTooMany(id, started: requests[id].startedAt) }
        if isCut || requests[id].cuts > 0 { noteCut(isCut, of: id, end, on: connection) }
        return (disposition(of: id, end, now: now), action)
    }

    /// Lets an attempt cost its row nothing if the provider has answered nothing but "too many requests" since before
    /// it started, and is asked more slowly for that.
    private mutating func noteTooMany(_ id: RequestID, started: Instant) {
        guard waiting.isSlowed, let since = verdicts.since, since < started,
            requests[id].freeAttempts < Limits.freeAttemptsMax
        else { return }
        requests[id].freeAttempts += 1
    }

    /// Counts the cuts that a request has been on the way at, one after the other.
    private mutating func noteCut(
        _ isCut: Bool, of id: RequestID, _ end: AttemptEnd, on connection: Int
    ) {
        if isCut {
            if requests[id].cuts > 0 { connections[connection].hasLostAgain = true }
            // Rows that share a request stand for one another: none of them goes alone.
            guard settings.rowsOfRequest == 1, requests[id].cuts < .max else { return }
            requests[id].cuts += 1
        } else if end != .dismissed {
            requests[id].cuts = 0
        }
    }

    // MARK: Shared requests

    /// Lets a request that is ready wait for others to go with, or go with them.
    ///
    /// Its next call is `postponed`, or it ends with the request of another one.
    package mutating func board(_ id: RequestID) {
        guard requests[id].phase == .ready else { return }
        waiting.leaveReady(id, in: &requests)
        requests[id].phase = .held
    }

    /// Has the rows of a request that ends draw the same wait: they go together again, and a refused request
    /// does not become many.
    ///
    /// Next come `sharedAttemptEnded` of all others and `attemptEnded` of the row whose request it is.
    package mutating func drawOneWait(with id: RequestID) {
        sharedWait = SplitMix64(seed: generator.next())
        requests[id].sharesWait = true
    }

    /// Notes the end of the attempt of a row that went on the request of another one.
    /// - Parameters:
    ///   - id: The row, which was held meanwhile.
    ///   - started: The time when the request started.
    ///   - end: The end of the attempt.
    ///   - isTooMany: True if the answer is that there are too many requests.
    ///   - notAfter: The time from which no further attempt may start.
    ///   - now: The time.
    /// - Returns: The fate of the row.
    package mutating func sharedAttemptEnded(
        _ id: RequestID, started: Instant, _ end: AttemptEnd, isTooMany: Bool = false,
        notAfter: Instant, now: Instant
    ) -> EndedAction {
        requests[id].attempts += 1
        requests[id].startedAt = started
        requests[id].notAfter = notAfter
        requests[id].sharesWait = true
        if isTooMany { noteTooMany(id, started: started) }
        if case .answeredInDoubt = end { doubts.wentAlong() }
        return disposition(of: id, end, now: now)
    }

    private mutating func disposition(
        of id: RequestID, _ end: AttemptEnd, now: Instant
    ) -> EndedAction {
        // One that was refused has not used what was paid for it.
        if requests[id].holdsToken && !end.isUnprocessed {
            requests[id].holdsToken = false
            if end == .answeredFinally { waiting.retryHasSucceeded(now: now) }
        }
        switch end {
        case .answeredFinally:
            return hold(id)
        case .answeredAgain(let cause):
            requests[id].refusals = 0
            return tryAgain(id, cause, now: now)
        case .answeredInDoubt(let cause):
            requests[id].wasInDoubt = true
            return settings.resendsInDoubt ? tryAgain(id, cause, now: now) : hold(id)
        case .inDoubt:
            requests[id].wasInDoubt = true
            return settings.resendsInDoubt ? tryAgain(id, .inDoubt, now: now) : hold(id)
        case .unprocessed:
            requests[id].attempts -= 1
            return sendAgain(id, now: now)
        case .dismissed:
            requests[id].attempts -= 1
            requests[id].isRepeated = true
            guard !requests[id].isSuspect else {
                waiting.setAside(id, in: &requests)
                return .later
            }
            // Where connections answer nothing, dials are what waits.
            waiting.becomeReady(id, in: &requests)
            return .later
        }
    }

    private mutating func hold(_ id: RequestID) -> EndedAction {
        requests[id].phase = .held
        return .report
    }

    /// Sends a request again at once, and counts no attempt: there is proof that nothing happened.
    ///
    /// A peer that refuses the same request again and again gets the pauses of a retry; short ones
    /// while it answers others. In the end the lane gives the row up, so that a peer that refuses
    /// everything for good cannot hold a job forever.
    private mutating func sendAgain(_ id: RequestID, now: Instant) -> EndedAction {
        requests[id].isRepeated = true
        requests[id].refusals += 1
        let refusals = Int(requests[id].refusals)
        guard refusals < settings.refusalsMax else { return hold(id) }
        guard refusals > settings.refusalsAtOnce || requests[id].isSuspect else {
            waiting.becomeReady(id, in: &requests)
            return .later
        }
        let bound = patience.isSerious(now: now) ? nil : Limits.refusedDelayMax
        let (retry, failures) = (settings.retry, max(refusals - settings.refusalsAtOnce, 1))
        let delay = drawn(id) {
            retry.jitteredDelay(afterFailures: failures, atMost: bound, using: &$0)
        }
        waiting.backOff(id, due: now.advanced(byNanoseconds: delay), in: &requests)
        return .later
    }

    /// Makes another attempt that counts, unless there is none left or it would come too late.
    private mutating func tryAgain(
        _ id: RequestID, _ cause: RetryPolicy.Cause, now: Instant
    ) -> EndedAction {
        let retry = settings.retry
        let attempts = max(Int(requests[id].attempts) - Int(requests[id].freeAttempts), 1)
        let delay = drawn(id) { retry.delay(afterAttempts: attempts, cause, using: &$0) }
        guard let delay else { return hold(id) }
        let due = now.advanced(byNanoseconds: delay)
        guard due < requests[id].notAfter else { return hold(id) }
        waiting.backOff(id, due: due, in: &requests)
        return .later
    }

    private mutating func drawn<Wait>(
        _ id: RequestID, _ wait: (inout SplitMix64) -> Wait
    ) -> Wait {
        guard requests[id].sharesWait else { return wait(&generator) }
        requests[id].sharesWait = false
        var shared = sharedWait
        return wait(&shared)
    }

    /// Takes back a request that is ready, because the time for another attempt is over.
    ///
    /// Next it is `finished`.
    package mutating func giveUp(_ id: RequestID) {
        precondition(requests[id].phase == .ready, "BUG: given up while \(requests[id].phase)")
        waiting.leaveReady(id, in: &requests)
        requests[id].phase = .held
    }

    /// Takes back any request that is waiting, because nothing starts any more.
    ///
    /// Next it is `finished`.
    package mutating func giveUpNext() -> RequestID? {
        guard let id = waiting.popAny(in: &requests) else { return nil }
        requests[id].phase = .held
        return id
    }

    /// Notes that the row is reported; its number is free for another.
    package mutating func finished(_ id: RequestID) {
        requests.release(id)
    }

    /// Returns the oldest request on a connection whose time for an answer is over.
    package func overdue(on connection: Int, now: Instant) -> RequestID? {
        let oldest = connections[connection].inFlight.first
        guard oldest >= 0 else { return nil }
        let started = requests[oldest].startedAt
        return now >= started.advanced(byNanoseconds: settings.timeoutNanoseconds) ? oldest : nil
    }

    /// Returns the oldest request on a connection, for sweeping one that is lost.
    package func oldest(on connection: Int) -> RequestID? {
        let oldest = connections[connection].inFlight.first
        return oldest >= 0 ? oldest : nil
    }

    /// Returns the time when the oldest request on a connection started.
    package func oldestStart(on connection: Int) -> Instant? {
        oldest(on: connection).map { requests[$0].startedAt }
    }

    /// True if another row may be taken up: rows that wait are bounded.
    package var mayTakeUp: Bool {
        waiting.firstReady == nil && waitingCount < settings.backingOffMax
    }

    /// True if no request is left anywhere.
    package var isIdle: Bool { requests.count == 0 }

    /// Requests taken up and not finished.
    package var unfinishedCount: Int { requests.count }

    /// Returns a request that may be what ends connections, if it can go now: alone, and behind all others.
    ///
    /// Where it is the reason, it ends a connection with nothing else on it; and where it is not, it is answered.
    package mutating func nextSuspect() -> RequestID? {
        guard inFlightCount == 0, waiting.firstReady == nil else { return nil }
        return waiting.releaseSuspect(in: &requests)
    }

    /// True if a request was on its way when its connection was cut, and has not been answered since.
    package func wasCut(_ id: RequestID) -> Bool { requests[id].cuts > 0 }

    /// True if another row may be taken up before those that are ready.
    package var mayTakeUpFirst: Bool { waitingCount < settings.backingOffMax }

    /// Requests that wait for their next attempt.
    package var waitingCount: Int { waiting.retryCount }

    /// True if a row that waits for its next attempt may be ready before a moment.
    package func hasRetry(before moment: Instant) -> Bool {
        waiting.nextDue.map { $0 < moment } ?? false
    }

    /// True if a request would start now if there were room.
    package func hasReady(now: Instant) -> Bool {
        waiting.hasReady(now: now) || waiting.hasSuspect && inFlightCount == 0
    }
}
