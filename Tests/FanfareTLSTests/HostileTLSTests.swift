import COpenSSL
import FanfareBase
import FanfareTLS
import FanfareTestSupport
import Testing

/// Peers that go on talking TLS when the handshake is over.
@Suite struct HostileTLSTests {
    /// A server of OpenSSL's with long tickets in short records, and a client of ours, both open.
    private func serverWithLongTickets() throws -> RawTLS {
        try RawTLS(Peer.authority, isServer: true) { context in
            // SSL_CTX_set_max_send_fragment is a macro around this.
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_SEND_FRAGMENT, 512, nil)
            SSL_CTX_set_session_ticket_cb(context, putDataIntoTicket, takeTicket, nil)
        }
    }

    private func write(_ text: String, to session: inout TLSSession) throws
        -> TLSSession.WriteResult
    {
        try Array(text.utf8).withUnsafeBytes { try session.write($0) }
    }

    private func receive(_ bytes: some Sequence<UInt8>, by session: inout TLSSession) throws {
        try Array(bytes).withUnsafeBytes { piece in
            session.feed(piece)
            _ = try Dialogue.readAll(&session)
        }
    }

    /// The records of TLS in a piece of the stream: RFC 8446 §5.1.
    private func records(_ bytes: [UInt8]) -> [[UInt8]] {
        var rest = bytes[...]
        var records: [[UInt8]] = []
        while rest.count >= 5 {
            let start = rest.startIndex
            let count = 5 + Int(rest[start + 3]) << 8 + Int(rest[start + 4])
            records.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return records
    }

    @Test func `a write between the records of a ticket waits for the last of them`() throws {
        let server = try serverWithLongTickets()
        var client = try TLSSession(context: Peer.client(), serverName: "localhost")
        try server.shake(with: &client)
        try server.sendTicket()
        let records = records(server.takeOutgoing())
        #expect(records.count > 2)
        for record in records.dropLast() {
            try receive(record, by: &client)
            #expect(try write("now?", to: &client) == .notNow)
            let canWrite = client.canWrite
            #expect(!canWrite)
            let hasOutgoing = client.hasOutgoing
            #expect(!hasOutgoing)
        }
        try receive(records[records.count - 1], by: &client)
        #expect(try write("now.", to: &client) == .written)
        #expect(server.receive(Dialogue.takeOutgoing(&client)) == Array("now.".utf8))
    }

    /// A message of TLS may be cut anywhere, so a KeyUpdate may be, too: RFC 8446 §4.6.3, §5.1.
    @Test(arguments: [false, true], [1, 2, 3, 4])
    func `a write between the halves of a KeyUpdate waits for the second`(
        ourServer: Bool, cut: Int
    ) throws {
        let raw = try RawTLS(Peer.authority, isServer: !ourServer)
        var ours =
            ourServer
            ? try TLSSession(acceptingWith: Peer.server())
            : try TLSSession(context: Peer.client(), serverName: "localhost")
        try raw.shake(with: &ours)
        let message: [UInt8] = [24, 0, 0, 1, 1]
        try receive(raw.forge(type: 22, Array(message[..<cut])), by: &ours)
        // Less than a message's head is not yet a message to OpenSSL, and holds nothing up.
        let result = try write("now?", to: &ours)
        #expect(result == (cut < 4 ? .written : .notNow))
        try receive(raw.forge(type: 22, Array(message[cut...])), by: &ours)
        #expect(try write("now.", to: &ours) == .written)
        let arrived = raw.receive(Dialogue.takeOutgoing(&ours))
        #expect(String(decoding: arrived, as: UTF8.self) == (cut < 4 ? "now?now." : "now."))
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a peer that asks for new keys without end is left`(version: Int32) throws {
        let server = try RawTLS(Peer.authority, isServer: true, version: version)
        var client = try TLSSession(context: Peer.client(), serverName: "localhost")
        try server.shake(with: &client)
        var asked = 0
        #expect(throws: TLSError.tooManyQuestions) {
            while asked < 10_000 {
                asked += 1
                try server.askForNewKeys()
                try receive(server.takeOutgoing(), by: &client)
            }
        }
        #expect(asked > 100 && asked < 10_000)
        let waiting = client.outgoing.count
        #expect(waiting <= Limits.unaskedCiphertextBytesMax + 100)
    }

    /// One that reads the answers takes no memory, but time.
    @Test func `a peer that asks for new keys and reads the answers is left too`() throws {
        let server = try RawTLS(Peer.authority, isServer: true)
        var client = try TLSSession(context: Peer.client(), serverName: "localhost")
        try server.shake(with: &client)
        #expect(throws: TLSError.tooManyQuestions) {
            for _ in 0..<10_000 {
                try server.askForNewKeys()
                try receive(server.takeOutgoing(), by: &client)
                server.receive(Dialogue.takeOutgoing(&client))
            }
        }
    }

    @Test func `new keys between data are no reason to leave`() throws {
        let server = try RawTLS(Peer.authority, isServer: true)
        var client = try TLSSession(context: Peer.client(), serverName: "localhost")
        try server.shake(with: &client)
        for _ in 0..<5_000 {
            try server.askForNewKeys()
            try server.write([1])
            try receive(server.takeOutgoing(), by: &client)
            server.receive(Dialogue.takeOutgoing(&client))
        }
        #expect(try write("well", to: &client) == .written)
        #expect(server.receive(Dialogue.takeOutgoing(&client)) == Array("well".utf8))
    }
}

/// RFC 9113 §9.2.2 and appendix A: TLS 1.2 without keys of the moment or authenticated encryption.
@Suite struct CipherSuiteTests {
    @Test(
        arguments: [
            "AES128-SHA", "AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA",
            "ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES128-CCM",
        ], [false, true])
    func `a prohibited suite is not agreed to`(suite: String, ourServer: Bool) throws {
        #expect(try !agrees(suite, ourServer: ourServer))
    }

    @Test(
        arguments: [
            "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
            "ECDHE-ECDSA-CHACHA20-POLY1305",
        ], [false, true])
    func `a suite that HTTP2 leaves is agreed to`(suite: String, ourServer: Bool) throws {
        #expect(try agrees(suite, ourServer: ourServer))
    }

    private func agrees(_ suite: String, ourServer: Bool) throws -> Bool {
        let raw = try RawTLS(Peer.authority, isServer: !ourServer, version: TLS1_2_VERSION) {
            #expect(SSL_CTX_set_cipher_list($0, suite + ":@SECLEVEL=0") == 1)
        }
        var ours =
            ourServer
            ? try TLSSession(acceptingWith: Peer.server())
            : try TLSSession(context: Peer.client(), serverName: "localhost")
        do {
            if !ourServer { _ = try ours.handshake() } else { raw.receive([]) }
            for _ in 0..<10 {
                raw.receive(Dialogue.takeOutgoing(&ours))
                let isDone = try raw.takeOutgoing().withUnsafeBytes { piece in
                    ours.feed(piece)
                    return try ours.handshake() == .complete
                }
                if isDone && raw.isOpen { return true }
            }
        } catch is TLSError {}
        return false
    }
}

private func putDataIntoTicket(ssl: OpaquePointer?, argument: UnsafeMutableRawPointer?) -> Int32 {
    let data = [UInt8](repeating: 7, count: 1000)
    return SSL_SESSION_set1_ticket_appdata(SSL_get_session(ssl), data, data.count)
}

private func takeTicket(
    ssl: OpaquePointer?, session: OpaquePointer?, name: UnsafePointer<UInt8>?, nameCount: Int,
    status: SSL_TICKET_STATUS, argument: UnsafeMutableRawPointer?
) -> SSL_TICKET_RETURN { SSL_TICKET_RETURN_IGNORE }
