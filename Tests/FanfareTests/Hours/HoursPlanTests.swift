import FanfareCore
import Testing

@testable import Fanfare

/// All by arithmetic: the window is 09:00 to 20:00, and it is 08:00 UTC on 22 November 2026.
@Suite struct HoursPlanTests {
    private static let eight: Int64 = 1_795_334_400

    private func plan(_ counts: [String: UInt64], rate: Double?, now: Int64 = eight) -> HoursPlan {
        let settings = WindowSettings(
            window: Hours(opensMinute: 9 * 60, closesMinute: 20 * 60), zone: "UTC",
            slot: nil, skips: false, untilMilliseconds: nil, folder: "/tmp")
        return HoursPlan(counts, settings, rate: rate, now: now)
    }

    @Test func `rows begin when their zone opens, and end by the rate`() {
        // Berlin is an hour ahead, so it is open.
        let plan = plan(["UTC": 3600, "Europe/Berlin": 1800], rate: 1)
        #expect(plan.zones.map(\.name) == ["Europe/Berlin", "UTC"])
        #expect(plan.zones.map(\.opens) == [Self.eight, Self.eight + 3600])
        #expect(plan.zones.map(\.last) == [Self.eight + 1800, Self.eight + 7200])
        #expect(plan.end == Self.eight + 7200)
    }

    @Test func `zones that are open together share the rate`() {
        // At 09:00 Berlin has 3,600 of 7,200 rows left: both are done two hours later.
        let plan = plan(["UTC": 3600, "Europe/Berlin": 7200], rate: 1)
        #expect(plan.zones.map(\.last) == [Self.eight + 10_800, Self.eight + 10_800])
    }

    @Test func `what does not fit before the end waits for the next day`() {
        // Eleven hours are 39,600 rows; the other 1,000 go from 09:00 on.
        let plan = plan(["UTC": 40_600], rate: 1)
        #expect(plan.zones[0].leftOver == 1000)
        #expect(plan.end == Self.eight + 25 * 3600 + 1000)
        #expect(
            plan.lines == [
                "UTC: 40600 rows, from 2026-11-22 09:00 to 2026-11-22 20:00 local time, the last about "
                    + "2026-11-23 09:16; 1000 are left over then, and wait for the next window"
            ])
    }

    @Test func `without a rate only the hours are known`() {
        let plan = plan(["UTC": 10], rate: nil)
        #expect(plan.end == nil)
        #expect(
            plan.lines == [
                "UTC: 10 rows, from 2026-11-22 09:00 to 2026-11-22 20:00 local time"
            ])
    }

    @Test func `a rate that takes for ever comes to an end`() {
        #expect(plan(["UTC": 1_000_000], rate: 0.000_001).end == nil)
    }
}
