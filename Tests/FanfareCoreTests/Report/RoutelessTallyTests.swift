import FanfareBase
import FanfareCore
import Testing

/// Rows that are for no provider of a job, beside those that are.
@Suite struct RoutelessTallyTests {
    private func tally(invalid: Int, routeless: Int) -> Tally {
        var tally = Tally()
        let (own, none) = (RowProblem.tokenEmpty.text, RowProblem.providerNotInJob.text)
        tally.record(unsent: .invalid, reason: own.bytes, count: UInt64(invalid))
        tally.record(routeless: none.bytes, count: UInt64(routeless))
        tally.rowsRead = UInt64(invalid + routeless)
        return tally
    }

    @Test func `both are in the whole, and each is told apart`() throws {
        var sum = tally(invalid: 3, routeless: 100)
        sum.merge(tally(invalid: 0, routeless: 47))
        #expect(sum.finished == 150 && sum.count(.invalid) == 150)
        #expect(sum.identityViolation() == nil)
        let routed = sum.ofRoutes
        #expect(routed.finished == 3 && routed.rowsRead == 3 && routed.ofNoRoute == nil)
        #expect(routed.reasons.map(\.reason).filter { !$0.isEmpty } == ["token is empty"])
        let rest = try #require(sum.ofNoRoute)
        #expect(rest.finished == 147 && rest.count(.invalid) == 147)
        #expect(rest.reasons.map(\.count) == [147])
        #expect(rest.reasons.map(\.reason) == ["the job does not send to this provider"])
    }

    @Test func `without such rows nothing is told`() {
        #expect(Tally().ofNoRoute == nil && Tally().routelessCount == 0)
    }
}
