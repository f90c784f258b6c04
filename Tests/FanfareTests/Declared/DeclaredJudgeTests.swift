import FanfareCore
import Testing

@testable import Fanfare

@Suite struct DeclaredJudgeTests {
    private static let request = #"{"path": "/", "body": {"to": []}}"#
    private static let batch = #"{"rows": 9, "tokens": "/to"}"#

    private func described(_ answer: String) throws -> Described {
        try Described(["request": Self.request, "batch": Self.batch, "answer": answer])
    }

    /// The same for a service that takes one row at a time.
    private func single(_ answer: String) throws -> Described {
        try Described(["answer": answer])
    }

    private func outcomes(_ judgement: DeclaredJudgement) -> [String] {
        judgement.rows.map { row in
            row.class.outcome.name.description + (row.reason.isEmpty ? "" : ": \(row.reason)")
        }
    }

    // MARK: Rules

    @Test(
        arguments: [
            (200, #"{"ok":true}"#, "accepted"), (201, "", "accepted"), (404, "{}", "unregistered"),
            (500, "{}", "failed"), (503, "", "unknown"), (400, #"{"code":7}"#, "suspect"),
            (400, #"{"code":7.0}"#, "suspect"), (400, #"{"code":"7"}"#, "rejected"),
            (400, #"{"code":8}"#, "rejected"), (400, #"{"code":null}"#, "throttled"),
            (400, #"{"why":"It is BLOCKED today"}"#, "failed: It is BLOCKED today"),
            (400, #"{"list":[{"n":"a"},{"n":"b","v":1}]}"#, "rejected"),
            (400, #"{"list":[{"n":"a"},{"n":"b","v":2}]}"#, "unregistered: b"),
            (400, #"{"list":[{"n":"a","v":2},{"n":"b","in":[{"x":"deep"}]}]}"#, "failed: deep"),
            (400, #"{"list":{"n":"b","v":2}}"#, "rejected"),
        ] as [(UInt16, String, String)])
    func `the first rule that fits decides`(status: UInt16, body: String, outcome: String) throws {
        let described = try single(
            #"""
            {"rules": [
               {"status": "2xx", "outcome": "accepted"}, {"status": [404, 410], "outcome": "unregistered"},
               {"status": 500, "outcome": "failed", "retry": "later"},
               {"at": "/code", "is": [7, "seven"], "outcome": "suspect"},
               {"at": "/code", "is": [null], "outcome": "throttled"},
               {"at": "/why", "like": ["*blocked*", "*gone"], "outcome": "failed", "reason": "/why"},
               {"in": {"each": "/list", "where": {"/n": "b"}}, "at": "/v", "is": [2],
                "outcome": "unregistered", "reason": "b"},
               {"in": [{"each": "/list", "where": {"/n": "b"}}, {"each": "/in"}], "at": "/x", "present": true,
                "outcome": "failed", "reason": "deep"}],
             "otherwise": {"outcome": "rejected"}}
            """#)
        #expect(outcomes(described.judge(status, body, tokens: ["a"])) == [outcome])
    }

    @Test func `what is absent can be asked for`() throws {
        let described = try described(
            #"""
            {"rules": [
               {"status": 400, "at": "/error", "present": false, "outcome": "failed"},
               {"status": 400, "in": {"each": "/list"}, "at": "/bad", "present": false, "outcome": "suspect"}],
             "otherwise": "rejected"}
            """#)
        for (body, outcome) in [
            ("<html>", "failed"), ("{}", "failed"), (#"{"error":null}"#, "failed"),
            (#"{"error":0}"#, "suspect"), (#"{"error":0,"list":[{"bad":1}]}"#, "rejected"),
            (#"{"error":0,"list":[{}]}"#, "suspect"),
        ] {
            #expect(outcomes(described.judge(400, body, tokens: ["a"])) == [outcome], "\(body)")
        }
    }

    @Test func `verdicts say all that a class can say`() throws {
        let described = try Described([
            "auth": #"{"kind": "bearer_file", "file": "f"}"#,
            "answer": #"""
            {"rules": [
              {"status": 400, "outcome": "failed", "retry": "elsewhere"},
              {"status": 401, "outcome": "failed", "retry": "with-new-credential"},
              {"status": 402, "outcome": "failed", "credential": "refused", "job": "stop"},
              {"status": 403, "outcome": "failed", "credential": "renew", "job": "stop-at-start"},
              {"status": 404, "outcome": "throttled", "retry": "later-own", "wait": "90s"},
              {"status": 405, "outcome": "failed", "retry": "later", "blames": "payload"},
              {"status": 500, "outcome": "unknown"},
              {"status": 501, "outcome": "unknown", "retry": "never"}],
             "otherwise": {"outcome": "rejected", "retry": "never"}}
            """#,
        ])
        let expected: [(UInt16, ResponseClass)] = [
            (400, ResponseClass(.failed, retry: .elsewhereAtOnce, connection: .retire)),
            (
                401,
                ResponseClass(
                    .failed, retry: .withNewCredential, connection: .retire, credential: .renew)
            ),
            (402, ResponseClass(.failed, credential: .refused, job: .stop)),
            (403, ResponseClass(.failed, credential: .renew, job: .stopAtStart)),
            (404, ResponseClass(.throttled, retry: .afterOwnDelay, firstDelay: .seconds(90))),
            (405, ResponseClass(.failed, retry: .afterDelay, blames: .payload)),
            (406, ResponseClass(.rejected, job: .stopAtStart)),
            (500, ResponseClass(.unknown, retry: .inDoubt)),
            (501, ResponseClass(.unknown)),
        ]
        for (status, found) in expected {
            #expect(described.judge(status, "{}", tokens: ["a"]).rows[0].class == found)
        }
    }

    /// As long as one of `retry-after` at the most.
    @Test(
        arguments: [
            (#"{"w":30}"#, 30_000, 30), (#"{"w":"1.5"}"#, 1500, 2), (#"{"w":0}"#, 0, 0),
            (#"{"w":1e3}"#, 1_000_000, 1000), (#"{"w":0.0001}"#, 1, 1),
            (#"{"w":99999999999}"#, 86_400_000, 86_400_000), (#"{"w":-1}"#, nil, nil),
            (#"{"w":"inf"}"#, nil, nil), (#"{"w":"0x10"}"#, nil, nil), (#"{"w":""}"#, nil, nil),
            (#"{"w":[1]}"#, nil, nil), (#"{"w":true}"#, nil, nil), ("{}", nil, nil),
        ] as [(String, Int?, Int?)])
    func `a wait is what the body says`(body: String, seconds: Int?, milliseconds: Int?) throws {
        for (unit, expected) in [("seconds", seconds), ("milliseconds", milliseconds)] {
            let described = try described(
                #"""
                {"rules": [{"status": 429, "outcome": "throttled", "retry": "later",
                            "wait": {"at": "/w", "unit": "\#(unit)"}}], "otherwise": "rejected"}
                """#)
            let row = described.judge(429, body, tokens: ["a"]).rows[0]
            #expect(row.wait == expected.map { .milliseconds($0) }, "\(unit)")
            // It is no reason to wait that another rule has judged.
            #expect(described.judge(400, body, tokens: ["a"]).rows[0].wait == nil)
        }
    }

    // MARK: What no rule is about

    @Test(
        arguments: [
            (200, "<html>", "unknown: the answer is not JSON, or not whole"),
            (200, "{}", "rejected"), (301, "{}", "failed"),
            (400, "<html>", "failed"), (400, "{}", "rejected"), (404, "", "failed"),
            (408, "{}", "failed"), (421, "{}", "failed"), (429, "{}", "throttled"),
            (429, "<html>", "throttled"), (500, "{}", "unknown"), (599, "", "unknown"),
        ] as [(UInt16, String, String)])
    func `what has not come from the service says nothing of a row`(
        status: UInt16, body: String, outcome: String
    ) throws {
        let described = try described(
            #"{"rules": [{"at": "/ok", "is": [true], "outcome": "accepted"}], "otherwise": "rejected"}"#
        )
        #expect(outcomes(described.judge(status, body, tokens: ["a"])) == [outcome])
        // Half an answer is like one that cannot be read.
        let half = described.judge(status, body, tokens: ["a"], isComplete: false)
        #expect(half == described.judge(status, "<html>", tokens: ["a"]))
    }

    /// Bodies may be anything if no rule looks into them.
    @Test func `a body that nothing reads does not count`() throws {
        let described = try described(
            #"{"rules": [{"status": "2xx", "outcome": "accepted"}], "otherwise": "rejected"}"#)
        for body in ["", "<html>", "{}"] {
            #expect(outcomes(described.judge(204, body, tokens: ["a"])) == ["accepted"])
            #expect(outcomes(described.judge(400, body, tokens: ["a"])) == ["rejected"])
        }
    }

    private static let ways = [
        #"{"by": "batch"}"#,
        #"{"by": "index", "list": "/data", "id": "/id", "rules": [{"at": "/s", "is": ["ok"], "outcome": "accepted"}], "otherwise": {"outcome": "rejected", "reason": "/s"}}"#,
        #"{"by": "tokens", "lists": [{"at": "/bad", "outcome": "unregistered"}, {"at": "/slow", "separator": ",", "outcome": "throttled"}], "rest": "accepted"}"#,
        #"{"by": "token_key", "list": "/data", "key": "/t", "rules": [{"at": "/s", "is": ["ok"], "outcome": "accepted"}], "otherwise": "rejected", "rest": "unknown"}"#,
        #"{"by": "object", "at": "/data", "rules": [{"like": "ok*", "at": "", "outcome": "accepted"}], "otherwise": "rejected", "rest": "unknown"}"#,
    ]

    private static let hostile = [
        "", "{", "null", "[]", "{}", "0", "\"\"", "1e999999", #"{"data":null}"#, #"{"data":{}}"#,
        #"{"data":[[[]]]}"#, #"{"data":[null,null,null]}"#, #"{"bad":{"a":1}}"#, #"{"bad":[{}]}"#,
        #"{"bad":[1e400,"a"]}"#, #"{"bad":"a","slow":["a"]}"#, #"{"slow":",,a,,"}"#,
        #"{"data":[{"t":"a"},{"t":{}},{"t":"\u0000\r\n"}]}"#, #"{"id":{"x":1}}"#,
        #"{"data":{"a":{},"b":[],"":0}}"#, "\u{FEFF}{}", "{\"id\":\"\\ud83d\\ude00\"}",
        String(repeating: "[", count: 5000), String(repeating: #"{"data":"#, count: 2000),
        "[" + String(repeating: "0,", count: 5_000) + "0]",
        #"{"data":[{"s":""# + String(repeating: "x", count: 10_000) + #""},{},{}]}"#,
        #"{"code":9999999999999999999999999999}"#,
    ]

    @Test(arguments: ways)
    func `every answer means something for each row`(way: String) throws {
        let described = try described(
            """
            {"id": "/id", "decode": ["/data", "/msg"], "rows": \(way),
             "rules": [{"at": "/code", "is": [9], "outcome": "suspect"}, {"status": 200, "outcome": "accepted"}],
             "otherwise": "rejected"}
            """)
        for status in [UInt16.min, 100, 199, 200, 204, 299, 304, 400, 429, 500, 999, UInt16.max] {
            for body in Self.hostile {
                for tokens in [["a"], ["a", "b", "a"]] {
                    let judgement = described.judge(status, body, tokens: tokens)
                    #expect(judgement.rows.count == tokens.count)
                    for row in judgement.rows {
                        #expect(row.reason.utf8.count <= 300 && row.id.utf8.count <= 256)
                        #expect(!row.reason.contains { $0 == "\n" || $0 == "\u{0}" })
                    }
                }
            }
        }
    }

    // MARK: Rows

    private func byRows(_ way: Int) throws -> Described {
        try described(
            """
            {"id": "/id", "rows": \(Self.ways[way]),
             "rules": [{"status": 200, "outcome": "accepted"}], "otherwise": "rejected"}
            """)
    }

    @Test func `a shared verdict is marked, and calls no token dead`() throws {
        let described = try described(
            #"""
            {"rules": [{"status": 200, "outcome": "accepted"},
                       {"at": "/code", "is": [1], "outcome": "unregistered", "reason": "/why"}],
             "otherwise": "rejected"}
            """#)
        #expect(outcomes(described.judge(200, "{}", tokens: ["a"])) == ["accepted"])
        #expect(
            outcomes(described.judge(200, "{}", tokens: ["a", "b"]))
                == ["accepted: shared", "accepted: shared"])
        let body = #"{"code":1,"why":"all"}"#
        // The number of rows that happened to share the request is no matter.
        #expect(outcomes(described.judge(400, body, tokens: ["a"])) == ["suspect: all"])
        #expect(
            outcomes(described.judge(400, body, tokens: ["a", "b"]))
                == ["suspect: shared: all", "suspect: shared: all"])
    }

    @Test func `a refusal halves what has two rows or more`() throws {
        let described = try described(
            #"""
            {"rules": [{"status": 400, "outcome": "suspect", "split": true},
                       {"status": 401, "outcome": "rejected", "job": "stop"},
                       {"status": 402, "outcome": "rejected", "split": false},
                       {"status": 404, "outcome": "suspect"}],
             "otherwise": "rejected"}
            """#)
        for (status, splits) in [
            (400, true), (401, false), (402, false), (403, true), (404, false), (413, true),
            (429, false), (500, false),
        ] as [(UInt16, Bool)] {
            #expect(described.judge(status, "{}", tokens: ["a", "b"]).splits == splits)
            #expect(!described.judge(status, "{}", tokens: ["a"]).splits)
        }
    }

    @Test func `rows are told apart by their places`() throws {
        let described = try byRows(1)
        let judgement = described.judge(
            200, #"{"id":"all","data":[{"s":"ok","id":"m1"},{"s":"no"},{}]}"#,
            tokens: ["a", "b", "c"])
        #expect(outcomes(judgement) == ["accepted", "rejected: no", "rejected"])
        #expect(judgement.rows.map(\.id) == ["m1", "", ""])
        #expect(judgement.flaw == nil)
        // One too few: nothing says which.
        let short = described.judge(200, #"{"id":1,"data":[{"s":"ok"}]}"#, tokens: ["a", "b"])
        #expect(
            outcomes(short)
                == Array(repeating: "unknown: the answer has 1 results for 2 rows", count: 2))
        #expect(short.flaw == "the answer has 1 results for 2 rows")
        #expect(short.rows[0].class.retry == .inDoubt)
        let none = described.judge(200, #"{"id":1}"#, tokens: ["a"])
        #expect(none.flaw == "the answer has no list /data")
        let torn = described.judge(200, #"{"data":[{"s":"ok"}]}"#, tokens: ["a"], isComplete: false)
        #expect(outcomes(torn) == ["unknown: the answer is not JSON, or not whole"])
        // An answer that is not accepted has no results.
        #expect(described.judge(500, "", tokens: ["a"]).flaw == nil)
    }

    @Test func `rows are told apart by lists of tokens`() throws {
        let described = try byRows(2)
        let judgement = described.judge(
            200, #"{"id":"m","bad":["b","x"],"slow":"c,b,y"}"#, tokens: ["a", "b", "c", "b"])
        // The worse of two verdicts counts.
        #expect(outcomes(judgement) == ["accepted", "unregistered", "throttled", "unregistered"])
        #expect(judgement.strays == 2)
        #expect(judgement.rows.map(\.id) == ["m", "m", "m", "m"])
        #expect(
            outcomes(described.judge(200, #"{"id":1,"bad":null}"#, tokens: ["a"])) == ["accepted"])
        let broken = described.judge(200, #"{"id":1,"bad":5}"#, tokens: ["a", "b"])
        #expect(outcomes(broken)[0] == "unknown: /bad of the answer is a number")
        // An answer that is no object has no list that could be absent.
        for body in [#""maintenance""#, "[]", "17", "null"] {
            let said = described.judge(200, body, tokens: ["a"])
            #expect(said.rows[0].class.retry == .inDoubt, "\(body)")
            #expect(said.rows[0].class.outcome == .unknown, "\(body)")
        }
        // A number may be a token.
        #expect(
            outcomes(described.judge(200, #"{"id":1,"bad":[17]}"#, tokens: ["17"]))
                == ["unregistered"])
    }

    @Test func `rows are told apart by the tokens of results`() throws {
        let described = try byRows(3)
        let judgement = described.judge(
            200, #"{"id":1,"data":[{"t":"b","s":"ok"},{"t":"a","s":"no"},{"t":"z"},{"s":"ok"}]}"#,
            tokens: ["a", "b", "c"])
        #expect(outcomes(judgement) == ["rejected", "accepted", "unknown"])
        #expect(judgement.strays == 2)
        #expect(
            described.judge(200, #"{"id":1}"#, tokens: ["a"]).flaw == "the answer has no list /data"
        )
    }

    @Test func `rows are told apart by the keys of an object`() throws {
        let described = try byRows(4)
        let judgement = described.judge(
            200, #"{"id":1,"data":{"b":"ok_online","a":"gone","z":"ok"}}"#, tokens: ["a", "b", "c"])
        #expect(outcomes(judgement) == ["rejected", "accepted", "unknown"])
        #expect(judgement.strays == 1)
        #expect(
            described.judge(200, #"{"id":1,"data":[]}"#, tokens: ["a"]).flaw
                == "/data of the answer is an array")
    }

    @Test(arguments: [
        #""by": "token_key", "list": "/data", "key": "/t""#, #""by": "object", "at": "/data""#,
    ])
    func `a list of some rows that is left out names none`(kind: String) throws {
        let described = try described(
            #"""
            {"rows": {\#(kind), "rest": "accepted", "otherwise": "rejected",
                      "rules": [{"at": "/s", "is": ["ok"], "outcome": "accepted"}]},
             "rules": [{"status": 200, "outcome": "accepted"}], "otherwise": "rejected"}
            """#)
        for body in ["{}", #"{"data":null}"#] {
            let judgement = described.judge(200, body, tokens: ["a", "b"])
            #expect(outcomes(judgement) == ["accepted", "accepted"])
            #expect(judgement.flaw == nil)
        }
        let broken = described.judge(200, #"{"data":"a"}"#, tokens: ["a"])
        #expect(outcomes(broken) == ["unknown: /data of the answer is a text"])
        for body in [#""maintenance""#, "[]", "17"] {
            #expect(described.judge(200, body, tokens: ["a"]).rows[0].class.outcome == .unknown)
        }
    }

    /// It could arrive twice.
    @Test func `a row that is accepted and refused is not sent again`() throws {
        let described = try described(
            #"""
            {"rows": {"by": "token_key", "list": "/data", "key": "/t", "rest": "unknown",
                      "rules": [{"at": "/s", "is": ["ok"], "outcome": "accepted"}],
                      "otherwise": {"outcome": "throttled", "retry": "later"}},
             "rules": [{"status": 200, "outcome": "accepted"}], "otherwise": "rejected"}
            """#)
        for data in [#"[{"t":"a","s":"ok"},{"t":"a"}]"#, #"[{"t":"a"},{"t":"a","s":"ok"}]"#] {
            let row = described.judge(200, #"{"data":\#(data)}"#, tokens: ["a"]).rows[0]
            #expect(row.class == ResponseClass(.throttled))
        }
        let twice = described.judge(200, #"{"data":[{"t":"a"},{"t":"a"}]}"#, tokens: ["a"]).rows[0]
        #expect(twice.class == ResponseClass(.throttled, retry: .afterDelay))
    }

    @Test func `words of a service are shown as they may be`() throws {
        let described = try described(
            #"{"id": "/id", "rules": [], "otherwise": {"outcome": "rejected", "reason": "/why"}}"#)
        let long = String(repeating: "é", count: 200)
        let row = described.judge(
            400, #"{"why":"a\nb\u001b[2J\u202e \#(long)","id":17}"#, tokens: ["a"]
        ).rows[0]
        #expect(row.reason.hasPrefix("a\u{FFFD}b\u{FFFD}[2J\u{FFFD} éé"))
        #expect((254...256).contains(row.reason.utf8.count))
        #expect(row.id == "17")
        let deleted = described.judge(400, #"{"why":"a\u007fb~"}"#, tokens: ["a"]).rows[0]
        #expect(deleted.reason == "a\u{FFFD}b~")
    }
}
