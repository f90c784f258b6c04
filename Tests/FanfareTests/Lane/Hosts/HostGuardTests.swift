import FanfareBase
import FanfareCore
import Testing

@testable import Fanfare

@Suite struct HostGuardTests {
    private func counts(accepted: UInt64 = 0, unknown: UInt64) -> OutcomeCounts {
        var counts = OutcomeCounts()
        counts[.accepted] = accepted
        counts[.unknown] = unknown
        return counts
    }

    @Test func `a host with more than half of its rows in doubt is given up`() {
        var bounds = HostGuard(GuardOptions().stopIf.map(\.threshold))
        let all = [counts(unknown: 500), counts(accepted: 3, unknown: 501)]
        let reasons = all.map { bounds.check($0, rowCount: nil) }
        #expect(
            reasons == [nil, JobStop(.refused, "501 of its 504 rows so far are unknown")])
    }

    /// A list with fewer rows is measured by its length, but by 100 rows at least.
    @Test func `a host with few rows is never given up`() {
        var bounds = HostGuard(GuardOptions().stopIf.map(\.threshold))
        let all = [counts(unknown: 50), counts(unknown: 51)]
        let reasons = all.map { bounds.check($0, rowCount: 60) }
        #expect(reasons.map { $0 == nil } == [true, false])
    }

    @Test func `without bounds nothing is watched`() {
        let bounds = HostGuard([])
        #expect(!bounds.isWatching)
    }

    @Test func `bounds that were set are known from the usual ones`() {
        var options = GuardOptions()
        #expect(options.chosenStopIf == nil)
        options.stopIf = [.wrongEnvironment, .inDoubt, .wrongRows]
        #expect(options.chosenStopIf == GuardOptions().stopIf)
    }
}
