import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareHTTP2Server
import Testing

@testable import Fanfare

/// A request to FCM as a server sees it.
///
/// https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send
@Suite struct FCMRequestTests {
    private let service = FCM(
        FCM.Settings(scheme: "https", authority: "fcm.googleapis.com", project: "my-app"))

    /// Prepares the rows of an input with a template.
    private func rows(
        _ text: String, template: String? = nil, validatesOnly: Bool = false
    ) throws -> [(body: String, problem: String)] {
        var configuration = Configuration()
        configuration.inputs = [.text(text)]
        configuration.provider.provider = .fcm
        configuration.provider.validatesOnly = validatesOnly
        if let template {
            configuration.payload = .template(json: Array(template.utf8), name: "the template")
        }
        let plan = try PreparedJob(configuration, identity: JobIdentity(bits: 1))
        var preparer = RowPreparer(plan.preparation, plan.routes[0].service)
        var row = PreparedRow()
        let batch = RowBatch(slotCount: plan.preparation.schema.slotCount)
        var rows: [(body: String, problem: String)] = []
        while try plan.source.fill(batch) {
            for index in 0..<batch.rowCount {
                let isReady = preparer.prepare(batch, index, into: &row)
                rows.append(
                    isReady
                        ? (String(row.bytes.bytes(row.payload)), "")
                        : ("", preparer.problemKind.description))
            }
        }
        return rows
    }

    @Test func `the path is the project's, and the token goes with the message`() throws {
        let client = try ClientConnection(
            ConnectionSettings(
                tls: nil, session: ClientSessionConfiguration(), service: service,
                credentials: nil), sharing: SharedBuffers())
        let conversation = Conversation(client: client, server: try ServerPeer())
        var row = PreparedRow()
        row.bytes.append(#"{"message":{"token":"aa"}}"#)
        row.payload = ByteRange(start: 0, count: row.bytes.count)
        for tag in 0..<2 {
            try client.submit(&row, tag: UInt32(tag))
            try conversation.exchange()
        }
        #expect(conversation.server.requests.count == 2)
        for stream in conversation.server.requests {
            #expect(
                conversation.server.fields(stream) == [
                    .method: "POST", .scheme: "https", .authority: "fcm.googleapis.com",
                    .path: "/v1/projects/my-app/messages:send",
                    .contentType: "application/json",
                ])
            #expect(conversation.server.body(stream) == #"{"message":{"token":"aa"}}"#)
        }
    }

    @Test func `a bearer is what proves who sends`() {
        let fields = service.headerFields(credential: "ya29.abc")
        #expect(fields.last?.name == "authorization" && fields.last?.value == "Bearer ya29.abc")
        let contentType = fields.first { $0.name == "content-type" }
        #expect(contentType?.value == "application/json")
        #expect(!service.headerFields(credential: nil).contains { $0.name == "authorization" })
    }

    @Test func `a template gets the token of each row`() throws {
        let rows = try rows(
            "token,name\nAPA91b:x-_y,Ada\nbb,\"a \"\"b\"\"\"\n",
            template: #"{ "message": {"notification": {"title": "Hi {{name}}"}} }"#)
        #expect(
            rows.map(\.body) == [
                #"{"message":{"token":"APA91b:x-_y","notification":{"title":"Hi Ada"}}}"#,
                #"{"message":{"token":"bb","notification":{"title":"Hi a \"b\""}}}"#,
            ])
    }

    @Test func `a template that says whom it goes to stays as it is`() throws {
        let template = #"{"message":{"topic":"{{city}}","notification":{"title":"Hi"}}}"#
        #expect(
            try rows("token,city\naa,rome\n", template: template).map(\.body)
                == [#"{"message":{"topic":"rome","notification":{"title":"Hi"}}}"#])
    }

    @Test(
        arguments: [
            (#"{"message":{"data":{"a":"b"}}}"#, #"{"message":{"token":"t:1","data":{"a":"b"}}}"#),
            (#"{"message":{}}"#, #"{"message":{"token":"t:1"}}"#),
            (
                #"{"validate_only":true,"message":{"data":{}}}"#,
                #"{"validate_only":true,"message":{"token":"t:1","data":{}}}"#
            ),
            (#"{"message":{"token":"t:2"}}"#, #"{"message":{"token":"t:2"}}"#),
        ])
    func `a row's own payload gets its token`(own: String, sent: String) throws {
        let cell = own.replacing("\"", with: "\"\"")
        #expect(try rows("token,payload\nt:1,\"\(cell)\"\n").map(\.body) == [sent])
    }

    @Test(
        arguments: [
            (#"{"message":{"data":{"a":"b"}}}"#, #"{"token":"t:1","data":{"a":"b"}}"#),
            (#"{"validate_only":false,"message":{}}"#, #"{"token":"t:1"}"#),
            (##"{"message":{"topic":"a"},"\u0076alidate_only":false}"##, #"{"topic":"a"}"#),
        ])
    func `a row's own payload is only looked at, whatever it says`(
        own: String, message: String
    ) throws {
        let cell = own.replacing("\"", with: "\"\"")
        let rows = try rows("token,payload\nt:1,\"\(cell)\"\n", validatesOnly: true)
        #expect(rows.map(\.body) == [#"{"validate_only":true,"message":\#(message)}"#])
    }

    @Test(arguments: [
        #"{"x":{}}"#, #"{"message":"x"}"#, #"{"message":1,"message":{"data":{}}}"#,
    ])
    func `a row's own payload without a message is not asked about`(own: String) throws {
        let cell = own.replacing("\"", with: "\"\"")
        let rows = try rows("token,payload\nt:1,\"\(cell)\"\n", validatesOnly: true)
        #expect(rows.map(\.problem) == ["payload has no message"])
    }

    @Test func `a template is only looked at, and rows without a payload need none`() throws {
        let template = #"{"validate_only":false,"message":{"data":{"a":"{{name}}"}}}"#
        let rows = try rows("token,name\naa,Ada\n", template: template, validatesOnly: true)
        #expect(
            rows.map(\.body) == [
                #"{"validate_only":true,"message":{"token":"aa","data":{"a":"Ada"}}}"#
            ])
        let bare = try self.rows("token\naa\n", validatesOnly: true)
        #expect(
            bare.map(\.body) == [#"{"validate_only":true,"message":{"token":"aa","data":{}}}"#])
    }

    @Test(
        arguments: [
            ("", "token is empty"), ("a b", "token has characters that no token has"),
            ("a\"\"b", "token has characters that no token has"),
            ("a\\b", "token has characters that no token has"),
            ("t\u{e9}", "token has characters that no token has"),
            (String(repeating: "x", count: Limits.tokenBytesMax + 1), "token is too long"),
        ])
    func `a token that is none is told`(token: String, problem: String) throws {
        let rows = try rows("token\n\"\(token)\"\n", template: #"{"message":{}}"#)
        #expect(rows.map(\.problem) == [problem])
    }

    @Test func `a payload without a message is told`() throws {
        let rows = try rows("token,payload\naa,\"{\"\"aps\"\":{}}\"\n")
        #expect(rows.map(\.problem) == ["payload has no message"])
    }
}
