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

    private static func status(
        _ tally: Tally, strict: Bool = false, onlyChecks: Bool = false
    ) -> FanfareCore.ExitStatus {
        FanfareCore.ExitStatus.of(
            tally: tally, strict: strict, onlyChecks: onlyChecks, thresholdCrossed: false,
            stop: nil)
    }

    @Test func `a job whose rows were all to be left out has done what was asked`() {
        let tally = Self.tally([
            (.skipped, .tokenSuppressed, 3), (.skipped, .tokenDuplicate, 2),
        ])
        #expect(Self.status(tally) == .success)
    }

    @Test func `a choice that took no row is a failure if every row had to be accepted`() {
        func status(strict: Bool, choseNone: Bool) -> FanfareCore.ExitStatus {
            FanfareCore.ExitStatus.of(
                tally: Tally(), strict: strict, choseNone: choseNone, thresholdCrossed: false,
                stop: nil)
        }
        #expect(status(strict: true, choseNone: true) == .incomplete)
        #expect(status(strict: false, choseNone: true) == .success)
        #expect(status(strict: true, choseNone: false) == .success)
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

    /// Rows that were looked at and are good, as a rehearsal counts them.
    private static func checked(_ count: UInt64, and rest: Tally = Tally()) -> Tally {
        var tally = rest
        withBytes("valid") { tally.record(unsent: .skipped, reason: $0, count: count) }
        tally.rowsRead = tally.finished
        return tally
    }

    @Test func `a rehearsal is measured by the rows that could be sent`() {
        #expect(Self.status(Self.checked(3)) == .success)
        #expect(Self.status(Self.tally([(.skipped, nil, 3)])) == .incomplete)
    }

    @Test func `a row that was asked about and is good counts as one that was looked at here`() {
        var tally = Self.checked(2)
        withBytes("valid") {
            tally.record(.skipped, status: 200, reason: $0, index: .unlisted, attempts: 1)
        }
        // The same word of another outcome is the provider's.
        withBytes("valid") {
            tally.record(.rejected, status: 400, reason: $0, index: .unlisted, attempts: 1)
        }
        #expect(tally.valid == 3 && tally.good == 3)
        // A bound such as suspect>50% is a share of all that the provider has judged.
        let judged = tally.judged
        #expect(judged[.accepted] == 3 && judged[.skipped] == 0 && judged.sent == 4)
        var sum = tally
        sum.merge(tally)
        #expect(sum.valid == 6)
    }

    @Test func `a strict check passes over rows that are left out, and over no others`() {
        let leftOut = Self.tally([(.skipped, .tokenSuppressed, 3), (.skipped, .tokenDuplicate, 2)])
        let good = Self.checked(1, and: leftOut)
        #expect(Self.status(good, strict: true, onlyChecks: true) == .success)
        #expect(Self.status(good, strict: true) == .incomplete)
        for (outcome, problem) in [
            (Outcome.skipped, RowProblem.expirationPassed), (.invalid, .tokenEmpty),
        ] {
            let bad = Self.checked(1, and: Self.tally([(outcome, problem, 1)]))
            #expect(Self.status(bad, strict: true, onlyChecks: true) == .incomplete)
            #expect(Self.status(bad, onlyChecks: true) == .success)
        }
    }

    @Test func `an earlier run's accepted rows count`() {
        var earlier = Tally()
        TallySample.record(&earlier, .accepted, 200)
        earlier.merge(Self.tally([(.invalid, .topicMissing, 5)]))
        earlier.rowsRead = earlier.finished
        #expect(Self.status(earlier) == .success)
    }
}
