import FanfareBase
import Testing

@testable import FanfareCore

/// The rows that a worker of several has in hand, and that wait for a provider which takes none.
@Suite struct RowsInHandTests {
    private static let now = Instant(nanoseconds: 1_000_000_000)
    private static let later = now.advanced(by: Limits.clusterRouteMeasure)

    /// Two routes, which get through some of their rows in two seconds.
    private static func rows(_ got: [UInt64], lined: [Int]) -> RowsInHand {
        var rows = RowsInHand()
        rows.routesGot(got)
        rows.measure(now: now)
        for (route, count) in lined.enumerated() { rows.lined(count, ofRoute: route) }
        rows.measure(now: later)
        return rows
    }

    @Test func `rows of a provider that takes none count up to 1,024, or half of what lanes have`()
    {
        let rows = Self.rows([3_000, 3_000], lined: [0, 3_000])
        #expect(rows.behind(most: 4_096) == 1_976)
        #expect(rows.behind(most: 400) == 2_800)
    }

    @Test func `rows count as far as their route gets through them in eight seconds`() {
        // 100 in two seconds are 400 in eight, and 900 are left.
        #expect(Self.rows([1_000, 100], lined: [100, 100]).behind(most: 100) == 500)
        #expect(Self.rows([1_000, 100], lined: [200, 100]).behind(most: 100) == 0)
    }

    @Test func `no more than 16,384 rows are left out`() {
        #expect(Self.rows([100_000, 1], lined: [0, 1]).behind(most: 2_048) == 16_384)
    }

    @Test func `all rows count while each route has some`() {
        // 1 in 50 rows is for the second one, which has 36 and gets through 4 in two seconds.
        #expect(Self.rows([1_960, 40], lined: [196, 4]).behind(most: 2_048) == 0)
        // It has 1,000 rows, and got through 1,999 or 2,000 in two seconds: it has half of that at most.
        #expect(Self.rows([3_000, 2_999], lined: [0, 1_999]).behind(most: 2_048) == 0)
        #expect(Self.rows([3_000, 3_000], lined: [0, 2_000]).behind(most: 2_048) == 1_976)
    }

    @Test func `all rows count when nothing moves, because lanes rest`() {
        #expect(Self.rows([1_960, 40], lined: [0, 0]).behind(most: 2_048) == 0)
        var rows = Self.rows([3_000, 3_000], lined: [0, 3_000])
        rows.rest()
        #expect(rows.behind(most: 4_096) == 0)
    }

    @Test func `all rows of a route count until they were there for a whole measure`() {
        var rows = RowsInHand()
        rows.measure(now: Self.now)
        rows.routesGot([5_000, 0])
        rows.measure(now: Self.later)
        #expect(rows.behind(most: 4_096) == 0)
        rows.measure(now: Self.later.advanced(by: .seconds(1)))
        #expect(rows.behind(most: 4_096) == 0)
        rows.measure(now: Self.later.advanced(by: .seconds(2)))
        #expect(rows.behind(most: 4_096) == 3_976)
    }

    @Test func `the rows of a single provider all count`() {
        #expect(Self.rows([5_000], lined: [0]).behind(most: 100) == 0)
    }

    @Test func `lines may come before the word that the route got their rows`() {
        var rows = RowsInHand()
        rows.lined(5, ofRoute: 1)
        rows.routesGot([0, 5])
        rows.measure(now: Self.now)
        rows.measure(now: Self.later)
        #expect(rows.behind(most: 2) == 0)
    }
}
