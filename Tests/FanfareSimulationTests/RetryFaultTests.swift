import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// The rows that are tried again, and those that are not.
@Suite struct RetryFaultTests {
    private static let second = SimulationPlan.second

    @Test func `503 - the row is tried again until attempts run out`() {
        let world = SimulatedWorld.run(
            .quiet { $0.provider.scenario = .answer(ScenarioAnswer(status: 503)) })
        #expect(world.outcomes == ["failed": 3])
        #expect(world.engine.books.report.tally.attempts == 9)
    }

    /// The simulated wall clock begins at 2023-11-14T22:30:00Z: 1,700,000,000 s and 1,000 s.
    @Test(arguments: [
        "30", "Tue, 14 Nov 2023 22:30:30 GMT", "Tuesday, 14-Nov-23 22:30:30 GMT",
        "Tue Nov 14 22:30:30 2023",
    ])
    func `Retry-After - the row waits as long as it says`(text: String) {
        let world = SimulatedWorld.run(
            .quiet {
                $0.provider.scenario = .answer(
                    ScenarioAnswer(status: 429, retryAfter: text), toFirst: 1)
            })
        #expect(world.outcomes == ["accepted": 3])
        #expect(world.elapsed >= 29 * Self.second && world.elapsed < 32 * Self.second)
    }

    @Test func `429 TooManyRequests - the row waits by itself, the others go on`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 50
                $0.provider.scenario = .rule {
                    $0.condition.everyNth = 50
                    $0.action.stream = .answer(
                        ScenarioAnswer(status: 429, reason: "TooManyRequests"))
                }
            })
        #expect(world.outcomes == ["accepted": 50])
        #expect(world.elapsed >= 5 * Self.second && world.elapsed < 6 * Self.second)
    }

    @Test func `an outage of the provider - retries stay within their budget`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 500
                $0.attemptsMax = 5
                $0.delayMax = .milliseconds(20)
                $0.until = 10 * Self.second
                $0.patience = .seconds(60)
                $0.provider.scenario = .answer(ScenarioAnswer(status: 503))
            })
        #expect(world.outcomes["failed"] == 500)
        // The floor, a fifth of the first attempts, and ten a second.
        let retries = world.ledger.requestsReceived - 500
        #expect(retries > 200 && retries <= 50 + 100 + 100)
    }

    @Test func `an outage of the provider that ends - no row is lost to the budget`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 500
                $0.attemptsMax = 5
                $0.patience = .seconds(60)
                $0.provider.scenario = .answer(ScenarioAnswer(status: 503), toFirst: 2)
            })
        #expect(world.outcomes == ["accepted": 500])
        // 500 retries are in vain: 150 at once, the others at ten a second. Those that succeed cost
        // nothing; if they did, it would be 85 seconds.
        #expect(world.elapsed < 60 * Self.second)
    }

    @Test func `the deadline of the job - what has not started is skipped`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.rowCount = 100
                $0.batchRows = 1...1
                $0.batchGap = 100 * SimulationPlan.millisecond...100 * SimulationPlan.millisecond
                $0.until = 5 * Self.second
            })
        let skipped = world.outcomes["skipped"] ?? 0
        #expect((45...55).contains(skipped))
        #expect(world.outcomes["accepted"] == 100 - skipped)
        #expect(world.engine.stop == nil)
    }

    @Test func `the deadline of the job - a row that waits keeps the answer that it had`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.until = 3 * Self.second
                $0.provider.scenario = .answer(
                    ScenarioAnswer(status: 503, reason: "ServiceUnavailable", retryAfter: "2"))
            })
        #expect(world.outcomes == ["failed": 3])
        #expect(world.ledger.lines.values.allSatisfy { $0.reason == "ServiceUnavailable" })
        #expect(world.elapsed <= 3 * Self.second)
    }

    @Test func `the deadline passes with no connection - the rows are skipped, and the job ends`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.until = 1 * Self.second
                $0.network.hangingDials = 1
                $0.connectTimeout = .seconds(30)
            })
        #expect(world.outcomes == ["skipped": 3])
        #expect(world.elapsed <= 2 * Self.second)
    }

    @Test func `a notification that has expired is not tried again`() {
        let world = SimulatedWorld.run(
            .quiet {
                $0.attemptsMax = 100
                $0.expiration = 3 * Self.second
                $0.provider.scenario = .answer(ScenarioAnswer(status: 503, retryAfter: "1"))
            })
        #expect(world.outcomes == ["failed": 3])
        #expect(world.elapsed < 4 * Self.second)
        #expect(world.engine.books.report.tally.attempts < 12)
    }
}
