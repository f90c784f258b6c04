import FanfareBase
import FanfareHTTP2
import FanfareTestSupport
import Testing

@testable import Fanfare
@testable import FanfareCore

/// Requests of several rows, in a lane whose server is the test.
@Suite struct SharedRequestTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let members = [
        "request": #"{"path": "/send", "body": {"to": [], "text": "${row:text}"}}"#,
        "batch": #"{"rows": 3, "tokens": "/to", "linger": "50ms"}"#,
        "answer": #"""
        {"rules": [{"status": 200, "outcome": "accepted"},
         {"status": 413, "outcome": "rejected", "split": true},
         {"status": 401, "outcome": "failed", "job": "stop"},
         {"status": 429, "outcome": "throttled", "retry": "later"}],
         "otherwise": {"outcome": "rejected", "reason": "/why"},
         "rows": {"by": "index", "list": "/r", "id": "/id",
          "rules": [{"at": "/e", "is": ["gone"], "outcome": "unregistered", "reason": "/e"},
                    {"at": "/e", "is": ["slow"], "outcome": "throttled", "retry": "later"}],
          "otherwise": {"outcome": "accepted"}}}
        """#,
    ]

    /// Marks, and their memory.
    private final class KeptMarks {
        private let memory = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 64)
        let marks: StartMarks

        init() {
            memory.initializeMemory(as: UInt8.self, repeating: 0, count: 4096)
            marks = StartMarks(memory: memory)
        }

        deinit { memory.deallocate() }
    }

    /// Has time pass until the lane sends something.
    private func nextRequest(_ lane: inout SerialLane) -> String {
        for _ in 0..<100 {
            let sent = lane.world.takeSent()
            guard sent.isEmpty else { return sent }
            guard let due = lane.engine.nextDeadline(now: lane.world.now) else { return "" }
            lane.world.now = max(lane.world.now, due)
            lane.turn()
        }
        return ""
    }

    /// A lane with rows that have a token and a text each.
    private func lane(
        _ rows: [(String, String)], isInputOpen: Bool = false, marks: StartMarks? = nil,
        change: (inout LaneSettings) -> Void = { _ in }
    ) throws -> SerialLane {
        let file = try Described(Self.members).file
        let options = DeclaredOptions(
            file: file, settings: try ProviderSettings(file.provider, given: [], secrets: []))
        let schema = RowSchema(extra: options.valueColumns)
        let slots = options.provider.columns.enumerated().map { index, name in
            index == options.provider.token.column ? 0 : schema.slot(named: name) ?? 0
        }
        let service = try DeclaredService(
            options,
            DeclaredService.Settings(
                scheme: "http", authority: "127.0.0.1:1", job: "j", slots: slots),
            unixMilliseconds: { 1_700_000_000_000 })
        let batch = RowBatch(slotCount: schema.slotCount)
        let text = "token,text\n" + rows.map { "\($0.0),\($0.1)\n" }.joined()
        _ = try RowReader(.text(text), InputSpec(schema: schema)).fill(batch)
        var settings = LaneSettings(sending: service, schema, attemptsMax: 3)
        settings.marks = marks
        change(&settings)
        return SerialLane(batch, settings, isInputOpen: isInputOpen)
    }

    /// The bodies of the requests in what was sent.
    private func bodies(_ sent: String) -> [String] {
        sent.components(separatedBy: "POST ").dropFirst().map { request in
            String(request.components(separatedBy: "\r\n\r\n").last ?? "")
        }
    }

    private func answer(_ status: Int, _ body: String, fields: String = "") -> String {
        "HTTP/1.1 \(status) Said\r\n\(fields)content-length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// The report's fields of each row from its outcome on, by its number.
    private func lines(_ lane: borrowing SerialLane) -> [Int: [String]] {
        var found: [Int: [String]] = [:]
        for line in lane.world.lines.split(separator: "\n") {
            let parts = line.split(separator: ",", omittingEmptySubsequences: false).map(
                String.init)
            if let row = Int(parts[0]) { found[row] = Array(parts[4..<9]) }
        }
        return found
    }

    @Test func `equal rows share requests, and each has the outcome that is told of it`() throws {
        var lane = try lane([("a", "x"), ("b", "y"), ("c", "x"), ("d", "x"), ("e", "x")])
        lane.open()
        #expect(bodies(lane.world.takeSent()) == [#"{"to":["a","c","d"],"text":"x"}"#])
        lane.say(answer(200, #"{"r":[{"id":"m1"},{"e":"gone"},{"id":"m3"}]}"#))
        // Behind the end of the rows there is nothing to wait for; the oldest goes first.
        #expect(bodies(lane.world.takeSent()) == [#"{"to":["b"],"text":"y"}"#])
        lane.say(answer(200, #"{"r":[{"id":"m4"}]}"#))
        #expect(bodies(lane.world.takeSent()) == [#"{"to":["e"],"text":"x"}"#])
        lane.say(answer(429, "{}", fields: "retry-after: 1\r\n"))
        #expect(bodies(nextRequest(&lane)) == [#"{"to":["e"],"text":"x"}"#])
        lane.say(answer(200, #"{"r":[{}]}"#))
        let isFinished = lane.engine.isFinished
        #expect(isFinished)
        #expect(
            lines(lane) == [
                1: ["accepted", "200", "", "m1", "1"], 2: ["accepted", "200", "", "m4", "1"],
                3: ["unregistered", "200", "gone", "", "1"],
                4: ["accepted", "200", "", "m3", "1"], 5: ["accepted", "200", "", "", "2"],
            ])
        let tally = lane.engine.books.report.tally
        #expect(tally.rowsRead == 5 && tally.attempts == 6)
    }

    @Test func `a request that is not full waits for its time, and no longer`() throws {
        var lane = try lane([("a", "x"), ("b", "x")], isInputOpen: true)
        lane.open()
        #expect(lane.world.takeSent() == "")
        let due = lane.engine.nextDeadline(now: lane.world.now) ?? .distantFuture
        let latest = lane.world.now.advanced(by: .milliseconds(50))
        #expect(due <= latest)
        lane.world.now = lane.world.now.advanced(by: .milliseconds(49))
        lane.turn()
        #expect(lane.world.takeSent() == "")
        lane.world.now = lane.world.now.advanced(by: .milliseconds(1))
        lane.turn()
        #expect(bodies(lane.world.takeSent()) == [#"{"to":["a","b"],"text":"x"}"#])
    }

    @Test func `all rows of a request that was cut are in doubt, and none is sent again`() throws {
        let kept = KeptMarks()
        let marks = kept.marks
        var lane = try lane([("a", "x"), ("b", "x"), ("c", "x")], marks: marks)
        lane.open()
        #expect(bodies(lane.world.takeSent()).count == 1)
        #expect((1...3).allSatisfy { marks.isSet($0) })
        lane.close()
        #expect(lane.count(.unknown) == 3)
        #expect(lane.world.dials == 1)
        let lines = lines(lane)
        #expect((1...3).allSatisfy { lines[$0] == ["unknown", "", "connection lost", "", "1"] })
    }

    @Test func `a request of which nothing has left is made again, of the same rows`() throws {
        let kept = KeptMarks()
        let marks = kept.marks
        var lane = try lane([("a", "x"), ("b", "x"), ("c", "x")], marks: marks)
        lane.world.room = 0
        lane.open()
        #expect(lane.world.takeSent() == "")
        lane.close()
        #expect((1...3).allSatisfy { !marks.isSet($0) })
        lane.world.room = .max
        lane.wait()
        let next = try #require(lane.world.dialled.first)
        lane.open()
        #expect(bodies(lane.world.takeSent(next)) == [#"{"to":["a","b","c"],"text":"x"}"#])
        lane.say(answer(200, #"{"r":[{},{},{}]}"#), on: next)
        #expect(lane.count(.accepted) == 3)
        let attempts = lane.engine.books.report.tally.attempts
        #expect(attempts == 3)
    }

    @Test func `a request that one row is too much for goes in halves`() throws {
        var lane = try lane([("a", "x"), ("b", "x"), ("c", "x")])
        lane.open()
        _ = lane.world.takeSent()
        lane.say(answer(413, "{}"))
        #expect(bodies(lane.world.takeSent()) == [#"{"to":["a","b"],"text":"x"}"#])
        lane.say(answer(413, "{}"))
        #expect(bodies(lane.world.takeSent()) == [#"{"to":["a"],"text":"x"}"#])
        lane.say(answer(200, #"{"r":[{}]}"#))
        #expect(bodies(lane.world.takeSent()) == [#"{"to":["b"],"text":"x"}"#])
        lane.say(answer(200, #"{"r":[{}]}"#))
        #expect(bodies(lane.world.takeSent()) == [#"{"to":["c"],"text":"x"}"#])
        lane.say(answer(413, "{}"))
        let isFinished = lane.engine.isFinished
        #expect(isFinished)
        let lines = lines(lane)
        #expect(lines[1] == ["accepted", "200", "", "", "1"])
        #expect(lines[2] == ["accepted", "200", "", "", "1"])
        #expect(lines[3] == ["rejected", "413", "", "", "1"])
    }

    @Test func `a row that a service refuses with its whole request ends alone`() throws {
        var lane = try lane([("a", "x"), ("b", "x"), ("c", "x")])
        lane.open()
        for tokens in [#""a","b","c""#, #""a","b""#, #""a""#, #""b""#, #""c""#] {
            #expect(bodies(lane.world.takeSent()) == [#"{"to":[\#(tokens)],"text":"x"}"#])
            lane.say(
                tokens.contains("b")
                    ? answer(400, #"{"why":"b is no id"}"#) : answer(200, #"{"r":[{}]}"#))
        }
        let isFinished = lane.engine.isFinished
        #expect(isFinished)
        #expect(
            lines(lane) == [
                1: ["accepted", "200", "", "", "1"],
                2: ["rejected", "400", "b is no id", "", "1"],
                3: ["accepted", "200", "", "", "1"],
            ])
    }

    /// Rows in doubt keep their lines, so that no later run sends them again.
    @Test func `pages in place of answers stop a job at its start`() throws {
        var lane = try lane((1...21).map { ("t\($0)", "x\($0)") })
        lane.open()
        for row in 1...20 {
            #expect(bodies(nextRequest(&lane)) == [#"{"to":["t\#(row)"],"text":"x\#(row)"}"#])
            let stop = lane.engine.stop?.kind
            #expect(stop == nil)
            lane.say(answer(200, "<html>Please log in</html>"))
        }
        let (stop, isFinished, lines) = (
            lane.engine.stop?.kind, lane.engine.isFinished, lines(lane)
        )
        #expect(stop == .refused && isFinished)
        #expect(lines.keys.sorted() == Array(1...20))
        #expect(lines.values.allSatisfy { $0[0] == "unknown" && $0[1] == "200" })
    }

    @Test func `rows that are refused for now go again, with others or without`() throws {
        var lane = try lane([("a", "x"), ("b", "x"), ("c", "x")])
        lane.open()
        _ = lane.world.takeSent()
        lane.say(answer(200, #"{"r":[{"e":"slow"},{"id":"m2"},{"e":"slow"}]}"#))
        #expect(lane.count(.accepted) == 1)
        var sent: [String] = []
        for _ in 0..<2 {
            guard let body = bodies(nextRequest(&lane)).first else { break }
            sent.append(body)
            lane.say(answer(200, body.contains(#"","#) ? #"{"r":[{},{}]}"# : #"{"r":[{}]}"#))
        }
        #expect(lane.count(.accepted) == 3)
        #expect(sent.joined().contains(#""a""#) && sent.joined().contains(#""c""#))
        #expect(!sent.joined().contains(#""b""#))
    }

    @Test func `a refusal of the sender stops the job, and leaves all rows for later`() throws {
        let kept = KeptMarks()
        let marks = kept.marks
        var lane = try lane(
            [("a", "x"), ("b", "x"), ("c", "x"), ("d", "y")], marks: marks)
        lane.open()
        _ = lane.world.takeSent()
        lane.say(answer(401, "{}"))
        let (stop, left, isFinished) = (
            lane.engine.stop?.kind, lane.engine.books.rowsLeft, lane.engine.isFinished
        )
        #expect(stop == .refused && left == 3 && isFinished)
        #expect(lane.world.lines == "")
        #expect((1...4).allSatisfy { !marks.isSet($0) })
    }

    /// At ten a second: three rows take three tenths of a second, and a request one tenth.
    @Test(arguments: [(false, 300), (true, 100)] as [(Bool, Int64)])
    func `a pace counts the rows of a request, or requests if it is one of those`(
        pacesRequests: Bool, milliseconds: Int64
    ) throws {
        let rows = ["a", "b", "c", "d", "e", "f"].map { ($0, "x") }
        var lane = try lane(rows) {
            let pace = PaceSettings(count: 10, period: 1_000_000_000, burst: 1)
            $0.pace = LanePace(job: JobPace(pace, lanes: 1), lane: 0)
            if pacesRequests { $0.pacesRequests = true }
        }
        lane.open()
        let start = lane.world.now
        #expect(bodies(lane.world.takeSent()) == [#"{"to":["a","b","c"],"text":"x"}"#])
        lane.say(answer(200, #"{"r":[{},{},{}]}"#))
        #expect(bodies(nextRequest(&lane)) == [#"{"to":["d","e","f"],"text":"x"}"#])
        let after = lane.world.now.nanoseconds(since: start) / 1_000_000
        #expect(after >= milliseconds && after < milliseconds + 100)
    }

    @Test
    func `a connection that makes room for a new one closes with a request that is too large`()
        throws
    {
        var lane = try lane([("a", "x"), ("b", "x"), ("c", "x")]) {
            $0.dispatch.age.ageMax = .seconds(10)
        }
        lane.open()
        _ = lane.world.takeSent()
        lane.world.now = lane.world.now.advanced(by: .seconds(10))
        lane.turn()
        #expect(lane.world.dialled == [1])
        lane.open()
        #expect(lane.world.closed == [])
        lane.say(answer(413, "{}"))
        #expect(lane.world.closed == [0])
        #expect(bodies(lane.world.takeSent(1)) == [#"{"to":["a","b"],"text":"x"}"#])
    }
}
