import FanfareBase

/// The requests of a lane that wait for a start: those that are ready, in their order, and those
/// whose retry is not due or not paid for.
///
/// ```
///  back-off ──► due ──► over budget ──► ready ──► started, or taken back
/// ```
/// One that may be what ends connections is set aside when it is due, until nothing else is to be sent.
/// The entries are in the lane's table; the lists run through it.
struct WaitingRequests: ~Copyable {
    private let inPlace = InPlace()
    private var ready = RequestList()
    private var retries = RetryQueue()
    /// Retries that are due and have to wait for the budget.
    private var overBudget = RequestList()
    /// Those that may be what ends connections, when they are due.
    private var suspects = RequestList()
    private var budget: RetryBudget

    /// - Parameter retry: The policy, which has the budget's share.
    init(_ retry: RetryPolicy) { budget = RetryBudget(share: retry.budgetShare) }

    // MARK: In

    /// Puts a request behind those that are ready.
    @inline(__always)
    mutating func becomeReady(_ id: RequestID, in requests: inout RequestTable) {
        requests[id].phase = .ready
        requests[id].sharesWait = false
        requests.append(id, to: &ready)
    }

    /// Lets a request wait for the time of its next attempt.
    mutating func backOff(_ id: RequestID, due: Instant, in requests: inout RequestTable) {
        requests[id].phase = .backingOff
        retries.insert(id, due: due)
    }

    /// Lets a request wait until nothing else is to be sent.
    mutating func setAside(_ id: RequestID, in requests: inout RequestTable) {
        requests[id].phase = .setAside
        requests.append(id, to: &suspects)
    }

    /// Notes the first attempt of a row, of which retries have a share.
    @inline(__always)
    mutating func firstAttemptStarted() { budget.firstAttemptStarted() }

    /// Notes that a retry has got its row done.
    @inline(__always)
    mutating func retryHasSucceeded(now: Instant) { budget.giveBack(now: now) }

    /// Notes that a retry was answered with "too many requests": see `RetryBudget.wasTooMany`.
    mutating func retryWasTooMany(started: Instant, now: Instant) {
        budget.wasTooMany(started: started, now: now)
    }

    /// True while retries are slowed down: see `RetryBudget.wasTooMany`.
    var isSlowed: Bool { budget.isSlowed }

    // MARK: Out

    /// Takes a request out of those that are ready; its next phase is the caller's to set.
    @inline(__always)
    mutating func leaveReady(_ id: RequestID, in requests: inout RequestTable) {
        requests.remove(id, from: &ready)
    }

    /// Returns the request that has been ready longest; those whose back-off is over become ready
    /// first, as far as the budget allows.
    /// - Parameters:
    ///   - rowsOfRequest: The most rows that share a request, and its price.
    ///   - requests: The lane's requests.
    ///   - now: The time.
    /// - Returns: The request, which stays among those that are ready; `nil` if there is none.
    @inline(__always)
    mutating func next(
        rowsOfRequest: Int, in requests: inout RequestTable, now: Instant
    ) -> RequestID? {
        while let due = retries.popDue(now: now) {
            if requests[due].isSuspect {
                setAside(due, in: &requests)
            } else if requests[due].attempts == 0 || requests[due].holdsToken {
                becomeReady(due, in: &requests)
            } else {
                requests[due].phase = .overBudget
                requests.append(due, to: &overBudget)
            }
        }
        while overBudget.first >= 0, budget.take(now: now) {
            // Rows that shared a request share the price of the next one.
            let started = requests[overBudget.first].startedAt
            for place in 0..<rowsOfRequest {
                let id = overBudget.first
                guard id >= 0, requests[id].startedAt == started else { break }
                requests.remove(id, from: &overBudget)
                requests[id].holdsToken = place == 0
                becomeReady(id, in: &requests)
            }
        }
        return firstReady
    }

    /// Makes the first of the requests ready that may be what ends connections.
    mutating func releaseSuspect(in requests: inout RequestTable) -> RequestID? {
        let id = suspects.first
        guard id >= 0 else { return nil }
        requests.remove(id, from: &suspects)
        becomeReady(id, in: &requests)
        return id
    }

    /// Takes out any request, because nothing starts any more; its next phase is the caller's to set.
    mutating func popAny(in requests: inout RequestTable) -> RequestID? {
        if let id = firstReady {
            requests.remove(id, from: &ready)
            return id
        }
        if overBudget.first >= 0 {
            let id = overBudget.first
            requests.remove(id, from: &overBudget)
            return id
        }
        if suspects.first >= 0 {
            let id = suspects.first
            requests.remove(id, from: &suspects)
            return id
        }
        return retries.popFirst()
    }

    // MARK: Views

    /// The request that has been ready longest.
    @inline(__always)
    var firstReady: RequestID? { ready.first >= 0 ? ready.first : nil }

    /// Requests that wait for their next attempt.
    @inline(__always)
    var retryCount: Int { retries.count + overBudget.count + suspects.count }

    /// True if one of them may be what ends connections, and is due.
    @inline(__always)
    var hasSuspect: Bool { suspects.first >= 0 }

    /// The time of the next back-off that ends.
    @inline(__always)
    var nextDue: Instant? { retries.nextDue }

    /// Returns the time when the budget has a token for a retry that is due; `nil` if none waits.
    func nextToken(now: Instant) -> Instant? {
        overBudget.first >= 0 ? budget.nextToken(now: now) : nil
    }

    /// True if a request would start now if there were room.
    func hasReady(now: Instant) -> Bool {
        if ready.first >= 0 { return true }
        if let due = retries.nextDue, due <= now { return true }
        return nextToken(now: now).map { $0 <= now } ?? false
    }
}
