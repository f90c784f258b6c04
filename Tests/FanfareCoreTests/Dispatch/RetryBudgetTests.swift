import FanfareBase
import FanfareCore
import Testing

@Suite struct RetryBudgetTests {
    private func seconds(_ value: Double) -> Instant { Instant(nanoseconds: Int64(value * 1e9)) }

    private func emptied(_ budget: inout RetryBudget, at now: Instant) -> Int {
        var count = 0
        while budget.take(now: now) { count += 1 }
        return count
    }

    @Test func `a small job may retry at all`() {
        var budget = RetryBudget(share: 0.2)
        #expect(emptied(&budget, at: seconds(1)) == Int(Limits.retryBudgetFloor))
    }

    @Test func `a long pause brings as many retries as a small job has, and no more`() {
        var budget = RetryBudget(share: 0.2)
        _ = emptied(&budget, at: seconds(1))
        // Ten a second: fifty take 5 s.
        #expect(emptied(&budget, at: seconds(5)) == 40)
        #expect(emptied(&budget, at: seconds(1000)) == Int(Limits.retryBudgetFloor))
        // The savings of a large job are not touched.
        for _ in 0..<1000 { budget.firstAttemptStarted() }
        #expect(emptied(&budget, at: seconds(2000)) == 200)
    }

    @Test func `a fifth of the first attempts may be retried`() {
        var budget = RetryBudget(share: 0.2)
        _ = emptied(&budget, at: seconds(1))
        for _ in 0..<1000 { budget.firstAttemptStarted() }
        #expect(emptied(&budget, at: seconds(1)) == 200)
    }

    @Test func `a retry that got its row done is given back`() {
        var budget = RetryBudget(share: 0)
        _ = emptied(&budget, at: seconds(1))
        budget.giveBack()
        #expect(emptied(&budget, at: seconds(1)) == 1)
    }

    @Test func `a lane that waits gets a retry in the end`() {
        var budget = RetryBudget(share: 0.2)
        let now = seconds(1)
        _ = emptied(&budget, at: now)
        let next = budget.nextToken(now: now)
        #expect(next == now.advanced(by: Limits.retryTrickle))
        let early = budget.take(now: Instant(nanoseconds: next.nanoseconds - 1))
        let due = budget.take(now: next)
        #expect(!early && due)
    }

    @Test func `asking often does not keep the trickle from coming`() {
        var budget = RetryBudget(share: 0.2)
        let now = seconds(1)
        _ = emptied(&budget, at: now)
        var moment = now
        var asked = 0
        while !budget.take(now: moment), asked < 3_000_000 {
            moment = moment.advanced(byNanoseconds: 77)
            asked += 1
        }
        #expect(moment.nanoseconds(since: now) < 101_000_000)
    }

    @Test func `what can be saved up is bounded`() {
        var budget = RetryBudget(share: 1)
        for _ in 0..<Int(Limits.retryBudgetMax) + 1000 { budget.firstAttemptStarted() }
        #expect(emptied(&budget, at: seconds(1)) == Int(Limits.retryBudgetMax))
    }
}
