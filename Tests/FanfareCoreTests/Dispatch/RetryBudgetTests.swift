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

    /// Retries of a lane with any number of rows, at a service that takes some.
    private struct Retries {
        var budget = RetryBudget(share: 0)
        var roundTrip = 0.1
        private(set) var taken = 0
        private(set) var refused = 0

        mutating func run(seconds: Double, takes: (Double) -> Bool) {
            var answers: [(start: Double, isTaken: Bool)] = []
            var now = 1.0
            while now < 1 + seconds {
                let moment = Instant(nanoseconds: Int64(now * 1e9))
                while let first = answers.first, first.start + roundTrip <= now {
                    answers.removeFirst()
                    let start = Instant(nanoseconds: Int64(first.start * 1e9))
                    if first.isTaken {
                        taken += 1
                        budget.giveBack(now: moment)
                    } else {
                        refused += 1
                        budget.wasTooMany(started: start, now: moment)
                    }
                }
                while budget.take(now: moment) {
                    answers.append((now, takes(now + roundTrip / 2)))
                }
                let token = Double(budget.nextToken(now: moment).nanoseconds) / 1e9
                now = max(min(token, (answers.first?.start ?? .infinity) + roundTrip), now + 1e-6)
            }
        }
    }

    @Test func `a provider that only says that there are too many is asked ever more slowly`() {
        var retries = Retries()
        retries.run(seconds: 3600) { _ in false }
        // Fifty at once; then four behind each doubling of 0.1 seconds, of which the first may be under way when the
        // answer comes; then one in 6.4 seconds, not ten a second.
        let doublings = 6
        #expect(retries.refused >= 50 + 3600 * 10 / 64 - 10)
        #expect(retries.refused <= 50 + 3600 * 10 / 64 + 5 * doublings)
    }

    @Test(arguments: [0.02, 0.1, 0.5])
    func `a provider that takes one in five seconds gets nearly all that it takes`(
        roundTrip: Double
    ) {
        var retries = Retries(roundTrip: roundTrip)
        var next = 0.0
        retries.run(seconds: 600) { now in
            guard now >= next else { return false }
            next = now + 5
            return true
        }
        // 120 would be all; ten a second would be 6,000.
        #expect(retries.taken >= 110)
        #expect(retries.refused <= 50 + 11 * 120)
    }

    /// Windows of one second with a hundred requests each: the round trip is the bound, with and without slowing.
    @Test func `a provider whose windows are short is asked in each of them`() {
        var retries = Retries(roundTrip: 0.02)
        var (window, count) = (0, 0)
        retries.run(seconds: 60) { now in
            if Int(now) != window { (window, count) = (Int(now), 0) }
            count += 1
            return count <= 100
        }
        #expect(retries.taken >= 5900)
    }

    @Test func `the refusals of one flight slow it down once`() {
        var budget = RetryBudget(share: 0)
        _ = emptied(&budget, at: seconds(1))
        for _ in 0..<50 {
            budget.wasTooMany(started: seconds(1), now: seconds(1.1))
        }
        // A tenth of a second has brought one.
        #expect(emptied(&budget, at: seconds(1.1)) == 1)
        #expect(budget.nextToken(now: seconds(1.1)) == seconds(1.3))
    }

    @Test func `what can be saved up is bounded`() {
        var budget = RetryBudget(share: 1)
        for _ in 0..<Int(Limits.retryBudgetMax) + 1000 { budget.firstAttemptStarted() }
        #expect(emptied(&budget, at: seconds(1)) == Int(Limits.retryBudgetMax))
    }
}
