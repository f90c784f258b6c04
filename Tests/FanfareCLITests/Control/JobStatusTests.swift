import Fanfare
import FanfareBase
import FanfareCLI
import FanfareCore
import Testing

/// The answer to `status`.
@Suite struct JobStatusTests {
    @Test func `a provider that takes nothing for now is told, with its next try`() {
        var fcm = ProgressGauges()
        fcm.lanePause = ProviderPause(
            .answer("503"), until: Instant(nanoseconds: 40_000_000_000), rows: 4)
        var counts = ProgressCounts()
        counts.outcomes[.unknown] = 1
        var snapshot = ProgressSnapshot()
        snapshot.inputShare = 0.98
        snapshot.routes = [
            RouteProgress(.apns, expectedRows: 0),
            RouteProgress(.fcm, counts: counts, gauges: fcm, expectedRows: 5),
        ]
        var history = ProgressHistory(started: Instant(nanoseconds: 0))
        let reading = history.read(snapshot, at: Instant(nanoseconds: 1_000_000_000))
        // Nothing says when the provider takes rows again.
        #expect(reading.secondsLeft == nil)
        let status = JobStatus(snapshot, rate: nil, isStopping: false, reading: reading)
        #expect(status.text.hasSuffix("; fcm answers 503; next try in 39 s (4 rows wait)"))
        #expect(status.text.contains("; fcm: 1 row, 0 accepted, "))
        #expect(
            status.json.contains(
                #""pauses": [{"provider": "fcm","reason": "answers 503","next_try_seconds": 39.0,"#
            ))
    }
}
