import FanfareCore
import FanfareTestSupport
import Testing

@Suite struct JobInVainTests {
    private static func tally(_ reasons: [(Outcome, RowProblem?, UInt64)]) -> Tally {
        var tally = Tally()
        for (outcome, problem, count) in reasons {
            let reason = problem.map { "\($0.text)" } ?? ""
            withBytes(reason) { tally.record(unsent: outcome, reason: $0, count: count) }
        }
        tally.rowsRead = tally.finished
        return tally
    }

    private static func status(_ tally: Tally, accepted: UInt64? = nil) -> FanfareCore.ExitStatus {
        FanfareCore.ExitStatus.of(
            tally: tally, accepted: accepted, strict: false, thresholdCrossed: false, stop: nil)
    }

    @Test func `a job whose rows were all to be left out has done what was asked`() {
        let tally = Self.tally([
            (.skipped, .tokenSuppressed, 3), (.skipped, .tokenDuplicate, 2),
        ])
        #expect(Self.status(tally) == .success)
    }

    @Test(arguments: [
        (Outcome.skipped, RowProblem.outsideWindow), (.skipped, .deadlinePassed),
        (.invalid, .topicMissing),
    ])
    func `one row that was to be sent and was not makes it a failure`(
        outcome: Outcome, problem: RowProblem
    ) {
        let tally = Self.tally([(.skipped, .tokenSuppressed, 3), (outcome, problem, 1)])
        #expect(Self.status(tally) == .incomplete)
    }

    @Test func `a rehearsal is measured by the rows that could be sent`() {
        let tally = Self.tally([(.skipped, nil, 3)])
        #expect(Self.status(tally, accepted: 3) == .success)
        #expect(Self.status(tally, accepted: 0) == .incomplete)
    }

    @Test func `an earlier run's accepted rows count`() {
        var earlier = Tally()
        TallySample.record(&earlier, .accepted, 200)
        earlier.merge(Self.tally([(.invalid, .topicMissing, 5)]))
        earlier.rowsRead = earlier.finished
        #expect(Self.status(earlier) == .success)
    }
}
