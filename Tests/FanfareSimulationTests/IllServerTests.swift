import FanfareBase
import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// Servers that are ill for a while, or for good: what they cost, and when they are given up.
@Suite struct IllServerTests {
    private static let second = SimulationPlan.second
    private static let minute = 60 * second

    // MARK: Outages

    /// The provider closes its first connection after a second, and takes none for a while.
    @Test(arguments: [40, 600])
    func `an outage ends no job, and no row is in doubt but those that were on the way`(
        seconds: Int
    ) {
        let world = SimulatedWorld.run(
            .distant(rows: 3_000) {
                $0.pace = PaceSettings(count: 1000, period: Int64(Self.second))
                $0.network.outage = Self.second..<seconds * Self.second
                $0.provider.scenario = .rule {
                    $0.condition.connections = 1...1
                    $0.condition.afterNanoseconds = Int64(Self.second)
                    $0.action.closesConnection = true
                }
            })
        #expect(world.engine.stop == nil)
        // 1,000/s for 42 ms.
        #expect(world.outcomes["unknown", default: 0] <= 50)
        #expect(world.outcomes["accepted", default: 0] >= 2_950)
        // Dials are 10 s apart at most.
        #expect(world.elapsed < (seconds + 13) * Self.second)
        #expect(world.links.count < 2 * seconds)
    }

    /// A balancer that takes connections and cuts each with its first request: 80 are ten minutes.
    @Test func `an outage behind a balancer that takes connections ends no job`() {
        var cut = Scenario.Rule()
        cut.condition.connections = 2...81
        cut.action.closesConnection = true
        var first = Scenario.Rule()
        first.condition.connections = 1...1
        first.condition.afterRequests = 500
        first.action.closesConnection = true
        let world = SimulatedWorld.run(
            .distant(rows: 2_000) {
                $0.provider.scenario = Scenario(rules: [cut, first])
            })
        #expect(world.engine.stop == nil)
        #expect(world.elapsed > 400 * Self.second && world.elapsed < 15 * Self.minute)
        // A flight, and one on each of the 80.
        #expect(world.outcomes["unknown", default: 0] <= 80 + 600)
        #expect(world.links.count < 90)
        #expect(world.outcomes["accepted", default: 0] >= 2_000 - 680)
    }

    @Test(arguments: [1, 4])
    func `a burst of resets ends no job`(connections: Int) {
        var reset = Scenario.Rule()
        reset.condition.connections = 1...8
        reset.condition.afterRequests = 300
        reset.action.stream = .reset(errorCode: 2)
        let world = SimulatedWorld.run(
            .distant(rows: 4_000) {
                $0.connections = connections
                $0.provider.scenario = Scenario(rules: [reset])
            })
        #expect(world.engine.stop == nil)
        #expect(world.outcomes["accepted", default: 0] >= 2_000)
    }

    @Test func `an outage that outlasts the job's patience stops it, and its rows are left`() {
        let world = SimulatedWorld.run(
            .distant(rows: 3_000) {
                $0.pace = PaceSettings(count: 1000, period: Int64(Self.second))
                $0.patience = .seconds(120)
                $0.network.outage = Self.second..<Int.max / 2
                $0.provider.scenario = .rule {
                    $0.condition.connections = 1...1
                    $0.condition.afterNanoseconds = Int64(Self.second)
                    $0.action.closesConnection = true
                }
            })
        #expect(world.engine.stop?.kind == .refused)
        // Until the first dial behind that time.
        let message = world.engine.stop?.message ?? ""
        #expect(message.hasPrefix("no answer from the provider for 2 min "), "\(message)")
        #expect(message.hasSuffix(" s: connection refused"), "\(message)")
        #expect(world.elapsed > 120 * Self.second && world.elapsed < 135 * Self.second)
    }

    @Test func `a provider that is out is not given up while another one answers`() {
        let world = SimulatedWorld.run(
            .distant(rows: 3_000) {
                $0.pace = PaceSettings(count: 1000, period: Int64(Self.second))
                $0.patience = .seconds(120)
                $0.otherRouteAnswersUntil = 600 * Self.second
                $0.network.outage = Self.second..<Int.max / 2
                $0.provider.scenario = .rule {
                    $0.condition.connections = 1...1
                    $0.condition.afterNanoseconds = Int64(Self.second)
                    $0.action.closesConnection = true
                }
            })
        #expect(world.engine.stop?.kind == .refused)
        #expect(world.elapsed > 720 * Self.second && world.elapsed < 735 * Self.second)
    }

    @Test func `a provider that is back in time sends its rows`() {
        let world = SimulatedWorld.run(
            .distant(rows: 3_000) {
                $0.pace = PaceSettings(count: 1000, period: Int64(Self.second))
                $0.patience = .seconds(120)
                $0.otherRouteAnswersUntil = 600 * Self.second
                $0.network.outage = Self.second..<500 * Self.second
                $0.provider.scenario = .rule {
                    $0.condition.connections = 1...1
                    $0.condition.afterNanoseconds = Int64(Self.second)
                    $0.action.closesConnection = true
                }
            })
        #expect(world.engine.stop == nil)
        #expect(world.outcomes["accepted", default: 0] >= 2_900)
    }

    // MARK: Connections that are cut

    @Test func `a server that cuts after each 100 answers takes few rows with it`() {
        let rows = 3_000
        let world = SimulatedWorld.run(
            .distant(rows: rows) {
                $0.provider.scenario = .rule {
                    $0.condition.afterRequests = 100
                    $0.action.closesConnection = true
                }
            })
        // The first cuts find as many in flight as a clean start has, twice the first window: each halves
        // it. Then it is a few each time.
        #expect(world.outcomes["unknown", default: 0] <= 4 * Limits.adaptiveStart + rows / 20)
        let late = world.ledger.lines.count { $0.key > 1_000 && $0.value.outcome == "unknown" }
        #expect(late <= 100)
        #expect(world.engine.stop == nil)
    }

    // MARK: ENHANCE_YOUR_CALM

    /// A server that takes 500/s on a connection, ten at once, and resets what comes beyond.
    private static func calming(_ change: (inout SimulationPlan) -> Void) -> SimulationPlan {
        .distant(rows: 3_000) {
            $0.provider.latency = .fixed(.milliseconds(20))
            $0.provider.scenario = .rule {
                $0.condition.rateLimit = Scenario.RateLimit(
                    nanosecondsPerRequest: 2_000_000, burst: 10, scope: .connection)
                $0.action.stream = .reset(errorCode: 11)
            }
            change(&$0)
        }
    }

    @Test func `streams reset for calm bring fewer in flight, and no more connections`() {
        let world = SimulatedWorld.run(Self.calming { $0.connectionsMax = 64 })
        #expect(world.outcomes["unknown", default: 0] <= 150)
        #expect(world.links.count == 1)
    }

    @Test func `a connection behind one that was calmed begins with as many as that had`() {
        let world = SimulatedWorld.run(
            Self.calming {
                $0.provider.scenario.rules.insert(Self.graceful(after: 500), at: 0)
            })
        #expect(world.links.count >= 5)
        #expect(world.outcomes["unknown", default: 0] <= 150)
    }

    private static func graceful(after: UInt64) -> Scenario.Rule {
        var rule = Scenario.Rule()
        rule.condition.afterRequests = after
        rule.action.goAway = Scenario.GoAway()
        return rule
    }

    // MARK: Peers that live and do not answer

    @Test func `a peer that never answers is given up after a minute, with few rows in doubt`() {
        let world = SimulatedWorld.run(
            .distant(rows: 1_000) {
                $0.firstRequestAlone = true
                $0.provider.scenario = .rule { $0.action.stream = .stall }
            })
        #expect(world.engine.stop?.kind == .refused)
        #expect(
            world.engine.stop?.message
                == "no answer from the provider for 1 min 00 s: it answers no request")
        // One each 30 s.
        #expect(world.ledger.lines.count <= 4)
        #expect(world.elapsed < 3 * Self.minute)
    }

    @Test func `a peer that answers one request and falls mute is asked with fewer each time`() {
        let world = SimulatedWorld.run(
            .distant(rows: 400) {
                $0.provider.scenario = .rule {
                    $0.condition.afterRequests = 1
                    $0.action.stream = .stall
                }
            })
        #expect(world.engine.stop == nil)
        // With the first window each time four connections would burn the list.
        #expect(world.links.count >= 15)
    }

    /// Connection 1 answers for a second; from then on none does.
    private static var fallingMute: Scenario {
        var stall = Scenario.Rule()
        stall.condition.afterNanoseconds = Int64(second)
        stall.action.stream = .stall
        var later = Scenario.Rule()
        later.condition.connections = 2...1_000
        later.action.stream = .stall
        return Scenario(rules: [stall, later])
    }

    /// The times for an answer and for none, in seconds; without an answer in time it shows that none
    /// comes.
    @Test(
        arguments: [
            (30, 10, true, "30.0 s"), (30, 10, false, "30.0 s"),
            (30, 40, true, "40.0 s"), (30, 40, false, "40.0 s"),
            (60, 20, true, "1 min 00 s"), (60, 20, false, "1 min 00 s"),
        ])
    func `a mute peer is given up by the clock, which began with a request that got no answer`(
        timeout: Int, patience: Int, answersFirst: Bool, said: String
    ) {
        let world = SimulatedWorld.run(
            .distant(rows: 2_000) {
                $0.timeout = .seconds(timeout)
                $0.patience = .seconds(patience)
                $0.firstRequestAlone = !answersFirst
                $0.pace = PaceSettings(count: 1000, period: Int64(Self.second))
                $0.provider.scenario =
                    answersFirst ? Self.fallingMute : .rule { $0.action.stream = .stall }
            })
        #expect(
            world.engine.stop?.message
                == "no answer from the provider for \(said): it answers no request")
    }

    /// 25 s of the 30 s that there are for an answer, and 5 s without one are too many.
    @Test(arguments: [0, 50] as [UInt64])
    func `a provider that is slow is not given up, also if it loses requests`(lostNth: UInt64) {
        let world = SimulatedWorld.run(
            .distant(rows: 300) {
                $0.streams = 20
                $0.patience = .seconds(5)
                $0.provider.latency = .fixed(.seconds(25))
                guard lostNth > 0 else { return }
                $0.provider.scenario = .rule {
                    $0.condition.everyNth = lostNth
                    $0.action.stream = .stall
                }
            })
        #expect(world.engine.stop == nil)
        let lost = lostNth > 0 ? 300 / Int(lostNth) : 0
        #expect(world.outcomes["accepted"] == 300 - lost)
    }

    @Test func `a peer that falls mute is asked with one request at a time`() {
        let world = SimulatedWorld.run(
            .distant(rows: 2_000) {
                $0.pace = PaceSettings(count: 1000, period: Int64(Self.second))
                $0.provider.scenario = Self.fallingMute
            })
        #expect(world.engine.stop?.kind == .refused)
        // The requests in flight in a window that has doubled once at most, and one each half
        // minute.
        let unknown = world.outcomes["unknown", default: 0]
        #expect(unknown <= 2 * Limits.adaptiveStart + 31)
        #expect(world.elapsed > 15 * Self.minute && world.elapsed < 18 * Self.minute)
    }

    @Test(arguments: [0x1, 0x2, 0xb, 0xd] as [UInt32])
    func `a provider that resets every request stops the job before the list is burnt`(
        errorCode: UInt32
    ) {
        let world = SimulatedWorld.run(
            .distant(rows: 5_000) {
                var later = Scenario.Rule()
                later.condition.connections = 2...1_000
                later.action.stream = .reset(errorCode: errorCode)
                var first = Scenario.Rule()
                first.condition.afterRequests = 500
                first.action.stream = .reset(errorCode: errorCode)
                $0.provider.scenario = Scenario(rules: [later, first])
            })
        #expect(world.engine.stop?.kind == .refused)
        #expect(world.outcomes["accepted"] == 500)
        // A flight, which had doubled with each of the first ones, and one each 5 to 10 s.
        #expect(world.outcomes["unknown", default: 0] <= 1_000 + 180)
    }

    // MARK: Refused for ever

    @Test func `REFUSED_STREAM for ever ends after a stated time, with no row in doubt`() {
        let world = SimulatedWorld.run(
            .distant(rows: 2_000) {
                $0.provider.scenario = .rule { $0.action.stream = .reset(errorCode: 7) }
            })
        #expect(world.engine.stop?.kind == .refused)
        // Requests are 5 to 10 s apart.
        let message = world.engine.stop?.message ?? ""
        #expect(message.hasPrefix("no answer from the provider for 1 min "), "\(message)")
        #expect(message.hasSuffix(" s: it refuses requests (REFUSED_STREAM)"), "\(message)")
        #expect(world.ledger.lines.isEmpty)
        #expect(world.elapsed < 2 * Self.minute + 10 * Self.second)
    }

    @Test func `a stream limit of zero for ever ends after a stated time`() {
        let world = SimulatedWorld.run(
            .distant(rows: 2_000) { $0.provider.maxConcurrentStreams = 0 })
        #expect(world.engine.stop?.kind == .refused)
        let message = world.engine.stop?.message ?? ""
        #expect(message.hasPrefix("no answer from the provider for 1 min "), "\(message)")
        #expect(message.hasSuffix(" s: the provider allows no streams"), "\(message)")
        #expect(world.elapsed < 3 * Self.minute)
    }
}
