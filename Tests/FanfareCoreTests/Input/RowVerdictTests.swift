import FanfareCore
import Testing

@Suite struct RowVerdictTests {
    @Test(arguments: [
        (RowBatch.Verdict.duplicate, RowProblem.tokenDuplicate),
        (.suppressed, .tokenSuppressed), (.outsideWindow, .outsideWindow),
        (.zoneUnknown, .zoneUnknown), (.late, .deadlinePassed),
        (.providerUnknown, .providerUnknown), (.providerNotInJob, .providerNotInJob),
        (.tokenOfNoProvider, .tokenOfNoProvider),
    ])
    func `a row that is not to be sent says why`(verdict: RowBatch.Verdict, problem: RowProblem) {
        #expect(verdict.problem == problem)
    }

    @Test(arguments: [
        RowBatch.Verdict.providerUnknown, .providerNotInJob, .tokenOfNoProvider,
    ])
    func `a row without a route is invalid, and says so once`(verdict: RowBatch.Verdict) {
        #expect(verdict.lacksRoute && verdict.problem?.outcome == .invalid)
        var changed = verdict
        changed.keepBack(.late)
        #expect(changed == verdict)
        for other in [RowBatch.Verdict.none, .inDoubt, .inDoubtHeld, .zoneUnknown, .duplicate] {
            #expect(!other.lacksRoute)
        }
    }

    @Test(arguments: [
        (RowBatch.Verdict.none, RowBatch.Verdict.providerNotInJob),
        (.duplicate, .providerNotInJob), (.suppressed, .providerNotInJob),
        (.outsideWindow, .providerNotInJob), (.zoneUnknown, .providerNotInJob),
        (.late, .providerNotInJob), (.inDoubt, .inDoubtHeld), (.inDoubtHeld, .inDoubtHeld),
        (.finished, .finished), (.waiting, .waiting),
    ])
    func `that no route takes a row is said before why it would be left out`(
        before: RowBatch.Verdict, after: RowBatch.Verdict
    ) {
        var verdict = before
        verdict.turnAway(.providerNotInJob)
        #expect(verdict == after)
    }

    @Test(arguments: [RowBatch.Verdict.none, .finished, .inDoubt, .inDoubtHeld, .waiting])
    func `a row that may be sent, or has its line, has no reason`(verdict: RowBatch.Verdict) {
        #expect(verdict.problem == nil)
    }

    @Test func `a row is kept back once, and one in doubt stays so`() {
        var verdict = RowBatch.Verdict.none
        verdict.keepBack(.outsideWindow)
        verdict.keepBack(.late)
        #expect(verdict == .outsideWindow)
        verdict = .inDoubt
        verdict.keepBack(.late)
        #expect(verdict == .inDoubtHeld)
        verdict = .waiting
        verdict.keepBack(.late)
        #expect(verdict == .waiting)
    }
}
