import FanfareCore
import Testing

@testable import Fanfare

/// Answers that the service may not have given: a portal's, a login page's, a proxy's.
@Suite struct DeclaredFormTests {
    private func described(_ answer: String, isBatch: Bool = false) throws -> Described {
        guard isBatch else { return try Described(["answer": answer]) }
        return try Described([
            "request": #"{"path": "/", "body": {"to": []}}"#,
            "batch": #"{"rows": 9, "tokens": "/to"}"#, "answer": answer,
        ])
    }

    private func row(
        _ described: Described, _ status: UInt16, _ body: String
    ) -> DeclaredJudgement.Row {
        described.judge(status, body, tokens: ["a"]).rows[0]
    }

    private func outcome(_ described: Described, _ status: UInt16, _ body: String) -> String {
        let row = row(described, status, body)
        return row.class.outcome.name.description + (row.reason.isEmpty ? "" : ": \(row.reason)")
    }

    private static let notJSON = "unknown: the answer is not JSON, or not whole"

    @Test(
        arguments: [
            (200, #"{"id":"m1"}"#, "accepted"), (200, #"{"id":""}"#, "accepted"),
            (200, "<html>Please log in</html>", notJSON), (200, "", notJSON),
            (200, #"{"id":"m1""#, notJSON),
            (200, #"{"login":"required"}"#, "unknown: the answer has no /id"),
            (200, #"{"id":null}"#, "unknown: the answer has no /id"),
            (200, "[]", "unknown: the answer has no /id"), (204, "", "unknown"),
            (204, "<html>", notJSON), (410, "{}", "unregistered"), (410, "", "unregistered"),
            (410, "<html>", "failed"), (403, "{}", "suspect"), (403, "<html>", "failed"),
            (404, "<html>", "failed"), (400, "{}", "rejected"), (400, "", "rejected"),
            (429, "<html>", "throttled"), (401, "<html>", "failed"), (302, "<html>", "failed"),
        ] as [(UInt16, String, String)])
    func `an answer about a row has the form of the service`(
        status: UInt16, body: String, expected: String
    ) throws {
        let described = try described(
            #"""
            {"id": "/id",
             "rules": [{"status": 200, "outcome": "accepted"}, {"status": 410, "outcome": "unregistered"},
                       {"status": 403, "outcome": "suspect"}, {"status": "3xx", "outcome": "rejected"},
                       {"status": 401, "outcome": "failed", "job": "stop"}],
             "otherwise": {"outcome": "rejected", "reason": "/error"}}
            """#)
        #expect(outcome(described, status, body) == expected)
        if status < 300, expected.hasPrefix("unknown") {
            #expect(row(described, status, body).class == .foreignSuccess)
        }
    }

    @Test func `a success in words is one where the file says that answers have any form`() throws {
        let answer =
            #""rules": [{"status": 200, "outcome": "accepted"}], "otherwise": {"outcome": "rejected", "reason": "/error"}}"#
        let any = try described(#"{"form": "any", \#(answer)"#)
        #expect(outcome(any, 200, "ok") == "accepted")
        #expect(outcome(any, 400, "no such topic") == "rejected")
        let json = try described("{\(answer)")
        #expect(outcome(json, 200, "") == "accepted")
        #expect(outcome(json, 200, "ok") == Self.notJSON)
        #expect(outcome(json, 400, "no such topic") == "failed")
    }

    /// A thing that is found proves who has answered; that something is missing does not.
    @Test(arguments: [
        (#"{"ok":true}"#, "accepted"), (#"{"id":1}"#, "accepted"),
        (#"{"error":1,"id":1}"#, "rejected"), ("{}", "unknown: the answer has no /id"),
        ("<html>", notJSON),
    ])
    func `a rule proves a success by what it finds`(body: String, expected: String) throws {
        let described = try described(
            #"""
            {"id": "/id", "rules": [{"status": 200, "at": "/ok", "is": [true], "outcome": "accepted"},
                                    {"status": 200, "at": "/error", "present": false, "outcome": "accepted"}],
             "otherwise": "rejected"}
            """#)
        #expect(outcome(described, 200, body) == expected)
    }

    @Test(arguments: [
        (#"{"code":1,"bad":[],"list":[{"n":"b"},{"n":"ab"}]}"#, "accepted"),
        (#"{"code":1,"bad":[],"list":[{"n":"b"}]}"#, "rejected"),
        (#"{"code":1,"list":[{"n":"ab"}]}"#, "rejected"),
        (#"{"code":2,"bad":[],"list":[{"n":"ab"}]}"#, "rejected"),
    ])
    func `a rule may have several conditions`(body: String, expected: String) throws {
        let described = try described(
            #"""
            {"rules": [{"status": 200, "at": "/code", "is": [1], "and": [
                          {"at": "/bad", "present": true},
                          {"in": {"each": "/list"}, "at": "/n", "like": "a*"}], "outcome": "accepted"}],
             "otherwise": "rejected"}
            """#)
        #expect(outcome(described, 200, body) == expected)
    }

    /// It may be right about all of them, and a request for each row would only say so again.
    @Test func `refusals of single rows, and nothing else, stop a job at its start`() throws {
        let answer =
            #"{"rules": [{"status": 401, "outcome": "rejected", "job": "stop"}], "otherwise": "rejected"}"#
        let shared = try described(answer, isBatch: true)
        #expect(row(shared, 400, "{}").class == ResponseClass(.rejected, job: .stopAtStart))
        #expect(row(shared, 401, "{}").class.job == .stop)
        let single = ResponseClass(.rejected, job: .stopAtStart)
        #expect(try row(described(answer), 400, "{}").class == single)
        // One that a row has named speaks for its own rows alone.
        let hooks = try Described([
            "origin": #"{"column": "url", "allow_hosts": ["*"]}"#,
            "request": #"{"method": "POST"}"#,
            "answer": answer,
        ])
        #expect(row(hooks, 400, "{}").class == ResponseClass(.rejected))
    }
}
