import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareHTTP2Server
import Testing

@testable import Fanfare

/// The header block as a server sees it.
@Suite struct APNsRequestTests {
    private func conversation(_ settings: APNs.Settings) throws -> Conversation {
        let connection = ConnectionSettings(
            tls: nil, session: ClientSessionConfiguration(), service: APNs(settings),
            credentials: nil)
        let client = try ClientConnection(
            connection, sharing: SharedBuffers())
        return Conversation(client: client, server: try ServerPeer())
    }

    /// Puts one text into a row's memory.
    private func keep(_ text: String, in row: inout PreparedRow) -> ByteRange {
        let start = row.bytes.count
        row.bytes.append(text)
        return ByteRange(start: start, count: row.bytes.count - start)
    }

    private func row(_ token: String) -> PreparedRow {
        var row = PreparedRow()
        row.token = keep(token, in: &row)
        row.messageID = keep("eabeae54-14a8-11e5-b60b-1697f925ec7b", in: &row)
        row.setField(APNs.Field.token, row.token)
        row.setField(APNs.Field.id, row.messageID)
        row.payload = keep(#"{"aps":{}}"#, in: &row)
        return row
    }

    private func settings() -> APNs.Settings {
        APNs.Settings(
            scheme: "https", authority: "api.push.apple.com:2197", identity: JobIdentity(bits: 1))
    }

    @Test func `what was not given is not sent`() throws {
        let conversation = try conversation(settings())
        var row = row("aa")
        try conversation.client.submit(&row, tag: 0)
        try conversation.exchange()
        let stream = try #require(conversation.server.requests.first)
        #expect(
            conversation.server.fields(stream) == [
                .method: "POST", .scheme: "https", .authority: "api.push.apple.com:2197",
                .path: "/3/device/aa", .apnsID: "eabeae54-14a8-11e5-b60b-1697f925ec7b",
            ])
        #expect(conversation.server.body(stream) == #"{"aps":{}}"#)
    }

    @Test func `the job's values hold where a row has none of its own`() throws {
        var settings = settings()
        settings.topic = "com.example.app"
        settings.pushType = "alert"
        settings.priority = "5"
        settings.expiration = "0"
        settings.collapseID = "news"
        let conversation = try conversation(settings)
        // The row in the middle has its own, which must not rub off on the next one.
        let expected = [OptionalHeaders(), .own, OptionalHeaders()]
        for index in expected.indices {
            var row = row("a\(index)")
            if index == 1 {
                row.setField(APNs.Field.topic, keep("com.example.other", in: &row))
                row.setField(APNs.Field.pushType, keep("background", in: &row))
                row.setField(APNs.Field.priority, keep("1", in: &row))
                row.setField(APNs.Field.expiration, keep("1700000000", in: &row))
                row.setField(APNs.Field.collapseID, keep("mine", in: &row))
            }
            try conversation.client.submit(&row, tag: UInt32(index))
            try conversation.exchange()
            let stream = try #require(conversation.server.requests.last)
            let fields = conversation.server.fields(stream)
            #expect(fields[.path] == "/3/device/a\(index)")
            expected[index].check(fields)
        }
        #expect(conversation.server.requests.count == 3)
    }

    @Test func `a row with one value of its own has the usual ones beside it`() throws {
        var settings = settings()
        settings.topic = "com.example.app"
        settings.priority = "5"
        let conversation = try conversation(settings)
        var row = row("aa")
        row.setField(APNs.Field.pushType, keep("background", in: &row))
        try conversation.client.submit(&row, tag: 0)
        try conversation.exchange()
        let fields = conversation.server.fields(try #require(conversation.server.requests.first))
        #expect(fields[.apnsTopic] == "com.example.app")
        #expect(fields[.apnsPushType] == "background")
        #expect(fields[.apnsPriority] == "5")
        #expect(fields[.apnsExpiration] == nil)
        #expect(fields[.apnsCollapseID] == nil)
    }

    @Test func `a provider token goes with every request`() throws {
        let headers = RequestHeaders(
            APNs(settings()).headerFields(credential: "abc.def.ghi"))
        let values = FieldValues()
        #expect(headers.placeCount == 2)
        #expect(headers.optionalCount == 5)
        var client = ClientSession(ClientSessionConfiguration())
        let server = try ServerPeer()
        let row = row("aa")
        for tag in 0..<2 {
            _ = try client.submit(
                headers, values: values.values(of: row, for: headers),
                body: row.bytes.bytes(row.payload),
                tag: UInt32(tag))
        }
        var buffer = ByteBuffer()
        client.write(into: &buffer, limit: 1 << 16)
        try server.receive(Array(buffer.bytes))
        #expect(server.requests.count == 2)
        for stream in server.requests {
            #expect(server.text(.authorization, stream) == "bearer abc.def.ghi")
        }
    }

    /// The expected values of a request's five optional headers.
    private struct OptionalHeaders {
        var topic = "com.example.app"
        var pushType = "alert"
        var priority = "5"
        var expiration = "0"
        var collapseID = "news"

        static let own = OptionalHeaders(
            topic: "com.example.other", pushType: "background", priority: "1",
            expiration: "1700000000", collapseID: "mine")

        func check(_ fields: [RequestField: String]) {
            #expect(fields[.apnsTopic] == topic)
            #expect(fields[.apnsPushType] == pushType)
            #expect(fields[.apnsPriority] == priority)
            #expect(fields[.apnsExpiration] == expiration)
            #expect(fields[.apnsCollapseID] == collapseID)
        }
    }
}
