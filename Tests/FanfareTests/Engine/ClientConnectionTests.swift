import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareTLS
import Testing

@testable import Fanfare

/// TLS and HTTP/2 together, against a server in memory.
@Suite struct ClientConnectionTests {
    private static let authority: SelfSignedAuthority? = try? SelfSignedAuthority()

    private func conversation(
        trusts: Bool = true, serverName: String = "localhost", pieceBytes: Int = .max,
        usesTLS: Bool = true, sharing shared: SharedBuffers = SharedBuffers()
    ) throws -> Conversation {
        let authority = try #require(Self.authority)
        var configuration = ClientTLSConfiguration()
        configuration.caPEM = trusts ? authority.caPEM : nil
        let settings = ConnectionSettings(
            tls: usesTLS
                ? TLSClientSettings(
                    context: try TLSContext(client: configuration), serverName: serverName) : nil,
            session: ClientSessionConfiguration(),
            service: APNs.sample, credentials: nil)
        let server = try TLSContext(
            server: ServerTLSConfiguration(identity: authority.identity))
        return Conversation(
            client: try ClientConnection(settings, sharing: shared),
            server: try ServerPeer(tls: usesTLS ? server : nil), pieceBytes: pieceBytes)
    }

    private func failure(_ body: () throws -> Void) -> ConnectionFailure? {
        do {
            try body()
            return nil
        } catch {
            return (error as? ConnectionError)?.failure
        }
    }

    @Test(arguments: [1, 7, 100, Int.max])
    func `a request is answered, in pieces of any size`(pieceBytes: Int) throws {
        let conversation = try conversation(pieceBytes: pieceBytes)
        let client = conversation.client
        #expect(client.phase == .handshaking)
        try client.begin()
        #expect(client.wantsFlush)
        try conversation.exchange()
        #expect(client.phase == .open)
        #expect(!client.wantsFlush)

        var row = PreparedRow.sample()
        try client.submit(&row, tag: 5)
        #expect(client.wantsFlush)
        #expect(client.extent(of: row) == .nothing)
        try conversation.exchange()
        #expect(client.extent(of: row) == .whole)
        let stream = try #require(conversation.server.requests.first)
        #expect(conversation.server.text(.path, stream) == "/3/device/aa")
        #expect(conversation.server.body(stream) == "{}")

        try conversation.server.respond(
            stream, status: 410, body: #"{"reason":"Unregistered"}"#)
        try conversation.exchange()
        #expect(conversation.takeAnswers() == [#"410 {"reason":"Unregistered"}"#])
    }

    @Test(
        arguments: [
            ("HTTP/1.1 400 Bad Request\r\n\r\n", "the server speaks HTTP without TLS there: "),
            (
                "\0\0\u{6}\u{4}\0\0\0\0\0\0\u{3}\0\0\0d",
                "the server speaks HTTP without TLS there: "
            ),
            (
                "SSH-2.0-OpenSSH_9\r\n",
                "TLS failed: wrong version number (it does not speak TLS there: "
            ),
        ], [1, Int.max])
    func `a server without TLS is told by its first bytes`(
        server: (says: String, text: String), pieceBytes: Int
    ) throws {
        let client = try conversation().client
        try client.begin()
        var bytes = Array(server.says.utf8)[...]
        let error = #expect(throws: ConnectionError.self) {
            while !bytes.isEmpty {
                let piece = Array(bytes.prefix(pieceBytes))
                bytes = bytes.dropFirst(pieceBytes)
                try piece.withUnsafeBytes { try client.receive($0, now: Instant(nanoseconds: 0)) }
            }
        }
        #expect(error?.isForeign == true)
        let text = error?.failure.text.text(.options { "<\($0)>" }) ?? ""
        #expect(text.hasPrefix(server.text), "\(text)")
        #expect(text.contains("check host and port in <endpoint>"))
    }

    @Test func `a certificate of a stranger is a permanent failure`() throws {
        let conversation = try conversation(trusts: false)
        try conversation.client.begin()
        let failure = failure { try conversation.exchange() }
        guard case .permanent(let text) = failure else {
            Issue.record("not permanent: \(String(describing: failure))")
            return
        }
        #expect(text.description.contains("ProviderOptions.caFile"))
        #expect(conversation.client.phase == .handshaking)
        // The server is told why.
        var alert: [UInt8] = []
        try? conversation.client.flush(now: Instant(nanoseconds: 0)) { bytes in
            alert += bytes
            return bytes.count
        }
        try conversation.server.receive(alert)
        #expect(conversation.server.tlsError == .alertReceived("unknown CA"))
    }

    @Test func `a certificate for another name is a permanent failure`() throws {
        let conversation = try conversation(serverName: "api.push.apple.com")
        try conversation.client.begin()
        guard case .permanent = failure({ try conversation.exchange() }) else {
            Issue.record("not permanent")
            return
        }
    }

    @Test func `what a server says before it closes still counts`() throws {
        let conversation = try conversation()
        try conversation.client.begin()
        try conversation.exchange()
        var row = PreparedRow.sample()
        try conversation.client.submit(&row, tag: 1)
        try conversation.exchange()
        let stream = try #require(conversation.server.requests.first)
        try conversation.server.respond(stream, status: 200)
        // The answer and the end of TLS arrive at once.
        var bytes = try conversation.server.takeOutgoing()
        conversation.server.closeNotify()
        bytes += try conversation.server.takeOutgoing()
        let failure = failure {
            try bytes.withUnsafeBytes {
                try conversation.client.receive($0, now: Instant(nanoseconds: 9))
            }
        }
        #expect(failure == .transient("closed by the peer"))
        #expect(conversation.takeAnswers() == ["200 "])
    }

    @Test func `bytes that are not TLS end the connection`() throws {
        let conversation = try conversation()
        try conversation.client.begin()
        let failure = failure {
            try Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8).withUnsafeBytes {
                try conversation.client.receive($0, now: Instant(nanoseconds: 0))
            }
        }
        #expect(failure != nil)
    }

    /// RFC 9113 §3.4: the server's first frame is SETTINGS, here an empty one.
    @Test func `in the clear a connection is open when SETTINGS have come`() throws {
        let client = try conversation(usesTLS: false).client
        try client.begin()
        #expect(client.phase == .greeting)
        var said: [UInt8] = []
        try client.flush(now: Instant(nanoseconds: 0)) { bytes in
            said += bytes
            return bytes.count
        }
        #expect(said.starts(with: Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)))
        for byte: UInt8 in [0, 0, 0, 4, 0, 0, 0, 0] {
            try [byte].withUnsafeBytes { try client.receive($0, now: Instant(nanoseconds: 0)) }
            #expect(client.phase == .greeting)
        }
        try [UInt8(0)].withUnsafeBytes { try client.receive($0, now: Instant(nanoseconds: 0)) }
        #expect(client.phase == .open)
    }

    /// An alert of TLS is type 21, version, length and two bytes: RFC 8446 §5.1 and §6.
    @Test(
        arguments: [
            (Array("HTTP/1.1 400 Bad Request\r\n".utf8), "speaks HTTP/1.1, not HTTP/2"),
            ([0x15, 3, 1, 0, 2, 2, 70], "wants TLS: use https://"),
            ([0x16, 3, 3, 0, 100], "wants TLS: use https://"),
            (Array("SSH-2.0-OpenSSH".utf8), "does not speak HTTP/2: it begins with 'S"),
        ], [1, 3, Int.max])
    func `in the clear a peer that speaks something else is recognized`(
        peer: ([UInt8], String), pieceBytes: Int
    ) throws {
        let conversation = try conversation(pieceBytes: pieceBytes, usesTLS: false)
        try conversation.client.begin()
        let failure = failure { try conversation.feed(peer.0) }
        guard case .transient(let text) = failure else {
            Issue.record("not a failed dial: \(String(describing: failure))")
            return
        }
        #expect(text.description.contains(peer.1))
        #expect(conversation.client.phase == .greeting)
    }

    @Test func `goodbye is GOAWAY and the end of TLS`() throws {
        let conversation = try conversation()
        try conversation.client.begin()
        try conversation.exchange()
        var bytes: [UInt8] = []
        conversation.client.sayGoodbye(now: Instant(nanoseconds: 0)) { piece in
            bytes += piece
            return piece.count
        }
        try conversation.server.receive(bytes)
        #expect(conversation.server.isClosedByClient)
    }

    @Test func `a transport that is full is not asked again before it is writable`() throws {
        let conversation = try conversation()
        let client = conversation.client
        try client.begin()
        try conversation.exchange()
        var rows: [UInt8] = []
        var row = PreparedRow.sample()
        try client.submit(&row, tag: 1)
        try client.flush(now: Instant(nanoseconds: 0)) { bytes in
            rows += bytes.prefix(3)
            return min(3, bytes.count)
        }
        #expect(client.isBlocked)
        #expect(!client.wantsFlush)
        // Three bytes of a TLS record are nothing that could be decrypted.
        #expect(client.extent(of: row) == .nothing)
        client.unblocked()
        #expect(client.wantsFlush)
        try conversation.server.receive(rows)
        try conversation.exchange()
        #expect(conversation.server.requests.count == 1)
    }

    @Test func `a request that found no room has not left`() throws {
        let conversation = try conversation()
        try conversation.client.begin()
        try conversation.exchange()
        var row = PreparedRow.sample()
        try conversation.client.submit(&row, tag: 1)
        try conversation.client.flush(now: Instant(nanoseconds: 0)) { _ in 0 }
        #expect(conversation.client.isBlocked)
        #expect(conversation.client.extent(of: row) == .nothing)
    }

    @Test(arguments: [true, false])
    func `connections that share memory do not mix what they send`(usesTLS: Bool) throws {
        let shared = SharedBuffers()
        let conversations = try (0..<3).map { _ in
            try conversation(usesTLS: usesTLS, sharing: shared)
        }
        var rows = PreparedRows()
        rows.makePlace(for: 5)
        for (index, conversation) in conversations.enumerated() {
            try conversation.client.begin()
            try conversation.exchange()
            for id in 2 * index...2 * index + 1 {
                rows[RequestID(id)] = PreparedRow.sample(payloadBytes: 20_000 + id)
                try conversation.client.submit(&rows[RequestID(id)], tag: UInt32(id))
            }
        }
        // Their transports take some bytes in turn, so that each has to keep the rest.
        while let busy = conversations.first(where: { $0.client.wantsFlush }) {
            for (index, conversation) in conversations.enumerated() {
                var room = 1000 + 300 * index
                var sent: [UInt8] = []
                try conversation.client.flush(now: Instant(nanoseconds: 0)) { bytes in
                    let piece = bytes.prefix(room)
                    room -= piece.count
                    sent += piece
                    return piece.count
                }
                try conversation.server.receive(sent)
                conversation.client.unblocked()
            }
            #expect(!busy.client.isBlocked)
        }
        for (index, conversation) in conversations.enumerated() {
            let bodies = conversation.server.requests.map { conversation.server.body($0) }
            #expect(bodies.map(\.utf8.count) == [20_000 + 2 * index, 20_001 + 2 * index])
            #expect(bodies.allSatisfy { $0.hasPrefix("{ ") && $0.hasSuffix(" }") })
        }
    }

    /// Three requests, the second of which is longer than a record, cut off after any byte.
    @Test(arguments: [true, false])
    func `what is said not to have left is not there, wherever the wire is cut`(
        usesTLS: Bool
    ) throws {
        var cut = 0
        var isWhole = false
        while !isWhole {
            let conversation = try conversation(usesTLS: usesTLS)
            let client = conversation.client
            try client.begin()
            try conversation.exchange()
            var first = PreparedRow.sample()
            var second = PreparedRow.sample(payloadBytes: 20_000)
            var third = PreparedRow.sample()
            try client.submit(&first, tag: 1)
            try client.submit(&second, tag: 2)
            try client.submit(&third, tag: 3)
            var sent: [UInt8] = []
            try client.flush(now: Instant(nanoseconds: 0)) { bytes in
                let piece = bytes.prefix(max(0, cut - sent.count))
                sent += piece
                return piece.count
            }
            try? conversation.server.receive(sent)
            let there = Set(conversation.server.requests.map(\.id))
            func check(_ row: borrowing PreparedRow) {
                let isThere = there.contains(row.stream.id)
                #expect(client.extent(of: row) == .whole || !isThere, "after \(cut) bytes")
            }
            check(first)
            check(second)
            check(third)
            isWhole = there.count == 3
            if isWhole {
                #expect(client.extent(of: first) == .whole)
                #expect(client.extent(of: second) == .whole)
                #expect(client.extent(of: third) == .whole)
            }
            cut += cut < 400 ? 1 : 487
        }
    }
}
