import FanfareCore
import Testing

@testable import Fanfare

/// Bad rows: what the report says, and that it says whose row it is.
@Suite struct RowPreparerProblemTests {
    static let token = String(repeating: "b2", count: 32)
    static let uuid = "eabeae54-14a8-11e5-b60b-1697f925ec7b"

    @Test(arguments: [
        // The fields of a row, beside a good token where it has none, and the problem with it.
        (#""id":"7""#, "token is missing"),
        (#""token":null"#, "token is missing"),
        (#""token":"""#, "token is empty"),
        (#""token":"a""#, "token is too short"),
        (#""token":"\#(String(repeating: "a", count: 401))""#, "token is too long"),
        (#""token":"abcdefgh""#, "token is not hexadecimal"),
        (#""token":"ab cd""#, "token is not hexadecimal"),
        (#""topic":"a b""#, "topic is not a valid header value"),
        (#""topic":"ä""#, "topic is not a valid header value"),
        (#""push_type":"a\nb""#, "push_type is not a valid header value"),
        (#""priority":7"#, "priority must be 1 or 5 or 10"),
        (#""priority":"05""#, "priority must be 1 or 5 or 10"),
        (#""push_type":"background","priority":10"#, "priority must be 5 for background pushes"),
        (#""push_type":"background","priority":1"#, "priority must be 5 for background pushes"),
        (#""expiration":-1"#, "expiration is not 0 or a time in unix seconds"),
        (#""expiration":1700000000000"#, "expiration is not 0 or a time in unix seconds"),
        (#""expiration":"soon""#, "expiration is not 0 or a time in unix seconds"),
        (
            #""collapse_id":"\#(String(repeating: "x", count: 65))""#,
            "collapse_id is longer than 64 bytes"
        ),
        (#""collapse_id":" x""#, "collapse_id is not a valid header value"),
        (#""collapse_id":"a\u0000b""#, "collapse_id is not a valid header value"),
        (#""apns_id":"7""#, "apns_id is not a UUID"),
        (#""apns_id":"eabeae5414a811e5b60b1697f925ec7b0000""#, "apns_id is not a UUID"),
        (#""payload":"nonsense""#, "payload is not JSON"),
        (#""payload":"{\"a\":1""#, "payload is not JSON"),
        (#""payload":[1]"#, "payload is not a JSON object"),
        (#""payload":"[1]""#, "payload is not a JSON object"),
        (#""payload":17"#, "payload is not a JSON object"),
    ])
    func `each problem has its text, its line and the row's report texts`(
        members: String, problem: String
    ) throws {
        let hasToken = members.contains("token") || members == #""id":"7""#
        let good = hasToken ? "" : #""token":"\#(Self.token)","#
        let rows = try Preparation.rows("\n\n{\(good)\(members)}")
        #expect(rows.count == 1)
        let row = try #require(rows.first)
        #expect(!row.isReady)
        #expect(row.problem == "line 3: \(problem)")
        #expect(row.kind == problem)
        #expect(row.prefix.hasPrefix("1,"))
        #expect(row.prefix.hasSuffix(","))
        if !hasToken { #expect(row.prefix == "1,,\(Self.token),apns,") }
    }

    @Test func `a row without a payload needs a template`() throws {
        let rows = try Preparation.rows(
            "token,payload\n\(Self.token),\n\(Self.token),{}\n", payload: nil)
        #expect(rows.map(\.problem) == ["line 2: payload is missing", ""])
    }

    @Test func `a value of the template that is missing is named as the input has it`() throws {
        let rows = try Preparation.rows(
            #"{"token":"\#(Self.token)","first":null}"# + "\n" + #"{"token":"\#(Self.token)"}"#,
            payload: #"{"a":"{{name}}"}"#
        ) { $0.rows.mapping = ["name": "first"] }
        #expect(
            rows.map(\.problem) == [
                "line 1: a value of the template is missing: first",
                "line 2: a value of the template is missing: first",
            ])
        #expect(
            rows.map(\.kind) == Array(repeating: "a value of the template is missing", count: 2))
    }

    @Test func `a value that should be JSON and is not is named`() throws {
        let rows = try Preparation.rows(
            "token,badge\n\(Self.token),3\n\(Self.token),three\n",
            payload: #"{"aps":{"badge":"{{badge:json}}"}}"#)
        #expect(rows.map(\.payload) == [#"{"aps":{"badge":3}}"#, ""])
        #expect(rows.last?.problem == "line 3: a value of the template is not JSON: badge")
    }

    @Test func `a provider token demands a topic`() throws {
        var configuration = Preparation.configuration(
            "token,topic\n\(Self.token),\n\(Self.token),com.example.own\n")
        configuration.provider.topic = nil
        configuration.provider.credentials = .token(keyFile: "k", keyID: "K", teamID: "T")
        let rows = try Preparation.rows(configuration)
        #expect(rows.map(\.problem) == ["line 2: topic is missing", ""])
        // A certificate may stand for its topic.
        configuration.provider.credentials = .certificate(
            file: "c", keyFile: nil, passphraseFile: nil)
        #expect(try Preparation.rows(configuration).map(\.isReady) == [true, true])
    }

    @Test(arguments: [
        (RowFault.Code.rowTooLong, ", byte 7"), (.unclosedQuote, ", field 7"),
        (.textAfterQuote, ", field 7"), (.tooManyFields, ", field 7"),
        (.tooFewFields, ", field 7"), (.invalidUTF8, ", field 7"), (.invalidJSON, ", byte 7"),
        (.notAnObject, ", byte 7"), (.lineNotUTF8, ", byte 7"), (.lineTooLong, ", byte 7"),
    ])
    func `a fault of reading tells line and place`(code: RowFault.Code, place: String) throws {
        let text = RowFault(code).text.description
        for (column, ending) in [(7, place), (0, "")] {
            let rows = try Preparation.rows(
                Preparation.configuration("token,id\n\(Self.token),9\n")
            ) { $0.rows[0].fault = RowFault(code, column: column) }
            #expect(rows.map(\.problem) == ["line 2: \(text)\(ending)"])
            #expect(rows.map(\.kind) == [text])
            #expect(rows.first?.prefix.hasPrefix("1,") == true)
            // There is one provider that it can be for.
            #expect(rows.first?.prefix.hasSuffix(",apns,") == true)
        }
    }

    @Test func `bad lines of real inputs are told with their fields`() throws {
        let rows = try Preparation.rows(
            "token,id\n\(Self.token)\n\(Self.token),1,2\n\(Self.token),\"a\"b\n\(Self.token),ok\n")
        #expect(
            rows.map(\.kind) == [
                "fewer fields than the header has", "more fields than the header has",
                "text after a closing quote", "",
            ])
        #expect(rows.map { $0.problem.hasPrefix("line ") } == [true, true, true, false])
        #expect(rows.last?.prefix == "4,ok,\(Self.token),apns,")
    }

    // MARK: --no-validate

    @Test func `unchecked rows may have any token and payload`() throws {
        let rows = try Preparation.rows(
            "token,payload,topic\nnot-hex!,nonsense,\n"
                + "\(Self.token),\(String(repeating: "x", count: 5000)),\n"
        ) { $0.rows.validates = false }
        #expect(rows.map(\.isReady) == [true, true])
        #expect(rows.map(\.token) == ["not-hex!", "\(Self.token)"])
        #expect(rows.first?.payload == "nonsense")
    }

    @Test(arguments: ["", "a b", "a\u{1}b", "ä", String(repeating: "a", count: 401)])
    func `even unchecked, a token cannot break its request`(token: String) throws {
        let rows = try Preparation.rows("token,id\n\"\(token)\",1\n") { $0.rows.validates = false }
        #expect(rows.map(\.isReady) == [false])
    }

    @Test(arguments: ["topic", "push_type", "collapse_id", "priority", "expiration", "apns_id"])
    func `even unchecked, a header value cannot break its request`(column: String) throws {
        let rows = try Preparation.rows(
            "token,\(column)\n\(Self.token),\"a\r\nx: y\"\n"
        ) { $0.rows.validates = false }
        #expect(rows.map(\.isReady) == [false])
    }
}
