import Testing

@testable import FanfareCore

/// The differences of two reports, counted row by row.
@Suite struct ReportComparisonTests {
    private typealias Transition = ReportComparison.Transition

    private static let lost = Transition(before: .accepted, after: .unregistered)
    private static let mended = Transition(before: .failed, after: .accepted)
    private static let same = Transition(before: .accepted, after: .accepted)

    private func record(
        _ row: UInt64, _ transition: Transition, in comparison: inout ReportComparison
    ) {
        comparison.record(
            .init(
                rowBefore: row + 100, rowAfter: row, before: transition.before,
                after: transition.after, id: ""), transition)
    }

    @Test func `rows are counted by what became of them`() {
        var comparison = ReportComparison(key: "token", listedMax: 9)
        record(1, Self.lost, in: &comparison)
        record(2, Self.mended, in: &comparison)
        record(3, Self.same, in: &comparison)
        record(4, Self.mended, in: &comparison)
        comparison.recordNew()
        comparison.recordNew()
        #expect(comparison.matched == 4 && comparison.changed == 3 && comparison.onlyAfter == 2)
        #expect(comparison.counts.map(\.transition) == [Self.mended, Self.lost])
        #expect(comparison.counts.map(\.count) == [2, 1])
        #expect(comparison.listed.map(\.rowAfter) == [1, 2, 4])
    }

    @Test func `more rows that were not to be sent are neither better nor worse`() {
        var comparison = ReportComparison(key: "row", listedMax: 9)
        for (digest, skipped) in [(\ReportComparison.before, 1 as UInt64), (\.after, 9)] {
            let none = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
            for (outcome, count) in [(Outcome.skipped, skipped), (.accepted, 10 - skipped)] {
                unsafe comparison[keyPath: digest].tally.record(
                    unsent: outcome, reason: none, count: count)
            }
        }
        let skipped = comparison.share(.skipped)
        #expect((skipped.before, skipped.after) == (10, 90) && skipped.verdict == .unknown)
        #expect(comparison.share(.accepted).verdict == .worse)
    }

    @Test func `what is taken back was never there`() {
        var comparison = ReportComparison(key: "token", listedMax: 9)
        for row in 1...3 as ClosedRange<UInt64> { record(row, Self.lost, in: &comparison) }
        record(4, Self.same, in: &comparison)
        comparison.takeBack(rowBefore: 102, Self.lost)
        #expect(comparison.matched == 3 && comparison.changed == 2)
        #expect(comparison.counts.map(\.count) == [2])
        #expect(comparison.listed.map(\.rowAfter) == [1, 3])
        comparison.takeBack(rowBefore: 104, Self.same)
        #expect(comparison.matched == 2 && comparison.changed == 2)
    }

    @Test func `transitions as frequent as each other stay in the order of outcomes`() {
        var comparison = ReportComparison(key: "token", listedMax: 9)
        record(1, Self.mended, in: &comparison)
        record(2, Self.lost, in: &comparison)
        #expect(comparison.counts.map(\.transition) == [Self.lost, Self.mended])
    }

    /// Rows come in any order, and no row is left out between those that are listed.
    @Test func `the first rows are listed`() {
        var comparison = ReportComparison(key: "token", listedMax: 3)
        for row in [5, 2, 9, 4, 7, 1] as [UInt64] { record(row, Self.lost, in: &comparison) }
        #expect(comparison.listed.map(\.rowAfter) == [1, 2, 4])
        // Row 5 has been dropped, so no row behind it is listed, even where there is room again.
        comparison.takeBack(rowBefore: 102, Self.lost)
        record(6, Self.lost, in: &comparison)
        record(3, Self.lost, in: &comparison)
        #expect(comparison.listed.map(\.rowAfter) == [1, 3, 4])
        #expect(comparison.changed == 7)
    }

    // MARK: Better or worse

    private func digest(_ outcomes: [(Outcome, Int)]) -> ReportDigest {
        var digest = ReportDigest()
        for (outcome, count) in outcomes {
            digest.tally.record(
                unsent: outcome, reason: UnsafeBufferPointer(start: nil, count: 0),
                count: UInt64(count))
        }
        return digest
    }

    @Test(arguments: [
        (500, 502, ReportComparison.Verdict.better), (502, 500, .worse), (500, 500, .same),
    ])
    func `a share that differs by two tenths of a point is another one`(
        before: Int, after: Int, verdict: ReportComparison.Verdict
    ) {
        var comparison = ReportComparison(key: "token", listedMax: 0)
        comparison.before = digest([(.accepted, before), (.failed, 1000 - before)])
        comparison.after = digest([(.accepted, after), (.failed, 1000 - after)])
        let accepted = comparison.share(.accepted)
        #expect(accepted.before == Double(before) / 10 && accepted.after == Double(after) / 10)
        #expect(accepted.verdict == verdict)
        // One row less that is accepted is one more that failed.
        let failed = comparison.share(.failed)
        #expect(failed.verdict == verdict)
    }

    @Test func `less than a tenth of a point is nothing`() {
        var comparison = ReportComparison(key: "token", listedMax: 0)
        comparison.before = digest([(.accepted, 5000), (.failed, 5000)])
        comparison.after = digest([(.accepted, 5009), (.failed, 4991)])
        let accepted = comparison.share(.accepted)
        #expect(accepted.verdict == .same)
    }

    @Test func `a report without rows has no shares`() {
        var comparison = ReportComparison(key: "token", listedMax: 0)
        comparison.after = digest([(.accepted, 1)])
        let share = comparison.share(.accepted)
        #expect(share.before.isNaN && share.after == 100 && share.verdict == .unknown)
    }

    @Test(
        arguments: [
            (0, 5, .unknown), (5, 0, .unknown), (0, 0, .unknown), (1, 1, .same),
            (100, 104, .same), (100, 96, .same), (100, 106, .worse), (100, 94, .better),
        ] as [(Int64, Int64, ReportComparison.Verdict)])
    func `latencies that differ by a twentieth are better or worse, if there are both`(
        before: Int64, after: Int64, verdict: ReportComparison.Verdict
    ) {
        #expect(ReportComparison.verdict(latency: before, after) == verdict)
    }
}
