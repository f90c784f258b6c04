import FanfareBase
import FanfareCore
import Testing

@testable import Fanfare

/// A lane whose provider refuses what it gets.
@Suite struct ProviderPauseTests {
    private static func answer(_ status: Int, _ body: String = "") -> String {
        "HTTP/1.1 \(status) Some\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static func names(_ lane: inout SerialLane) -> [String] {
        (lane.engine.takeEvents()?.events ?? []).map { "\($0.name)" }
            .filter { $0.hasPrefix("provider_") && !$0.contains("token") }
    }

    @Test func `it pauses until a row is taken, and says so once`() throws {
        var lane = try SerialLane(rows: 1) { settings in
            settings.dispatch.retry = RetryPolicy(attemptsMax: 5)
            settings.dispatch.retry.leastDelay = .seconds(10)
            settings.events = EventBuffer(level: .info, lane: 0) { 1 }
        }
        lane.open()
        #expect(lane.engine.snapshot.gauges.pause == nil)
        let refusal = Self.answer(503, #"{"reason":"ServiceUnavailable"}"#)
        var until = Instant.distantPast
        for attempt in 0..<2 {
            lane.say(refusal)
            let pause = try #require(lane.engine.snapshot.gauges.pause)
            #expect(pause.cause == .answer("503 ServiceUnavailable") && pause.rows == 1)
            #expect(pause.until >= lane.world.now.advanced(by: .seconds(10)))
            #expect(pause.until > until)
            #expect(Self.names(&lane) == (attempt == 0 ? ["provider_paused"] : []))
            until = pause.until
            lane.world.now = until
            lane.turn()
            // While it is tried, it is not over.
            #expect(lane.engine.snapshot.gauges.pause?.until == until)
        }
        lane.say(Self.answer(200))
        #expect(lane.engine.snapshot.gauges.pause == nil)
        #expect(Self.names(&lane) == ["provider_resumed"])
        #expect(lane.count(.accepted) == 1)
    }

    @Test func `rows that fail for good leave no pause`() throws {
        var lane = try SerialLane(rows: 1) { settings in
            settings.dispatch.retry = RetryPolicy(attemptsMax: 2)
            settings.dispatch.retry.leastDelay = .seconds(10)
        }
        lane.open()
        lane.say(Self.answer(503))
        lane.world.now = try #require(lane.engine.snapshot.gauges.pause).until
        lane.turn()
        lane.say(Self.answer(503))
        #expect(lane.engine.snapshot.gauges.pause == nil && lane.engine.isFinished)
    }

    @Test func `one lane that sends is no pause of its provider`() {
        var sum = ProgressGauges()
        sum.lanePause = ProviderPause(.answer("503"), until: Instant(nanoseconds: 9), rows: 4)
        #expect(sum.pause?.rows == 4)
        var other = ProgressGauges()
        other.inFlightElsewhere = 1
        sum += other
        #expect(sum.pause == nil)
    }
}
