import FanfareBase
import FanfareCore
import Testing

/// The conclusions that a summary draws from its figures.
@Suite struct SummaryFactsTests {
    private func summary(rowsRead: UInt64, leftOut: Summary.LeftOut?) -> Summary {
        var tally = Tally()
        tally.rowsRead = rowsRead
        var summary = Summary(
            jobID: "b7e23ec2", startMilliseconds: 0, endMilliseconds: 0, tally: tally,
            latency: LatencyHistogram(), exitStatus: .success)
        summary.leftOut = leftOut
        return summary
    }

    @Test func `a choice took none where rows were passed over and no row was read`() {
        let some = Summary.LeftOut(rows: 5, endsEarly: false)
        #expect(summary(rowsRead: 0, leftOut: some).choseNone)
        #expect(!summary(rowsRead: 1, leftOut: some).choseNone)
        #expect(
            summary(rowsRead: 0, leftOut: .init(rows: 0, excluded: 5, endsEarly: false)).choseNone)
        // There may be more rows behind the place where reading has stopped.
        #expect(summary(rowsRead: 0, leftOut: .init(rows: 0, endsEarly: true)).choseNone)
        // An empty input.
        #expect(!summary(rowsRead: 0, leftOut: .init(rows: 0, endsEarly: false)).choseNone)
        #expect(!summary(rowsRead: 0, leftOut: nil).choseNone)
    }
}
