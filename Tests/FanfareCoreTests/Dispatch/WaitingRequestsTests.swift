import FanfareBase
import Testing

@testable import FanfareCore

@Suite struct WaitingRequestsTests {
    private let now = Instant(nanoseconds: 1_000_000_000)

    /// Makes so many requests, each with an attempt behind it.
    private func makeRequests(_ count: Int) -> RequestTable {
        var requests = RequestTable()
        for _ in 0..<count {
            let id = requests.take()
            requests[id].attempts = 1
        }
        return requests
    }

    private func later(_ milliseconds: Int64) -> Instant {
        now.advanced(byNanoseconds: milliseconds * 1_000_000)
    }

    @Test func `a request whose time has come is ready until it leaves`() {
        var requests = makeRequests(2)
        var waiting = WaitingRequests(RetryPolicy())
        waiting.backOff(0, due: later(20), in: &requests)
        waiting.backOff(1, due: later(10), in: &requests)
        #expect(waiting.nextDue == later(10))
        let isEarly = waiting.hasReady(now: later(9))
        #expect(!isEarly)
        let isDue = waiting.hasReady(now: later(10))
        #expect(isDue)
        let none = waiting.next(rowsOfRequest: 1, in: &requests, now: later(9))
        #expect(none == nil)
        for _ in 0..<2 {
            let first = waiting.next(rowsOfRequest: 1, in: &requests, now: later(10))
            #expect(first == 1)
        }
        #expect(requests[1].phase == .ready)
        #expect(requests[1].holdsToken)
        #expect(waiting.retryCount == 1)
        waiting.leaveReady(1, in: &requests)
        #expect(waiting.firstReady == nil)
    }

    @Test func `a retry that finds no token waits for the next one, also that of request 0`() {
        let count = Int(Limits.retryBudgetFloor)
        var requests = makeRequests(count + 1)
        var waiting = WaitingRequests(RetryPolicy())
        for id in 1...RequestID(count) { waiting.backOff(id, due: now, in: &requests) }
        waiting.backOff(0, due: later(1), in: &requests)
        _ = waiting.next(rowsOfRequest: 1, in: &requests, now: now)
        #expect(waiting.nextToken(now: now) == nil)
        for id in 1...RequestID(count) { waiting.leaveReady(id, in: &requests) }
        let none = waiting.next(rowsOfRequest: 1, in: &requests, now: later(1))
        #expect(none == nil)
        #expect(requests[0].phase == .overBudget)
        #expect(waiting.retryCount == 1)
        #expect(waiting.nextDue == nil)
        // Ten tokens a second trickle in.
        #expect(waiting.nextToken(now: later(1)) == later(100))
        let isEarly = waiting.hasReady(now: later(99))
        #expect(!isEarly)
        let isDue = waiting.hasReady(now: later(100))
        #expect(isDue)
        let first = waiting.next(rowsOfRequest: 1, in: &requests, now: later(100))
        #expect(first == 0)
        #expect(requests[0].holdsToken)
        #expect(waiting.retryCount == 0)
    }

    @Test func `a request that has its token, or had no attempt, needs none`() {
        let count = Int(Limits.retryBudgetFloor)
        var requests = makeRequests(count + 2)
        var waiting = WaitingRequests(RetryPolicy())
        for id in 0..<RequestID(count) { waiting.backOff(id, due: now, in: &requests) }
        _ = waiting.next(rowsOfRequest: 1, in: &requests, now: now)
        for id in 0..<RequestID(count) { waiting.leaveReady(id, in: &requests) }
        let (paid, fresh) = (RequestID(count), RequestID(count + 1))
        requests[paid].holdsToken = true
        requests[fresh].attempts = 0
        waiting.backOff(paid, due: now, in: &requests)
        waiting.backOff(fresh, due: later(1), in: &requests)
        let first = waiting.next(rowsOfRequest: 1, in: &requests, now: later(1))
        #expect(first == paid)
        #expect(requests[fresh].phase == .ready)
        #expect(!requests[fresh].holdsToken)
    }

    @Test func `what is taken back is ready, over the budget or backing off, in this order`() {
        let count = Int(Limits.retryBudgetFloor)
        var requests = makeRequests(count + 2)
        var waiting = WaitingRequests(RetryPolicy())
        for id in 0...RequestID(count) {
            waiting.backOff(id, due: later(Int64(id)), in: &requests)
        }
        _ = waiting.next(rowsOfRequest: 1, in: &requests, now: now)
        // One request is ready before the others are due; the last one finds no token.
        waiting.backOff(RequestID(count + 1), due: later(10_000), in: &requests)
        _ = waiting.next(rowsOfRequest: 1, in: &requests, now: later(Int64(count)))
        var taken: [RequestID] = []
        while let id = waiting.popAny(in: &requests) { taken.append(id) }
        #expect(taken == Array(0...RequestID(count + 1)))
        #expect(waiting.retryCount == 0)
        let isLeft = waiting.hasReady(now: later(20_000))
        #expect(!isLeft)
    }
}
