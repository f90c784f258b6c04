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
        budget.giveBack(now: seconds(1))
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

    @Test func `a provider that only says that there are too many is asked ever more slowly`() {
        var budget = RetryBudget(share: 0)
        var now = seconds(1)
        var starts: [Instant] = []
        while now < seconds(1 + 3600) {
            while budget.take(now: now) {
                starts.append(now)
                budget.wasTooMany(now: now)
            }
            now = budget.nextToken(now: now)
        }
        // Fifty at once, which double the interval as often as it goes; then one in 6.4 seconds, not ten a second.
        #expect(starts.count == 50 + 3600 * 10 / 64)
    }

    @Test func `a provider that takes one in five seconds is asked for a few in vain`() {
        var budget = RetryBudget(share: 0)
        var now = seconds(1)
        var (refused, taken) = (0, 0)
        var next = now
        while now < seconds(1 + 600) {
            while budget.take(now: now) {
                if now >= next {
                    next = now.advanced(by: .seconds(5))
                    taken += 1
                    budget.giveBack(now: now)
                } else {
                    refused += 1
                    budget.wasTooMany(now: now)
                }
            }
            now = budget.nextToken(now: now)
        }
        // 120 would be all that it takes; ten a second would be 6,000.
        #expect(taken >= 60)
        #expect(refused <= 50 + 6 * 120)
    }

    @Test func `what can be saved up is bounded`() {
        var budget = RetryBudget(share: 1)
        for _ in 0..<Int(Limits.retryBudgetMax) + 1000 { budget.firstAttemptStarted() }
        #expect(emptied(&budget, at: seconds(1)) == Int(Limits.retryBudgetMax))
    }
}
