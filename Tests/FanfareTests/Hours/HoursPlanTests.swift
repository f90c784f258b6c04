import FanfareCore
import Testing

@testable import Fanfare

/// All by arithmetic: the window is 09:00 to 20:00, and it is 08:00 UTC on 22 November 2026.
@Suite struct HoursPlanTests {
    private static let eight: Int64 = 1_795_334_400

    private func plan(_ counts: [String: UInt64], rate: Double?) -> HoursPlan {
        plan(counts.mapValues { [$0] }, RouteRates(whole: rate, routes: [nil]))
    }

    private func plan(
        _ counts: [String: [UInt64]], _ rates: RouteRates, skips: Bool = false,
        until: Int64? = nil
    ) -> HoursPlan {
        let terms = HoursPlan.Terms(
            hours: Hours(opensMinute: 9 * 60, closesMinute: 20 * 60), skips: skips,
            untilMilliseconds: until.map { $0 * 1000 })
        return HoursPlan(counts, terms, rates: rates, now: Self.eight)
    }

    /// The plan of a job without hours.
    private func plan(
        always rows: [UInt64], _ rates: RouteRates, until: Int64?, rise: Duration = .zero
    ) -> HoursPlan {
        let terms = HoursPlan.Terms(untilMilliseconds: until.map { $0 * 1000 }, rise: rise)
        return HoursPlan([HoursPlan.always: rows], terms, rates: rates, now: Self.eight)
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
                "UTC: 40,600 rows, from 2026-11-22 09:00 to 2026-11-22 20:00 local time, the last about "
                    + "2026-11-23 09:16; 1,000 are left over then, and wait for the next window"
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

    // MARK: Providers

    @Test func `providers send at the same time, each at its rate`() {
        // From 09:00: 3,600 rows at 1/s are an hour, 36,000 at 20/s half of one.
        let plan = plan(["UTC": [3600, 36_000]], RouteRates(whole: nil, routes: [1, 20]))
        #expect(plan.zones.map(\.rows) == [39_600])
        #expect(plan.end == Self.eight + 3600 + 3600)
    }

    @Test func `a rate of the job bounds all providers together`() {
        // Both have 3,600 rows. At 2/s in all each gets 1/s; one whose own rate is 0.5/s leaves 1.5/s.
        let equal = plan(["UTC": [3600, 3600]], RouteRates(whole: 2, routes: [nil, 5]))
        #expect(equal.end == Self.eight + 3600 + 3600)
        let slow = plan(["UTC": [3600, 3600]], RouteRates(whole: 2, routes: [0.5, nil]))
        #expect(slow.end == Self.eight + 3600 + 7200)
    }

    @Test func `a provider without a rate is no part of the time`() {
        let plan = plan(["UTC": [3600, 1_000_000]], RouteRates(whole: nil, routes: [1, nil]))
        #expect(plan.end == Self.eight + 3600 + 3600)
    }

    // MARK: Rows that do not fit

    @Test func `rows that the end of the job leaves are told`() {
        // From 09:00 to 10:00 at 1/s: 3,600 of 5,700. Berlin has been open since 08:00 UTC with 3,600.
        let plan = plan(
            ["UTC": [5700], "Europe/Berlin": [3600]], RouteRates(whole: 1, routes: [nil]),
            until: Self.eight + 7200)
        #expect(plan.unsent.map(\.zone) == ["UTC"] && plan.unsent.map(\.rows) == [2100])
        #expect(plan.end == Self.eight + 7200)
    }

    @Test func `with hours that skip, rows of closed zones are not sent`() {
        // In Los Angeles it is midnight; Berlin's eleven hours end at 19:00 UTC, after ten more.
        let plan = plan(
            ["America/Los_Angeles": [2100], "Europe/Berlin": [40_000]],
            RouteRates(whole: 1, routes: [nil]), skips: true)
        #expect(plan.unsent.map(\.zone) == ["Europe/Berlin", "America/Los_Angeles"])
        #expect(plan.unsent.map(\.rows) == [400, 2100])
        #expect(plan.end == Self.eight + 39_600)
        #expect(plan.lines.first?.hasSuffix("400 are left over then, and are skipped") == true)
    }

    // MARK: Without hours

    @Test func `without hours the end of the job leaves rows as well`() {
        // 600 s at 10/s are 6,000 of 8,100 rows.
        let late = plan(
            always: [8100], RouteRates(whole: 10, routes: [nil]), until: Self.eight + 600)
        #expect(late.unsent.map(\.rows) == [2100] && late.end == Self.eight + 600)
        #expect(late.lines.isEmpty)
        let enough = plan(
            always: [8100], RouteRates(whole: 10, routes: [nil]), until: Self.eight + 810)
        #expect(enough.unsent.isEmpty && enough.end == Self.eight + 810)
    }

    @Test func `each provider leaves the rows that its own rate does not take`() {
        // In 600 s: 6,000 of 7,000 at 10/s, and all of 30,000 at 100/s, which need 300 s.
        let own = plan(
            always: [7000, 30_000], RouteRates(whole: nil, routes: [10, 100]),
            until: Self.eight + 600)
        #expect(own.unsent.map(\.rows) == [1000])
        // With 20/s for both in all, the second one gets what the first one cannot use: 10/s, 6,000 rows.
        let shared = plan(
            always: [7000, 30_000], RouteRates(whole: 20, routes: [5, 100]),
            until: Self.eight + 600)
        // 5/s and 15/s would be by rows 3.8/s and 16.2/s: 12,000 rows in 600 s in any case.
        #expect(shared.unsent.map(\.rows) == [25_000])
    }

    @Test func `while the rate rises half as many rows are sent`() {
        // 100 s of the rise send 500 rows, the other 500 s 5,000.
        let rates = RouteRates(whole: 10, routes: [nil])
        let late = plan(
            always: [8100], rates, until: Self.eight + 600, rise: .seconds(100))
        #expect(late.unsent.map(\.rows) == [2600])
        // 125 rows need half of the rise: 10/s × 50 s × 50 s ÷ 200 s.
        let early = plan(always: [125], rates, until: nil, rise: .seconds(100))
        #expect(early.end == Self.eight + 50)
        // The end is within the rise: a quarter of it is 1/16 of 500.
        let within = plan(always: [100], rates, until: Self.eight + 25, rise: .seconds(100))
        #expect(within.unsent.map(\.rows) == [69])
    }

    @Test func `without a rate nothing is known of a job without hours`() {
        let plan = plan(
            always: [10], RouteRates(whole: nil, routes: [nil]), until: Self.eight + 1)
        #expect(plan.end == nil && plan.unsent.isEmpty)
    }
}
