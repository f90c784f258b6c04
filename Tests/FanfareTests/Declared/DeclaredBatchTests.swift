import FanfareCore
import Testing

@testable import Fanfare

@Suite struct DeclaredBatchTests {
    private let rows = [#"{"token":"a","text":"x"}"#, #"{"token":"b\"","text":"x"}"#]

    @Test(arguments: [
        (
            #"{"path": "/", "body": {"to": [], "text": "${row:text}"}}"#,
            #"{"rows": 2, "tokens": "/to"}"#, #"{"to":["a","b\""],"text":"x"}"#
        ),
        (
            #"{"path": "/", "body": {"in": {"to": ""}}}"#,
            #"{"rows": 2, "tokens": "/in/to", "join": "comma"}"#, #"{"in":{"to":"a,b\""}}"#
        ),
        (
            #"{"path": "/", "encoding": "form", "body": {"to": "", "text": "${row:text}"}}"#,
            #"{"rows": 2, "tokens": "/to", "join": "comma"}"#, "to=a%2Cb%22&text=x"
        ),
        (
            #"{"path": "/", "body": {"to": "${row:token}"}}"#, #"{"rows": 2, "messages": ""}"#,
            #"[{"to":"a"},{"to":"b\""}]"#
        ),
        (
            #"{"path": "/", "body": {"dry": true, "all": [{"to": "${row:token}"}], "t": "${row:text}"}}"#,
            #"{"rows": 2, "messages": "/all"}"#,
            #"{"dry":true,"all":[{"to":"a"},{"to":"b\""}],"t":"x"}"#
        ),
        (
            #"{"path": "/", "encoding": "form", "body": {"messages": {"json": [["${row:token}"]]}}}"#,
            #"{"rows": 2, "messages": "/messages/json"}"#,
            "messages=%5B%5B%22a%22%5D%2C%5B%22b%5C%22%22%5D%5D"
        ),
    ])
    func `rows share a request`(request: String, batch: String, body: String) throws {
        let described = try Described(["request": request, "batch": batch])
        #expect(try described.request(rows).bodyText == body)
        #expect(described.file.provider.batch?.rowsMax == 2)
        #expect(described.file.provider.batch?.linger == .milliseconds(50))
        #expect(throws: DeclaredRowProblem.tooManyRows(2)) {
            try described.request(rows + [rows[0]])
        }
    }

    @Test func `rows that differ in more than their token do not`() throws {
        let described = try Described([
            "request": ##"""
            {"path": "/${row:app|x}", "headers": {"x-a": "${row:head|h}"},
             "body": {"to": [], "text": "${row:text}"}}
            """##,
            "batch": #"{"rows": 9, "tokens": "/to"}"#,
        ])
        #expect(throws: Never.self) { try described.request(rows) }
        for other in [
            #"{"token":"c","text":"y"}"#, #"{"token":"c","text":"x","app":"y"}"#,
            #"{"token":"c","text":"x","head":"y"}"#,
        ] {
            #expect(throws: DeclaredRowProblem.notOfTheBatch) {
                try described.request(rows + [other])
            }
        }
    }

    /// It would be two of them.
    @Test func `a token with a comma does not stand among commas`() throws {
        let described = try Described([
            "request": #"{"path": "/", "body": {"to": ""}}"#,
            "batch": #"{"rows": 2, "tokens": "/to", "join": "comma"}"#,
        ])
        #expect(throws: DeclaredRowProblem.tokenInvalid) {
            try described.request([#"{"token":"a,b"}"#])
        }
    }

    @Test(arguments: [
        (
            #"{"path": "/", "body": {"to": [], "o": {}}}"#, #""pointer": "/o/key""#,
            #"{"to":["a","b\""],"o":{"key":"id-1"}}"#
        ),
        (
            #"{"path": "/", "body": {"to": []}}"#, #""header": "Request-Key""#,
            #"{"to":["a","b\""]}"#
        ),
    ])
    func `a request has a key of its own`(request: String, place: String, body: String) throws {
        let described = try Described([
            "request": request, "batch": #"{"rows": 2, "tokens": "/to"}"#,
            "idempotency": #"{\#(place), "value": "uuid5", "valid": "24h"}"#,
        ])
        let request = try described.request(rows)
        #expect(request.bodyText == body)
        #expect(request.field("request-key") == (place.contains("header") ? "id-1" : nil))
        #expect(
            described.file.provider.idempotency
                == DeclaredIdempotency(.uuid5, valid: .seconds(86_400)))
    }
}
