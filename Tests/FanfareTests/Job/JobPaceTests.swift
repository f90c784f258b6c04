import FanfareBase
import FanfareCore
import Testing

@testable import Fanfare

/// A job's pace: its settings, and how its lanes share it.
@Suite struct JobPaceTests {
    private func settings(
        _ change: (inout EngineOptions) -> Void
    ) throws -> [LaneSettings] {
        var configuration = Preparation.configuration("token\naa\n", payload: #"{"aps":{}}"#)
        change(&configuration.engine)
        return try PreparedJob(configuration, identity: Preparation.identity).laneSettings()
    }

    private func taken(by pace: inout LanePace, _ now: Instant) -> Int {
        pace.ask(now: now) ? pace.permits : 0
    }

    @Test func `without a rate nothing is counted`() throws {
        var pace = try #require(try settings { _ in }.first).pace
        #expect(pace.lateStarts == nil)
        for _ in 0..<1000 { pace.started() }
        #expect(pace.permits > 1 << 60)
        pace.settle(now: Instant(nanoseconds: 0))
        #expect(pace.next == nil)
    }

    @Test func `lanes share one pace`() throws {
        let lanes = try settings {
            $0.lanes = 2
            $0.rate = SendingRate(1000)
        }
        var (first, second) = (lanes[0].pace, lanes[1].pace)
        let now = Instant(nanoseconds: 1_000_000_000)
        #expect(taken(by: &first, now) == 1)
        #expect(taken(by: &second, now) == 0)
        #expect(second.next == now.advanced(byNanoseconds: 4_000_000))
        first.started()
        first.settle(now: now)
        // Both wait, so that of ten permits the quicker one gets its half.
        let later = now.advanced(byNanoseconds: 10_000_000)
        #expect(taken(by: &second, later) == 5)
        #expect(taken(by: &first, later) >= 2)
    }

    @Test func `a lane that starts nothing gives its permits back`() throws {
        let lanes = try settings {
            $0.lanes = 2
            $0.rate = SendingRate(1000)
        }
        var (first, second) = (lanes[0].pace, lanes[1].pace)
        let now = Instant(nanoseconds: 1_000_000_000)
        #expect(taken(by: &first, now) == 1)
        first.settle(now: now)
        #expect(first.permits == 0 && first.next == nil)
        #expect(taken(by: &second, now) == 1)
    }

    @Test func `what is no pace is refused`() {
        let changes: [(String, (inout EngineOptions) -> Void)] = [
            ("a burst or a ramp needs a rate", { $0.burst = 5 }),
            ("a burst or a ramp needs a rate", { $0.ramp = .seconds(5) }),
            ("rate: 0 is not between 1 and 1000000000", { $0.rate = SendingRate(0) }),
            (
                "rate: 1000000001 is not between 1 and 1000000000",
                { $0.rate = SendingRate(1_000_000_001) }
            ),
            (
                "burst: 0 is not between 1 and 1000000000",
                {
                    $0.rate = SendingRate(1)
                    $0.burst = 0
                }
            ),
            (
                "the time of a rate is a nanosecond at least, and a day at most",
                { $0.rate = SendingRate(1, per: .seconds(86_401)) }
            ),
            (
                "the time of a rate is a nanosecond at least, and a day at most",
                { $0.rate = SendingRate(1, per: .zero) }
            ),
            (
                "a ramp has a day at most",
                {
                    $0.rate = SendingRate(1)
                    $0.ramp = .seconds(86_401)
                }
            ),
        ]
        for (message, change) in changes {
            let error = fanfareError { _ = try settings(change) }
            #expect(error?.code == .configuration && error?.message == message)
        }
    }

    @Test func `the largest pace is within the pacer's arithmetic`() throws {
        let day = Duration.seconds(86_400)
        let lane = try #require(
            try settings {
                // The counts have no divisor in common with a day's nanoseconds.
                $0.rate = SendingRate(999_999_937, per: day)
                $0.burst = 1_000_000_000
                $0.ramp = day
            }.first)
        var pace = lane.pace
        #expect(taken(by: &pace, Instant(nanoseconds: 0)) == 1)
        pace.started()
        pace.settle(now: Instant(nanoseconds: 1))
        #expect(taken(by: &pace, Instant(nanoseconds: .max - 1)) == 64)
        #expect(try #require(pace.lateStarts) > 0)
    }
}
