import FanfareBase
import FanfareHTTP2
import FanfareTLS
import Testing

@testable import Fanfare
@testable import FanfareCore

/// Answers that repeat a token or a secret, and what stands in the report then.
@Suite struct ReasonCleanerTests {
    private static let tokens = ["cA9x1bXn/f3:APA91bH-q_Z0", "dB8y2cYo/g4:BQB82cI-r_A1"]
    private static let secret = "s3cr/et:Value+0815"

    /// A lane of a described provider whose requests carry a secret, and have so many rows at the most.
    private func lane(rows: Int) throws -> SerialLane {
        let file = try Described([
            "settings": #"{"key": {"about": "a key", "secret": true}}"#,
            "request": #"""
            {"path": "/send", "headers": {"x-key": "${secret:key}"}, "body": {"to": []}}
            """#,
            "batch": #"{"rows": 2, "tokens": "/to", "linger": "50ms"}"#,
            "answer": #"""
            {"rules": [{"status": 200, "outcome": "accepted"}],
             "otherwise": {"outcome": "failed", "reason": "/why"},
             "rows": {"by": "index", "list": "/r", "id": "/id",
              "rules": [{"at": "/e", "present": true, "outcome": "rejected", "reason": "/e"}],
              "otherwise": {"outcome": "accepted"}}}
            """#,
        ]).file
        let options = DeclaredOptions(
            file: file,
            settings: try ProviderSettings(
                file.provider, given: [], secrets: [("key", Secret(Self.secret))]))
        let schema = RowSchema(extra: options.valueColumns)
        let service = try DeclaredService(
            options,
            DeclaredService.Settings(
                scheme: "http", authority: "127.0.0.1:1", job: "j",
                slots: options.provider.columns.map { _ in 0 }),
            unixMilliseconds: { 1_700_000_000_000 })
        let batch = RowBatch(slotCount: schema.slotCount)
        let text = "token\n" + Self.tokens.prefix(rows).map { "\($0)\n" }.joined()
        _ = try RowReader(.text(text), InputSpec(schema: schema)).fill(batch)
        return SerialLane(batch, LaneSettings(sending: service, schema, attemptsMax: 1))
    }

    /// Returns the reasons and ids in the report of rows that are answered so.
    private func told(
        _ status: Int, _ body: String, rows: Int = 1
    ) throws -> [(reason: String, id: String)] {
        var lane = try lane(rows: rows)
        lane.open()
        for _ in 0..<10 where lane.world.takeSent().isEmpty {
            lane.world.now = lane.world.now.advanced(by: .milliseconds(50))
            lane.turn()
        }
        lane.say("HTTP/1.1 \(status) Said\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)")
        return lane.world.lines.split(separator: "\n").map { line in
            let parts = line.split(separator: ",", omittingEmptySubsequences: false)
            return (String(parts[6]), String(parts[7]))
        }
    }

    @Test(arguments: [
        tokens[0], tokens[0].uppercased(), "cA9x1bXn%2Ff3%3AAPA91bH-q_Z0",
        #"cA9x1bXn\/f3\u003aAPA91bH-q_Z0"#, #"cA9x1bXn\\/f3\\u003aAPA91bH-q_Z0"#,
        "cA9x1bXn/f3:AP", "A91bH-q_Z0",
    ])
    func `a row's token is taken out of its reason`(_ form: String) throws {
        let told = try told(400, #"{"why": "no user \#(form) here"}"#)
        #expect(told.map(\.reason) == ["no user [token] here"])
    }

    @Test(arguments: [
        secret, secret.uppercased(), "s3cr%2Fet%3AValue%2B0815", #"s3cr\/et:Value\u002b0815"#,
        "s3cr/et:Val", "et:Value+0815",
    ])
    func `a secret is taken out of a reason`(_ form: String) throws {
        let told = try told(403, #"{"why": "bad header x-key: \#(form)"}"#)
        #expect(told.map(\.reason) == ["bad header x-key: [secret]"])
    }

    @Test func `both are taken out, and other words stay`() throws {
        let both = "key \(Self.secret) is not for \(Self.tokens[0])"
        #expect(
            try told(400, #"{"why": "\#(both)"}"#).map(\.reason)
                == ["key [secret] is not for [token]"])
        #expect(try told(400, #"{"why": "NotRegistered"}"#).map(\.reason) == ["NotRegistered"])
    }

    @Test func `one row's token is taken out of the reason of all rows of its request`() throws {
        for token in Self.tokens {
            let told = try told(400, #"{"why": "\#(token) is wrong"}"#, rows: 2)
            #expect(told.map(\.reason) == Array(repeating: "shared: [token] is wrong", count: 2))
        }
    }

    @Test func `each row has its own reason and id without its token`() throws {
        let told = try told(
            200,
            #"{"r": [{"e": "no \#(Self.tokens[0])"}, {"e": "bad \#(Self.tokens[1])"}]}"#, rows: 2)
        // The row whose request it was comes last.
        #expect(told.map(\.reason).sorted() == ["bad [token]", "no [token]"])
    }

    @Test func `an id that is a token is not shown`() throws {
        let told = try told(200, #"{"r": [{"id": "m-\#(Self.tokens[0])"}]}"#)
        #expect(told.map(\.id) == ["m-[token]"])
    }
}
