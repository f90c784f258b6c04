import FanfareBase
import FanfareCore
import FanfareHTTP2
import Testing

@testable import Fanfare

/// Answers behind others: what was judged before makes no difference.
@Suite struct DeclaredReadingTests {
    private struct Reply: Equatable {
        var status: UInt16 = 200
        var body = ""
        var retryAfter = ""
        var isComplete = true
    }

    /// The judge's words about an answer to one row.
    private struct Said: Equatable {
        var `class`: ResponseClass
        var reason: String
        var id: String
        var retryAfter: String
        var splits: Bool
    }

    private let file: ProviderFile

    init() throws {
        file = try Described([
            "answer": #"""
            {"id": "/id", "rules": [
               {"status": 200, "at": "/ok", "is": [true], "outcome": "accepted"},
               {"status": 200, "outcome": "unregistered", "reason": "/why"},
               {"status": 429, "outcome": "throttled", "reason": "/why"},
               {"status": 413, "outcome": "rejected", "blames": "payload"}],
             "otherwise": "rejected"}
            """#
        ]).file
    }

    private func said(
        _ reading: inout DeclaredReading, _ reply: Reply, to row: borrowing PreparedRow
    ) -> Said {
        var bytes = ByteBuffer()
        bytes.append(reply.body as String)
        var field = ByteBuffer()
        field.append(reply.retryAfter as String)
        let first = reading.judge(
            Response(
                status: reply.status, isComplete: reply.isComplete,
                bodyBytes: UInt64(bytes.count), messageID: .empty, retryAfter: field.bytes,
                body: bytes.bytes), to: row)
        let (judgement, retryAfter) = reading.judgement(ofRow: 0)
        return Said(
            class: first.class, reason: String(decoding: judgement.reason, as: UTF8.self),
            id: String(decoding: judgement.messageID, as: UTF8.self),
            retryAfter: String(decoding: retryAfter, as: UTF8.self), splits: reading.splits)
    }

    private static let replies = [
        Reply(body: #"{"ok":true,"id":"m1"}"#), Reply(body: #"{"ok":true,"id":"m2"}"#),
        Reply(body: #"{"why":"gone"}"#), Reply(body: #"{"why":"gone"}"#, retryAfter: "9"),
        Reply(body: #"{"why":"gone"}"#, isComplete: false),
        Reply(status: 429, body: #"{"why":"gone"}"#, retryAfter: "120"), Reply(status: 429),
        Reply(), Reply(body: "<html>"), Reply(status: 413, body: "{}"), Reply(status: 0),
        Reply(body: #"{"ok":true,"id":"\#(String(repeating: "a", count: 600))"}"#),
        Reply(body: #"{"ok":true,"id":"m3"}"#, retryAfter: "5"),
        Reply(body: #"{"ok":true,"id":""}"#),
        Reply(body: #"{"ok":true,"id":"m\"2"}"#), Reply(body: #"{"ok":true,"id":"m2","id":"m4"}"#),
        Reply(body: #"{"ok":true,"id":"m2\u0041"}"#), Reply(body: #"{"ok":true,"id":"m 2"}"#),
        Reply(body: #"{"ok":true,"id":"mé"}"#), Reply(body: #"{"ok":true,"id":7}"#),
        Reply(body: #"{"ok":true,"id":"x","ok":false,"why":"m"}"#),
        Reply(body: #"{"ok":true,"id":"}"#),
        Reply(body: #"{"ok":true,"id":"\#(String(repeating: "b", count: 300))"}"#),
        Reply(body: #"{"id":"n1","why":"gone"}"#), Reply(body: #"{"id":"n22","why":"gone"}"#),
    ]

    @Test func `an answer has the same verdict behind any others`() {
        let row = PreparedRow()
        var own = PreparedRow()
        own.ownColumns.insert(.payload)
        for first in Self.replies {
            for second in Self.replies {
                var reading = DeclaredReading(file)
                for reply in [first, second, second, first] {
                    var fresh = DeclaredReading(file)
                    #expect(said(&reading, reply, to: row) == said(&fresh, reply, to: row))
                }
                var fresh = DeclaredReading(file)
                #expect(said(&reading, first, to: own) == said(&fresh, first, to: own))
            }
        }
    }

    /// Rules that look at the id, in any way that a file may have, keep each id's own verdict.
    @Test(arguments: [
        #"{"at": "/id", "is": ["m1"], "outcome": "unregistered"}"#,
        #"{"at": "/id", "like": "*1", "outcome": "unregistered"}"#,
        #"{"in": {"each": "/list"}, "at": "/id", "is": ["m1"], "outcome": "unregistered"}"#,
        #"{"status": 200, "outcome": "unregistered", "reason": "/id"}"#,
        #"{"status": 200, "outcome": "throttled", "retry": "later", "wait": {"at": "/id", "unit": "seconds"}}"#,
    ])
    func `an id that something depends on is read each time`(rule: String) throws {
        let file = try Described([
            "answer": #"{"id": "/id", "rules": [\#(rule)], "otherwise": "rejected"}"#
        ]).file
        #expect(file.provider.answer.freeID == nil)
        let row = PreparedRow()
        var reading = DeclaredReading(file)
        for id in ["m1", "m2", "17", "m1", "9"] {
            var fresh = DeclaredReading(file)
            let reply = Reply(body: #"{"id":"\#(id)","list":[{"id":"\#(id)"}]}"#)
            #expect(said(&reading, reply, to: row) == said(&fresh, reply, to: row))
            #expect(reading.wait(ofRow: 0) == fresh.wait(ofRow: 0))
        }
    }

    @Test func `the reason and the id are those of the answer`() {
        let row = PreparedRow()
        var reading = DeclaredReading(file)
        for _ in 0..<3 {
            let accepted = said(&reading, Self.replies[0], to: row)
            #expect(accepted.class.outcome == .accepted && accepted.id == "m1")
        }
        for _ in 0..<3 {
            let gone = said(&reading, Self.replies[3], to: row)
            #expect(gone.class.outcome == .unregistered && gone.reason == "gone")
            #expect(gone.retryAfter == "9" && gone.id.isEmpty)
        }
    }

    /// An answer that says the same of one row after the other is read once.
    @Test func `a verdict repeats where it is that of the row before`() throws {
        let file = try Described([
            "request": #"{"path": "/", "body": {"to": []}}"#,
            "batch": #"{"rows": 9, "tokens": "/to"}"#,
            "answer": #"""
            {"rules": [{"status": 200, "outcome": "accepted"},
                       {"status": 413, "outcome": "rejected", "blames": "payload"}],
             "otherwise": "rejected",
             "rows": {"by": "index", "list": "/data", "otherwise": "accepted", "rules": [
               {"at": "/w", "present": true, "outcome": "throttled", "retry": "later",
                "wait": {"at": "/w", "unit": "seconds"}}]}}
            """#,
        ]).file
        var row = PreparedRow()
        var others = ByteBuffer()
        for token in ["b", "c", "d", "e"] {
            Array(token.utf8).withUnsafeBufferPointer { TokenList.append($0, to: &others) }
        }
        row.token = Array("a".utf8).withUnsafeBufferPointer { row.append($0) }
        row.otherTokens = row.append(others.bytes)
        var reading = DeclaredReading(file)
        _ = said(&reading, Reply(body: #"{"data":[{},{"w":1},{"w":1},{"w":2},{}]}"#), to: row)
        #expect((1...4).map { reading.repeats(row: $0) } == [false, true, false, false])
        #expect((0...4).map { reading.wait(ofRow: $0)?.components.seconds } == [nil, 1, 1, 2, nil])
        // The payload that it blames may be the row's own.
        _ = said(&reading, Reply(status: 413, body: "{}"), to: row)
        #expect((1...4).map { reading.repeats(row: $0) } == [false, false, false, false])
    }
}
