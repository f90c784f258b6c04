import FanfareBase
import FanfareHTTP2
import FanfareTLS
import Synchronization
import Testing

@testable import Fanfare
@testable import FanfareCore

/// A lane whose connections wait for a credential that cannot be had.
@Suite struct CredentialTroubleTests {
    /// A source that is in the state that a test puts it into.
    private final class Source: CredentialSource {
        let state = Mutex<(supply: CredentialSupply, trouble: CredentialTrouble?)>((.wait, nil))

        var supply: CredentialSupply { state.withLock { $0.supply } }
        var trouble: CredentialTrouble? { state.withLock { $0.trouble } }

        func grant() throws(TLSError) -> Credential { throw .invalidValue("there is none") }

        func judged(
            _ verdict: ResponseClass.Credential, _ credential: Credential
        ) -> CredentialAction { .goOn }

        func say(_ trouble: CredentialTrouble?, _ supply: CredentialSupply = .wait) {
            state.withLock { $0 = (supply, trouble) }
        }
    }

    private static func seconds(_ value: Int64) -> Instant {
        Instant(nanoseconds: value * 1_000_000_000)
    }

    private static func settings(_ source: Source) -> LaneSettings {
        var settings = LaneSettings(
            dispatch: DispatchSettings(
                connections: 1, streamsPerConnection: 10, firstRequestAlone: false,
                timeout: .seconds(1), retry: RetryPolicy(attemptsMax: 1)),
            preparation: PreparationSettings(
                schema: RowSchema(), template: nil, report: ReportFormat(.csv), hasReport: true,
                carriedSlots: [], validates: true),
            connection: ConnectionSettings(
                session: ClientSessionConfiguration(streamCapacity: 10), service: APNs.sample,
                credentials: source))
        settings.events = EventBuffer(level: .info, lane: 0) { 1 }
        return settings
    }

    private static func world() throws -> RowsAlone {
        let batch = RowBatch(slotCount: RowSchema().slotCount)
        let reader = try RowReader(
            .text("token,payload\naabb,{}\n"), InputSpec(schema: RowSchema()))
        let isFilled = try reader.fill(batch)
        try #require(isFilled)
        return RowsAlone([batch])
    }

    @Test func `it is shown while rows wait, and told once`() throws {
        let (source, world) = (Source(), try Self.world())
        var engine = LaneEngine(settings: Self.settings(source), environment: world, seed: 1)
        var told: [[String]] = []
        var shown: [ProviderTrouble?] = []
        var deadlines: [Instant?] = []
        let waiting = CredentialTrouble.Waiting(lasted: .seconds(3), patience: .seconds(900))
        let steps: [(CredentialTrouble?, CredentialSupply)] = [
            (nil, .wait),
            // Not for long enough, before the first token, and then while requests wait.
            (
                CredentialTrouble(lasted: .milliseconds(999), waiting: waiting, reason: "DOWN"),
                .wait
            ),
            (CredentialTrouble(lasted: .seconds(1), reason: "DOWN"), .wait),
            (CredentialTrouble(lasted: .seconds(5), waiting: waiting, reason: "DOWN"), .wait),
            (nil, .ready),
        ]
        for (second, (trouble, supply)) in steps.enumerated() {
            world.now = Self.seconds(Int64(second))
            source.say(trouble, supply)
            engine.turn(now: world.now)
            let events = engine.takeEvents()?.events ?? []
            told.append(events.map { "\($0.name)" }.filter { $0.hasPrefix("access_token") })
            shown.append(engine.snapshot.gauges.trouble)
            deadlines.append(engine.nextDeadline(now: world.now))
        }
        #expect(told == [[], [], ["access_token_failing"], [], ["access_token_renewed"]])
        #expect(
            shown == [
                nil, nil, nil, ProviderTrouble(seconds: 3, patienceSeconds: 900, reason: "DOWN"),
                nil,
            ])
        // Each second it is looked at, and when it is over a connection is dialled.
        #expect(deadlines.dropLast() == (1...4).map { Self.seconds($0) }[...])
        #expect(world.dials == 1)
    }
}
