import FanfareBase
import FanfareCore
import Foundation
import Synchronization
import Testing

/// Events as values, and how a lane collects them.
@Suite struct LogEventTests {
    private func object(_ line: String) throws -> [String: Any] {
        #expect(line.last == "\n" && line.dropLast().allSatisfy { !$0.isNewline })
        let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
        return try #require(value as? [String: Any])
    }

    @Test func `an event is an object on a line`() throws {
        // RFC 3339 §5.6: 1,000,000,000 s after 1970.
        let event = LogEvent(
            "connection_closed", .warning, milliseconds: 1_000_000_000_123, lane: 2, connection: 7,
            [
                .init("reason", "a \"word\"\nand \u{1B}[2J"), .init("in_flight", 640),
                .init("share", 0.25),
            ])
        let value = try object(event.line())
        #expect(value["time"] as? String == "2001-09-09T01:46:40.123Z")
        #expect(value["level"] as? String == "warning")
        #expect(value["event"] as? String == "connection_closed")
        #expect(value["lane"] as? Int == 2 && value["connection"] as? Int == 7)
        #expect(value["reason"] as? String == "a \"word\"\nand \u{1B}[2J")
        #expect(value["in_flight"] as? Int == 640 && value["share"] as? Double == 0.25)
        #expect(!event.line().contains("\u{1B}"))
    }

    @Test(
        arguments: [
            ("TooManyRequests", "TooManyRequests"), ("", ""), ("AZaz", "AZaz"),
            ("@", "other"), ("[", "other"), ("`", "other"), ("{", "other"),
            (String(repeating: "a", count: 64), String(repeating: "a", count: 64)),
            (String(repeating: "ab12", count: 16), "other"), ("Bad token", "other"),
            (String(repeating: "a", count: 65), "other"), ("Größe", "other"),
        ])
    func `of what a provider says only a word is taken over`(reason: String, text: String) {
        #expect(LogEvent.reason(Array(reason.utf8)) == text)
    }

    @Test func `events are equal that say the same`() {
        func event(_ change: (inout LogEvent) -> Void = { _ in }) -> LogEvent {
            var event = LogEvent("x", .info, milliseconds: 1, lane: 2, connection: 3)
            event.fields = [.init("a", 4)]
            change(&event)
            return event
        }
        #expect(event() == event())
        #expect(event { $0.name = "y" } != event())
        #expect(event { $0.level = .error } != event())
        #expect(event { $0.milliseconds = 2 } != event())
        #expect(event { $0.lane = nil } != event())
        #expect(event { $0.connection = 4 } != event())
        #expect(event { $0.fields = [] } != event())
    }

    @Test func `an event of the whole job has no lane`() throws {
        let value = try object(LogEvent("job_paused", .info, milliseconds: 0).line())
        #expect(Set(value.keys) == ["time", "level", "event"])
    }

    @Test func `a long text is cut`() throws {
        let text = String(repeating: "ä", count: 5000)
        let event = LogEvent("x", .info, milliseconds: 0, [.init("text", text)])
        let cut = try #require(try object(event.line())["text"] as? String)
        #expect(cut.utf8.count <= Limits.logTextBytesMax && cut.hasSuffix("…"))
        let short = String(repeating: "x", count: Limits.logTextBytesMax)
        #expect(LogEvent.Field("text", short).value == .text(short))
    }

    @Test func `a buffer that is off collects nothing`() {
        var buffer = EventBuffer()
        buffer.dialled(3)
        buffer.add("x", .error, at: 0, [])
        var reason = "TooManyRequests"
        reason.withUTF8 { buffer.throttled(429, $0) }
        buffer.tellThrottled(now: Instant(nanoseconds: 0), at: 0)
        #expect(!buffer.isOn && !buffer.isPending)
    }

    @Test(arguments: LogLevel.allCases)
    func `a level takes in what matters at least as much`(level: LogLevel) {
        var buffer = EventBuffer(level: level, lane: 0) { 1 }
        for other in LogLevel.allCases { buffer.add("x", other, at: 0, []) }
        let order: [LogLevel] = [.error, .warning, .info, .debug]
        #expect(buffer.take().events.map(\.level) == Array(order[...order.firstIndex(of: level)!]))
    }

    @Test func `a turn has its bound, and what is beyond is counted`() {
        var buffer = EventBuffer(level: .info, lane: 1) { 1 }
        for _ in 0..<Limits.logEventsPerTurn + 5 { buffer.add("x", .info, at: 0, []) }
        buffer.add("y", .debug, at: 0, [])
        let (events, dropped) = buffer.take()
        #expect(events.count == Limits.logEventsPerTurn && dropped == 5)
        #expect(!buffer.isPending && buffer.take().dropped == 0)
    }

    @Test func `a connection is known by its dial, whichever place it takes`() {
        let dials = DialCount()
        var buffer = EventBuffer(level: .info, lane: 4, frameDial: 3) { dials.next() }
        for place in [0, 5, 0] {
            buffer.dialled(place)
            buffer.add("x", .info, on: place, at: 0, [])
        }
        buffer.add("x", .info, on: 5, at: 0, [])
        let events = buffer.take().events
        #expect(events.map(\.connection) == [1, 2, 3, 2])
        #expect(events.allSatisfy { $0.lane == 4 })
        #expect(buffer.wantsFrames(on: 0) && !buffer.wantsFrames(on: 5))
        #expect(!buffer.wantsFrames(on: 9))
    }

    @Test func `answers that ask to come again are summed up by the second`() {
        var buffer = EventBuffer(level: .warning, lane: 0) { 1 }
        func throttle(_ status: UInt16, _ reason: String) {
            var reason = reason
            reason.withUTF8 { buffer.throttled(status, $0) }
        }
        for _ in 0..<1000 { throttle(429, "TooManyRequests") }
        for _ in 0..<3 { throttle(503, "") }
        buffer.tellThrottled(now: Instant(nanoseconds: 0), at: 0)
        let first = buffer.take().events
        #expect(
            first.map(\.fields) == [
                [.init("answer", "429 TooManyRequests"), .init("requests", 1000)],
                [.init("answer", "503"), .init("requests", 3)],
            ])
        throttle(503, "")
        buffer.tellThrottled(now: Instant(nanoseconds: 999_999_999), at: 0)
        #expect(!buffer.isPending)
        buffer.tellThrottled(now: Instant(nanoseconds: 1_000_000_000), at: 0)
        let second = buffer.take().events
        #expect(second.map(\.fields) == [[.init("answer", "503"), .init("requests", 1)]])
        // A provider that answers something else each time does not make it grow.
        for status in UInt16(400)..<500 { throttle(status, "") }
        buffer.tellThrottled(now: Instant(nanoseconds: 3_000_000_000), at: 0)
        #expect(buffer.take().events.count == Limits.logReasonsMax)
    }
}

private final class DialCount: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
