import FanfareBase
import FanfareCore
import Testing

@testable import Fanfare

/// The end of a client's job for those that wait, and its figures.
@Suite struct PushSessionTests {
    private typealias End = Result<PushOutcome, any Error>

    /// The ends of a row that a job had taken, and of one that it had not, when the job is over.
    private func ends(
        _ reason: FanfareError, _ last: ProgressSnapshot
    ) async -> (taken: End, waiting: End) {
        let session = PushSession()
        let taken = Task { try await session.send(PushRow(token: "aa", id: "u1")) }
        #expect(await session.next()?.token == "aa")
        let waiting = Task { try await session.send(PushRow(token: "bb")) }
        session.end(reason, last: last)
        return (taken: await taken.result, waiting: await waiting.result)
    }

    private func code(_ end: End) -> FanfareError.Code? {
        guard case .failure(let error) = end else { return nil }
        return (error as? FanfareError)?.code
    }

    @Test func `a job that comes to rest leaves rows that were not sent`() async {
        let ends = await ends(FanfareError(.output, "full"), ProgressSnapshot())
        #expect(code(ends.taken) == .output)
        #expect(code(ends.waiting) == .output)
    }

    @Test func `a job that ends with requests in flight leaves them in doubt`() async throws {
        var flying = ProgressSnapshot()
        flying.gauges.inFlight = 1
        // It has an outcome that was not handed over.
        var behind = ProgressSnapshot()
        behind.counts.outcomes[.accepted] = 1
        for last in [flying, behind] {
            let ends = await ends(FanfareError(.output, "full"), last)
            let outcome = try ends.taken.get()
            #expect(outcome.kind == .unknown && outcome.row == 1)
            #expect(outcome.token == "aa" && outcome.id == "u1" && outcome.reason == "full")
            #expect(code(ends.waiting) == .output)
        }
    }

    @Test func `counts go on from one job to the next, and gauges do not`() {
        var ended = ProgressSnapshot()
        ended.counts.outcomes[.accepted] = 4
        ended.counts.outcomes[.failed] = 1
        ended.gauges.inFlight = 3
        ended.gauges.connections = 2
        ended.counts.connectionsOpened = 2
        ended.counts.latency.record(nanoseconds: 5_000_000)
        ended.routes = [RouteProgress(.apns, counts: ended.counts, gauges: ended.gauges)]
        var progress = ProgressSnapshot()
        progress.counts.outcomes[.accepted] = 1
        progress.counts.outcomes[.failed] = 1
        progress.gauges.inFlight = 1
        progress.gauges.connections = 1
        progress.counts.connectionsOpened = 1
        progress.addEnded(ended)
        #expect(progress.finished == 7 && progress.count(of: .accepted) == 5)
        #expect(progress.inFlight == 1 && progress.connections == 1)
        #expect(progress.connectionsOpened == 3 && progress.latencies.count == 1)
        let route = progress.routes.first
        #expect(route?.finished == 5 && route?.count(of: .accepted) == 4 && route?.inFlight == 0)
        progress.addEnded(ended)
        #expect(progress.routes.count == 1 && progress.routes.first?.finished == 10)
    }
}
