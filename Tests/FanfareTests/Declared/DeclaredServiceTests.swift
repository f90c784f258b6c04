import FanfareBase
import FanfareTLS
import FanfareTestSupport
import Testing

@testable import Fanfare
@testable import FanfareCore

/// Rows as requests of a service that a file describes.
@Suite struct DeclaredServiceTests {
    /// A clock that a test moves on.
    private final class Clock: @unchecked Sendable {
        var milliseconds: Int64 = 1_700_000_000_000
    }

    private let clock = Clock()

    private static let signed = [
        "settings": #"{"secret": {"secret": true}, "app": {"default": "a 1"}}"#,
        "auth": """
        {"kind": "hmac", "hash": "sha256", "key": "${secret:secret}", "over": ["${time:s}", "${body}"],
         "as": "hex", "use": "sign", "also": {"timestamp": "${time:s}", "app": "${set:app}"}}
        """,
        "request": #"""
        {"path": "/to/${row:token}?a=${set:app}", "headers": {"x-title": "${row:title|none}"},
         "body": {"text": "${row:text}", "badge": "${row:badge:json|1}"}}
        """#,
        "token": #"{"shape": "[a-z]+"}"#,
    ]

    private func options(_ members: [String: String] = signed) throws -> DeclaredOptions {
        let file = try Described(members).file
        let settings = try ProviderSettings(
            file.provider, given: [],
            secrets: file.provider.settings.filter(\.isSecret).map { ($0.name, Secret("s3")) })
        return DeclaredOptions(file: file, settings: settings)
    }

    private func service(
        _ options: DeclaredOptions, _ schema: RowSchema
    ) throws -> DeclaredService {
        let slots = options.provider.columns.enumerated().map { index, name in
            index == options.provider.token.column ? 0 : schema.slot(named: name) ?? 0
        }
        return try DeclaredService(
            options,
            DeclaredService.Settings(
                scheme: "https", authority: "127.0.0.1:1", job: "j1", slots: slots),
            unixMilliseconds: { [clock] in clock.milliseconds })
    }

    /// RFC 7617 §2, as Python's base64 has it.
    @Test func `what is sent of a name and a password is a secret, too`() throws {
        let options = try options([
            "settings": #"{"user": {"default": "Aladdin"}, "password": {"secret": true}}"#,
            "auth": #"{"kind": "basic", "user": "${set:user}", "password": "${secret:password}"}"#,
        ])
        let secrets = try service(options, RowSchema(extra: options.valueColumns)).secrets
        let texts = secrets.map { $0.withBytes { unsafe String(decoding: $0, as: UTF8.self) } }
        #expect(texts == ["s3", "QWxhZGRpbjpzMw=="])
    }

    /// Prepares rows, and looks at each behind that.
    private func prepare(
        _ text: String, _ options: DeclaredOptions, template: String? = nil,
        look: (inout PreparedRow, String, DeclaredService) throws -> Void
    ) throws {
        let schema = RowSchema(extra: options.valueColumns)
        let service = try service(options, schema)
        let validator = { (bytes: UnsafeBufferPointer<UInt8>) in
            ProviderFile.isJSON(Array(bytes))
        }
        let compiled = try template.map {
            try PayloadTemplate(json: Array($0.utf8), schema: schema, isJSON: validator)
        }
        let settings = PreparationSettings(
            schema: schema, template: compiled,
            report: ReportFormat(.csv, provider: service.provider), hasReport: true,
            carriedSlots: [], validates: true)
        var preparer = RowPreparer(settings, service)
        let batch = RowBatch(slotCount: schema.slotCount)
        let isRead = try RowReader(.text(text), InputSpec(schema: schema)).fill(batch)
        try #require(isRead)
        for index in 0..<batch.rowCount {
            var row = PreparedRow()
            let isReady = preparer.prepare(batch, index, into: &row)
            let problem = isReady ? "" : String(preparer.problem.bytes)
            try look(&row, problem, service)
        }
    }

    private func texts(_ row: borrowing PreparedRow) -> [String] {
        (0..<Int(row.fieldCount)).map { String(row.bytes.bytes(row.field($0))) }
            + [String(row.bytes.bytes(row.payload))]
    }

    private func signature(_ seconds: Int, _ body: String) -> String {
        HMAC.sha256(Array("\(seconds)\(body)".utf8), key: Secret("s3"))
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test func `what is the same goes with the connection, and the rest has places`() throws {
        let body = #"{"text":"Hi \"you\"","badge":7}"#
        try prepare(
            #"{"token":"ab","text":"Hi \"you\"","badge":7}"# + "\n", options()
        ) { row, problem, service in
            #expect(problem == "")
            let fields = service.headerFields(credential: nil)
            #expect(
                fields.map(\.name) == [
                    ":method", ":scheme", ":authority", ":path", "content-type", "x-title",
                    "timestamp",
                    "app", "sign",
                ])
            #expect(
                fields.map(\.value) == [
                    "POST", "https", "127.0.0.1:1", nil, "application/json", nil, nil, "a 1", nil,
                ])
            #expect(
                texts(row) == [
                    "/to/ab?a=a%201", "none", "1700000000", signature(1_700_000_000, body), body,
                ])
            #expect(String(row.bytes.bytes(row.reportPrefix)) == "1,,ab,test,")
            #expect(String(row.bytes.bytes(row.token)) == "ab")
        }
    }

    @Test func `another attempt is signed anew, and keeps the last answer`() throws {
        let body = #"{"text":"Hi","badge":1}"#
        try prepare("token,text,title,badge\nab,Hi,,\n", options()) { row, _, service in
            let before = texts(row)
            var answer = PreparedRow.LastAnswer()
            answer.status = 429
            Array("slow down".utf8).withUnsafeBufferPointer { reason in
                Array("m1".utf8).withUnsafeBufferPointer { id in
                    row.remember(answer, reason: reason, messageID: id)
                }
            }
            clock.milliseconds += 60_000
            try #require(service.makeRequestMaker()).renewRequest(of: &row)
            #expect(
                texts(row) == [
                    before[0], before[1], "1700000060", signature(1_700_000_060, body), body,
                ])
            #expect(row.lastAnswer.status == 429)
            #expect(String(row.bytes.bytes(row.lastAnswer.reason)) == "slow down")
            #expect(String(row.bytes.bytes(row.lastAnswer.messageID)) == "m1")
            #expect(String(row.bytes.bytes(row.reportPrefix)) == "1,,ab,test,")
        }
    }

    @Test func `what is wrong with a row is said with its place`() throws {
        var found: [String] = []
        try prepare(
            """
            {"text":"x"}
            {"token":"","text":"x"}
            {"token":"a b","text":"x"}
            {"token":"A","text":"x"}
            {"token":"a"}
            {"token":"a","text":null}
            {"token":"a","text":"x","title":"a\\r\\nb: c"}

            """, options()
        ) { _, problem, _ in found.append(problem) }
        #expect(
            found == [
                "line 1: token is missing", "line 2: token is missing",
                "line 3: token has characters that no token has",
                "line 4: token does not look like the provider's: [a-z]+",
                "line 5: a value of the template is missing: text",
                "line 6: a value of the template is missing: text",
                "line 7: a header field has no valid value: x-title",
            ])
    }

    /// "é" has two bytes, and a flag two characters of four.
    @Test func `values keep the rules of their columns`() throws {
        let options = try options([
            "request": #"""
            {"path": "/", "body": {"to": "${row:token}", "title": "${row:title}", "sound": "${row:sound?}",
             "level": "${row:level:json|1}", "url": "${row:url|-}"}}
            """#,
            "columns": #"""
            {"title": {"characters": [1, 3], "about": "what is shown"}, "sound": {"values": ["bell", "horn"]},
             "level": {"values": [1, 2]}, "url": {"bytes": 4}}
            """#,
        ])
        var found: [String] = []
        try prepare(
            """
            token,title,sound,level,url
            a,ééé,bell,2,1234
            a,abcd,,,
            a,,,,
            a,abc,gong,,
            a,abc,,3,
            a,abc,,,12é4
            a,🇩🇪,horn,,

            """, options
        ) { _, problem, _ in found.append(problem) }
        let refused = "a value is not one that the provider takes"
        #expect(
            found == [
                "", "line 3: \(refused): title has 4 characters; 3 are the most",
                "line 4: \(refused): title has 0 characters; 1 are the least",
                "line 5: \(refused): sound is none of bell, horn",
                "line 6: \(refused): level is none of 1, 2",
                "line 7: \(refused): url has 5 bytes; 4 are the most", "",
            ])
    }

    @Test(
        arguments: [
            ("0", false, true), ("7", false, true), ("99", false, true), ("-3", false, true),
            ("100", false, false), ("-4", false, false), ("07", false, false), ("+7", false, false),
            ("7.0", false, false), ("7e1", false, false), ("", false, false), ("-", false, false),
            ("99999999999999999999", false, false), ("gold", false, false), ("7", true, false),
        ] as [(String, Bool, Bool)])
    func `a number is a whole one within its bounds, and no text`(
        value: String, isString: Bool, isGood: Bool
    ) {
        var rule = DeclaredValueRule()
        rule.number = -3...99
        let problem = Array(value.utf8).withUnsafeBufferPointer {
            rule.problem($0, isString: isString)
        }
        let text = "is no whole number from -3 to 99" + (isString ? ", but a text" : "")
        #expect(problem == (isGood ? nil : text))
    }

    @Test func `a setting keeps its rule, and a secret is not shown`() throws {
        let file = try Described([
            "settings": #"""
            {"region": {"values": ["eu", "us"]}, "key": {"secret": true, "bytes": [4, 4]}}
            """#,
            "auth": #"{"kind": "header", "name": "x-key", "value": "${set:region} ${secret:key}"}"#,
        ]).file
        func problem(_ region: String, _ key: String) -> String {
            do throws(ProviderSettings.Fault) {
                _ = try ProviderSettings(
                    file.provider, given: [("region", region)], secrets: [("key", Secret(key))])
                return ""
            } catch {
                return error.text
            }
        }
        #expect(problem("eu", "1234") == "")
        #expect(problem("cn", "1234") == "the setting region of test is none of eu, us")
        #expect(problem("us", "12345") == "the setting key of test has 5 bytes; 4 are the most")
    }

    @Test func `a payload of the job's fills the place that a file has for one`() throws {
        let options = try options([
            "request":
                #"{"path": "/send", "body": {"to": "${row:token}", "what": "${row:payload:json}"}}"#
        ])
        #expect(options.takesPayload)
        #expect(options.requiredColumns(hasPayload: false) == ["payload"])
        #expect(options.requiredColumns(hasPayload: true) == [])
        var bodies: [String] = []
        var areOwn: [Bool] = []
        try prepare(
            #"{"token":"ab"}"# + "\n" + #"{"token":"cd","payload":{"b":2}}"# + "\n", options,
            template: #"{"a":1}"#
        ) { row, _, _ in
            bodies.append(String(row.bytes.bytes(row.payload)))
            areOwn.append(row.ownColumns.contains(.payload))
        }
        #expect(
            bodies == [#"{"to":"ab","what":{"a":1}}"#, #"{"to":"cd","what":{"b":2}}"#])
        #expect(areOwn == [false, true])
    }

    @Test func `rows that share requests are looked at one by one, and made into one`() throws {
        let options = try options([
            "request": #"{"path": "/send", "body": {"to": [], "what": "${row:text}"}}"#,
            "batch": #"{"rows": 3, "tokens": "/to"}"#, "token": #"{"shape": "[a-z]+"}"#,
            "answer":
                #"{"rules": [], "otherwise": {"outcome": "accepted"}, "rows": {"by": "batch"}}"#,
        ])
        var keys: [[UInt8]] = []
        var problems: [String] = []
        var fellows: [(token: [UInt8], values: [UInt8])] = []
        var bodies: [String] = []
        try prepare("token,text\na,Hi\nb,Hi\nC,Hi\nd,Bye\ne,Hi\n", options) {
            row, problem, service in
            problems.append(problem)
            guard problem.isEmpty else { return }
            keys.append(Array(row.bytes.bytes(row.shareKey)))
            let maker = try #require(service.makeRequestMaker())
            let others = fellows.map { fellow in
                // They live as long as the call.
                FellowRow(
                    number: 9, token: Self.copy(fellow.token), values: Self.copy(fellow.values))
            }
            defer {
                for other in others {
                    other.token.deallocate()
                    other.values.deallocate()
                }
            }
            if maker.makeRequest(of: &row, with: others) {
                bodies.append(String(row.bytes.bytes(row.payload)))
            } else {
                bodies.append("")
            }
            fellows.append(
                (Array(row.bytes.bytes(row.token)), Array(row.bytes.bytes(row.values))))
            if problems.count == 4 { fellows.removeLast() }
        }
        #expect(
            problems == [
                "", "", "line 4: token does not look like the provider's: [a-z]+", "", "",
            ])
        #expect(keys[0].count == 20 && keys[0] == keys[1] && keys[3] == keys[0])
        #expect(keys[2] != keys[0])
        #expect(
            bodies == [
                #"{"to":["a"],"what":"Hi"}"#, #"{"to":["b","a"],"what":"Hi"}"#,
                // A row with another text does not go with these.
                "", #"{"to":["e","a","b"],"what":"Hi"}"#,
            ])
    }

    @Test func `rows with messages of their own are looked at one by one, and made into one`()
        throws
    {
        let options = try options([
            "request": #"{"path": "/send", "body": {"to": "${row:token}", "what": "${row:text}"}}"#,
            "batch": #"{"rows": 3, "messages": ""}"#, "token": #"{"shape": "[a-z]+"}"#,
            "answer":
                #"{"rules": [], "otherwise": {"outcome": "accepted"}, "rows": {"by": "batch"}}"#,
        ])
        #expect(options.provider.hasFixedCommonPart)
        var keys: [[UInt8]] = []
        var problems: [String] = []
        var bodies: [String] = []
        var first: (token: [UInt8], values: [UInt8])?
        let text =
            [
                #"{"token":"a","text":"Hi"}"#, #"{"token":"b","text":"Bye \"b\""}"#,
                #"{"token":"C","text":"x"}"#, #"{"token":"d"}"#, #"{"token":"e","text":""}"#,
            ].joined(separator: "\n") + "\n"
        try prepare(text, options) { row, problem, service in
            problems.append(problem)
            guard problem.isEmpty else { return }
            keys.append(Array(row.bytes.bytes(row.shareKey)))
            let other = first.map {
                FellowRow(number: 1, token: Self.copy($0.token), values: Self.copy($0.values))
            }
            defer {
                other?.token.deallocate()
                other?.values.deallocate()
            }
            let maker = try #require(service.makeRequestMaker())
            #expect(maker.makeRequest(of: &row, with: other.map { [$0] } ?? []))
            bodies.append(String(row.bytes.bytes(row.payload)))
            first =
                first ?? (Array(row.bytes.bytes(row.token)), Array(row.bytes.bytes(row.values)))
        }
        #expect(
            problems == [
                "", "", "line 3: token does not look like the provider's: [a-z]+",
                "line 4: a value of the template is missing: text", "",
            ])
        #expect(Set(keys).count == 1 && keys.count == 3 && keys[0].count == 20)
        #expect(
            bodies == [
                #"[{"to":"a","what":"Hi"}]"#,
                #"[{"to":"b","what":"Bye \"b\""},{"to":"a","what":"Hi"}]"#,
                #"[{"to":"e","what":""},{"to":"a","what":"Hi"}]"#,
            ])
    }

    @Test(arguments: [
        (#"{"path": "/", "body": {"to": [], "t": "x"}}"#, #""tokens": "/to""#, true),
        (#"{"path": "/", "body": {"to": [], "t": "${row:t}"}}"#, #""tokens": "/to""#, false),
        (#"{"path": "/", "body": {"all": [{"t": "${row:t}"}]}}"#, #""messages": "/all""#, true),
        (
            #"{"path": "/${row:a}", "body": {"all": [{"t": "${row:t}"}]}}"#,
            #""messages": "/all""#, false
        ),
        (
            #"{"path": "/", "headers": {"x-a": "${row:a|b}"}, "body": {"all": [{"t": "${row:t}"}]}}"#,
            #""messages": "/all""#, false
        ),
        (
            #"{"path": "/", "body": {"a": "${row:a|b}", "all": [{"t": "${row:t}"}]}}"#,
            #""messages": "/all""#, false
        ),
    ])
    func `values outside of messages keep rows apart`(
        request: String, place: String, isFixed: Bool
    ) throws {
        let provider = try Described([
            "request": request, "batch": #"{"rows": 3, \#(place)}"#,
            "answer":
                #"{"rules": [], "otherwise": {"outcome": "accepted"}, "rows": {"by": "batch"}}"#,
        ]).file.provider
        #expect(provider.hasFixedCommonPart == isFixed)
    }

    @Test(arguments: [#""tokens": "/to""#, #""messages": "/to""#])
    func `rows share a request whose id stands in a header field`(place: String) throws {
        let to = place.contains("tokens") ? "[]" : #"[{"device": "${row:token}"}]"#
        let options = try options([
            "request": #"{"path": "/send", "body": {"to": \#(to)}}"#,
            "batch": #"{"rows": 3, \#(place)}"#,
            "idempotency": #"{"header": "x-request-id", "value": "uuid5", "valid": "10m"}"#,
        ])
        var keys: [[UInt8]] = []
        try prepare("token\na\nb\n", options) { row, problem, _ in
            #expect(problem == "")
            let id = RequestKey.make(.uuid5, job: "j1", row: UInt64(keys.count + 1))
            #expect(keys.count > 0 || texts(row)[0] == String(decoding: id, as: UTF8.self))
            keys.append(Array(row.bytes.bytes(row.shareKey)))
        }
        #expect(keys.count == 2 && keys[0].count == 20 && keys[0] == keys[1])
    }

    private static func copy(_ bytes: [UInt8]) -> UnsafeBufferPointer<UInt8> {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = memory.initialize(from: bytes)
        return UnsafeBufferPointer(memory)
    }

    @Test func `more fields of rows than there are places for are refused at once`() throws {
        let fields = (1...9).map { #""x-\#($0)": "${row:c\#($0)}""# }.joined(separator: ", ")
        let options = try options([
            "request":
                #"{"path": "/send", "headers": {\#(fields)}, "body": {"to": "${row:token}"}}"#
        ])
        #expect(throws: FanfareError.self) {
            try service(options, RowSchema(extra: options.valueColumns))
        }
    }

    @Test func `a credential stands where the file wants it, and is not shown`() throws {
        let options = try options([
            "auth": #"{"kind": "bearer_file", "file": "token.txt"}"#
        ])
        let fields = try service(options, RowSchema()).headerFields(credential: "abc")
        let last = try #require(fields.last)
        #expect(last.name == "authorization" && last.value == "Bearer abc")
        #expect(last.indexing == .neverIndexed)
    }

    @Test func `tokens that are signed here are renewed in the middle of their life`() throws {
        let clock = clock
        let source = SignedTokenSource(
            "test", life: .seconds(600), unixSeconds: { clock.milliseconds / 1000 }
        ) { seconds throws(TLSError) in "t\(seconds)" }
        let first = try source.grant()
        #expect(first.text == "t1700000000" && first.isNew && first.life == .seconds(600))
        clock.milliseconds += 299_000
        #expect(try source.grant().number == 1)
        clock.milliseconds += 1000
        let second = try source.grant()
        #expect(second.text == "t1700000300" && second.number == 2)
        guard case .stop = source.judged(.renew, second) else {
            Issue.record("a token that was signed just now will not get better")
            return
        }
        clock.milliseconds += 60_000
        #expect(source.judged(.renew, second) == .replace)
        #expect(try source.grant().number == 3)
        #expect(source.judged(.refused, second) == .goOn)
    }
}
