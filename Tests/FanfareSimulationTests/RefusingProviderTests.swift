import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// Providers, and what stands in front of them, that answer and take nothing.
@Suite struct RefusingProviderTests {
    private static let second = SimulationPlan.second

    private static func refusing(
        _ answer: ScenarioAnswer, from first: UInt64 = 0,
        _ change: (inout SimulationPlan) -> Void = { _ in }
    ) -> SimulationPlan {
        .distant(rows: 5_000) {
            $0.patience = .seconds(120)
            $0.provider.scenario = .rule {
                $0.condition.afterRequests = first
                $0.action.stream = .answer(answer)
            }
            change(&$0)
        }
    }

    // MARK: Given up

    /// An answer that is not the provider's, from the start, means a wrong address: a minute.
    @Test(
        arguments: [
            (503, "ServiceUnavailable", 120), (500, "InternalServerError", 120), (502, "", 120),
            (429, "", 120), (403, "", 60), (404, "", 60), (301, "", 60),
        ])
    func `a provider that takes nothing is given up, and the rows are left`(
        status: Int, reason: String, seconds: Int
    ) {
        let answer = ScenarioAnswer(status: status, reason: reason)
        let world = SimulatedWorld.run(Self.refusing(answer))
        let time = seconds == 60 ? "1 min 00 s" : "2 min 00 s"
        #expect(world.engine.stop?.kind == .refused)
        #expect(
            world.engine.stop?.message
                == "the provider has refused every request for \(time): it answers \(status) "
                + (reason.isEmpty ? "without a reason" : reason))
        #expect(world.elapsed >= seconds * Self.second)
        #expect(world.elapsed < (seconds + 5) * Self.second)
        #expect(Set(world.outcomes.keys).isSubset(of: ["failed", "throttled"]))
        #expect(world.ledger.lines.count < 2_500)
    }

    /// A load balancer that loses its backend, a portal that wants a login.
    @Test(arguments: [404, 301, 403])
    func `what comes between in the middle of a job burns no list`(status: Int) {
        let world = SimulatedWorld.run(Self.refusing(ScenarioAnswer(status: status), from: 1_000))
        #expect(world.engine.stop?.kind == .refused)
        #expect(world.outcomes["accepted"] == 1_000)
        #expect(world.outcomes["rejected"] == nil)
        // A list of 4,000 has its first attempts, and retries have a budget.
        #expect(world.outcomes["failed", default: 0] < 1_000)
        #expect(world.elapsed >= 120 * Self.second && world.elapsed < 130 * Self.second)
    }

    @Test func `a provider that asks for a second without end is given up, too`() {
        let world = SimulatedWorld.run(
            Self.refusing(ScenarioAnswer(status: 429, retryAfter: "1")))
        #expect(world.engine.stop?.kind == .refused)
        #expect(world.elapsed >= 120 * Self.second && world.elapsed < 130 * Self.second)
    }

    // MARK: Put up with

    @Test func `a provider that takes one request in ten goes on`() {
        var taken = Scenario.Rule()
        taken.condition.everyNth = 10
        var refused = Scenario.Rule()
        refused.action.stream = .answer(ScenarioAnswer(status: 503, reason: "ServiceUnavailable"))
        let world = SimulatedWorld.run(
            .distant(rows: 500) {
                $0.patience = .seconds(60)
                $0.attemptsMax = 1_000
                $0.delayMax = .seconds(1)
                $0.provider.scenario = Scenario(rules: [taken, refused])
            })
        #expect(world.engine.stop == nil)
        #expect(world.outcomes == ["accepted": 500])
        #expect(world.elapsed > 60 * Self.second)
    }

    /// Twice five minutes where one is put up with.
    @Test func `the time that a provider asks for is not held against it`() {
        let world = SimulatedWorld.run(
            .distant(rows: 100) {
                $0.patience = .seconds(60)
                $0.provider.scenario = .answer(
                    ScenarioAnswer(status: 503, reason: "ServiceUnavailable", retryAfter: "300"),
                    toFirst: 2)
            })
        #expect(world.engine.stop == nil)
        #expect(world.outcomes == ["accepted": 100])
        #expect(world.elapsed >= 600 * Self.second && world.elapsed < 630 * Self.second)
    }

    /// FCM, whose 503 leaves it open whether the message was sent.
    private static func inDoubt(
        rows: Int = 100, resends: Bool, _ scenario: Scenario
    ) -> SimulationPlan {
        .distant(rows: rows) {
            $0.kind = .fcm
            $0.resendsInDoubt = resends
            $0.patience = .seconds(60)
            $0.provider.fcm.acceptsAnonymous = true
            $0.provider.scenario = scenario
        }
    }

    @Test func `the time that a provider asks rows in doubt to wait is not held against it`() {
        let answer = ScenarioAnswer(status: 503, reason: "UNAVAILABLE", retryAfter: "300")
        let world = SimulatedWorld.run(
            Self.inDoubt(resends: true, .answer(answer, toFirst: 2)))
        #expect(world.engine.stop == nil)
        #expect(world.outcomes == ["accepted": 100])
        #expect(world.elapsed >= 600 * Self.second && world.elapsed < 630 * Self.second)
    }

    @Test(arguments: ["", "300"])
    func `an outage that leaves rows in doubt costs few of them`(retryAfter: String) {
        let answer = ScenarioAnswer(status: 503, reason: "UNAVAILABLE", retryAfter: retryAfter)
        let world = SimulatedWorld.run(
            Self.inDoubt(
                rows: 5_000, resends: false, .rule { $0.action.stream = .answer(answer) }))
        #expect(world.engine.stop?.kind == .refused)
        #expect(Set(world.outcomes.keys) == ["unknown"])
        // Twenty, what was on its way with them, and those that have asked since.
        #expect(world.outcomes["unknown", default: 0] < 150)
        // It is held against the provider from one answer to the next.
        #expect(world.elapsed >= 60 * Self.second && world.elapsed < 75 * Self.second)
    }

    @Test func `behind an outage the other rows are sent`() {
        var again = Scenario.Rule()
        again.condition.afterNanoseconds = 40_000_000_000
        var down = Scenario.Rule()
        down.action.stream = .answer(ScenarioAnswer(status: 503, reason: "UNAVAILABLE"))
        let world = SimulatedWorld.run(
            Self.inDoubt(rows: 5_000, resends: false, Scenario(rules: [again, down])))
        #expect(world.engine.stop == nil)
        let unknown = world.outcomes["unknown", default: 0]
        #expect((DoubtRun.least..<150).contains(unknown))
        #expect(world.outcomes == ["unknown": unknown, "accepted": 5_000 - unknown])
        #expect(world.elapsed >= 40 * Self.second && world.elapsed < 130 * Self.second)
    }
}
