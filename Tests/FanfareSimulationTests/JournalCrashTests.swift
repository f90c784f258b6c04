import FanfareCore
import FanfareSimulator
import Testing

@testable import Fanfare

/// The state of reports that are compressed, or in parts, after a kill or a loss of power.
@Suite struct JournalCrashTests {
    private static let endings = ["", ".gz", ".zst"]
    private static let millisecond = SimulationPlan.millisecond

    /// Six rows whose lines take two or three parts, if there are any, and some of which leave records beside
    /// the report.
    private func plan(
        _ ending: String, isSplit: Bool, seed: UInt64 = 1,
        _ change: (inout SimulationPlan) -> Void
    ) -> SimulationPlan {
        .quiet(seed: seed) {
            $0.rowCount = 6
            $0.batchRows = 1...1
            $0.batchGap = 200 * Self.millisecond...200 * Self.millisecond
            $0.reportEnding = ending
            $0.sideEnding = ending
            $0.partBytesMax = isSplit ? 200 : nil
            $0.provider.scenario = Scenario.rule {
                $0.condition.everyNth = 2
                $0.action.stream = .answer(
                    ScenarioAnswer(
                        status: 410, reason: "Unregistered", timestamp: 1_700_000_000_123))
            }
            change(&$0)
        }
    }

    @Test(arguments: Self.endings, [false, true])
    func `a report is gone on with wherever its process is killed`(
        ending: String, isSplit: Bool
    ) {
        var kills = 0
        for units in stride(from: 0, through: 3000, by: 89) {
            let world = SimulatedWorld.run(
                plan(ending, isSplit: isSplit) {
                    $0.hasSideFiles = units % 2 == 0
                    $0.kills = [Kill(.writes(units))]
                })
            kills += world.kills
            #expect(world.ledger.lines.count == 6)
            #expect(world.ledger.requestsReceived == 6)
            #expect(world.disk.bytes(of: "report-2.csv\(ending)") != nil || !isSplit)
        }
        #expect(kills > 10)
    }

    @Test(arguments: Self.endings, [false, true])
    func `a durable report is gone on with wherever the power is lost`(
        ending: String, isSplit: Bool
    ) {
        for units in stride(from: 0, through: 3000, by: 89) {
            let world = SimulatedWorld.run(
                plan(ending, isSplit: isSplit, seed: UInt64(units)) {
                    $0.isDurable = true
                    $0.kills = [Kill(.writes(units), losesPower: true)]
                })
            #expect(world.ledger.lines.count == 6)
        }
    }

    @Test(arguments: Self.endings, [false, true])
    func `a report at rest outlives a loss of power`(ending: String, isSplit: Bool) {
        for seed in 1...4 as ClosedRange<UInt64> {
            let world = SimulatedWorld.run(
                plan(ending, isSplit: isSplit, seed: seed) {
                    // The first process comes to rest behind some lines; the next one hardly begins.
                    $0.drainsAfter = 700 * Self.millisecond
                    $0.resumptionsMax = 2
                    $0.kills = [
                        Kill(.time(100 * SimulationPlan.second)),
                        Kill(.writes(0), losesPower: true),
                    ]
                })
            #expect(world.kills == 1)
            #expect(world.ledger.lines.count == 6)
            #expect(world.ledger.requestsReceived == 6)
        }
    }

    @Test(arguments: Self.endings, [false, true])
    func `a full disk leaves whole parts and goes on when there is room`(
        ending: String, isSplit: Bool
    ) {
        for room in stride(from: 0, to: 1500, by: 123) {
            let world = SimulatedWorld.run(
                plan(ending, isSplit: isSplit) {
                    $0.hasSideFiles = true
                    $0.room = room
                    $0.resumptionsMax = 1
                })
            #expect(world.ledger.lines.count == 6)
            #expect(world.ledger.requestsReceived == 6)
        }
    }
}
