import FanfareTLS
import Testing

@Suite struct TLSSessionTests {
    static let versions: [TLSVersion] = [.tls12, .tls13]

    private func dialogue(_ version: TLSVersion, pieceBytes: Int = .max) throws -> Dialogue {
        try Dialogue(
            client: Peer.client { $0.maximumVersion = version }, server: Peer.server(),
            pieceBytes: pieceBytes)
    }

    @Test(arguments: versions)
    func `client and server agree on h2`(version: TLSVersion) throws {
        var talk = try dialogue(version)
        try talk.shake()
        let (clientDone, serverDone) = (talk.clientDone, talk.serverDone)
        #expect(clientDone && serverDone)
        #expect(talk.client.negotiatedALPN == "h2")
        #expect(talk.server.negotiatedALPN == "h2")
        #expect(talk.client.peerCertificate?.subject == "CN=localhost")
        let clientCertificate = talk.server.peerCertificate
        #expect(clientCertificate == nil)
    }

    @Test(arguments: versions, [1, 2, 5, 7, 64, 1000])
    func `the handshake takes its bytes in pieces of any size`(
        version: TLSVersion, pieceBytes: Int
    ) throws {
        var talk = try dialogue(version, pieceBytes: pieceBytes)
        try talk.shake()
        let (clientDone, serverDone) = (talk.clientDone, talk.serverDone)
        #expect(clientDone && serverDone)
    }

    @Test(arguments: versions)
    func `the client's first flight may be split anywhere`(version: TLSVersion) throws {
        let client = try Peer.client { $0.maximumVersion = version }
        let server = try Peer.server()
        var first = try TLSSession(context: client, serverName: "localhost")
        #expect(try first.handshake() == .needsInput)
        let hello = Dialogue.takeOutgoing(&first)
        for split in 1..<hello.count {
            var session = try TLSSession(acceptingWith: server)
            for piece in [Array(hello[..<split]), Array(hello[split...])] {
                let answersEarly = session.hasOutgoing
                #expect(!answersEarly)
                let progress = try piece.withUnsafeBytes { piece in
                    session.feed(piece)
                    return try session.handshake()
                }
                #expect(progress == .needsInput)
            }
            let answers = session.hasOutgoing
            #expect(answers)
        }
    }

    @Test(arguments: versions)
    func `a mebibyte goes both ways unchanged`(version: TLSVersion) throws {
        var talk = try dialogue(version)
        try talk.shake()
        let bytes = (0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let there = try Dialogue.transfer(bytes, from: &talk.client, to: &talk.server)
        #expect(there == bytes)
        let back = try Dialogue.transfer(
            bytes, from: &talk.server, to: &talk.client, pieceBytes: 1000, bufferBytes: 777)
        #expect(back == bytes)
    }

    @Test func `one write may be larger than a record`() throws {
        var talk = try dialogue(.tls13)
        try talk.shake()
        let bytes = [UInt8](repeating: 42, count: 300_001)
        let arrived = try Dialogue.transfer(
            bytes, from: &talk.client, to: &talk.server, writeBytes: .max)
        #expect(arrived == bytes)
    }

    @Test func `data may be fed byte by byte`() throws {
        var talk = try dialogue(.tls13)
        try talk.shake()
        let bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        let arrived = try Dialogue.transfer(
            bytes, from: &talk.client, to: &talk.server, pieceBytes: 1)
        #expect(arrived == bytes)
    }

    @Test(arguments: versions)
    func `close_notify arrives behind the data`(version: TLSVersion) throws {
        var talk = try dialogue(version)
        try talk.shake()
        try [UInt8]("last".utf8).withUnsafeBytes { _ = try talk.client.write($0) }
        talk.client.closeNotify()
        try Dialogue.takeOutgoing(&talk.client).withUnsafeBytes { piece in
            talk.server.feed(piece)
            let (bytes, isClosed) = try Dialogue.readAll(&talk.server)
            #expect(bytes == Array("last".utf8))
            #expect(isClosed)
        }
    }

    @Test func `nothing but silence follows close_notify during the handshake`() throws {
        var session = try TLSSession(context: Peer.client(), serverName: "localhost")
        #expect(try session.handshake() == .needsInput)
        session.discardOutgoing(session.outgoing.count)
        session.closeNotify()
        let hasAlert = session.hasOutgoing
        #expect(!hasAlert)
    }

    @Test(arguments: 0..<200)
    func `garbage is an error and never a crash`(seed: Int) throws {
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
        let garbage = (0..<600).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
        var server = try TLSSession(acceptingWith: Peer.server())
        // A record header that is right leads further in than plain noise.
        let record: [UInt8] = seed % 2 == 0 ? [22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3] : []
        #expect(throws: TLSError.self) {
            try (record + garbage).withUnsafeBytes { piece in
                server.feed(piece)
                _ = try server.handshake()
            }
        }
    }

    @Test(arguments: versions)
    func `every flipped byte of a record is noticed`(version: TLSVersion) throws {
        for place in 0..<40 {
            var talk = try dialogue(version)
            try talk.shake()
            try [UInt8]("attack at dawn".utf8).withUnsafeBytes { _ = try talk.client.write($0) }
            var cipher = Dialogue.takeOutgoing(&talk.client)
            guard place < cipher.count else { break }
            // The length's bytes are left out: a longer record is just not complete yet.
            if place == 3 || place == 4 { continue }
            cipher[place] ^= 0x40
            #expect(throws: TLSError.self) {
                try cipher.withUnsafeBytes { piece in
                    talk.server.feed(piece)
                    _ = try Dialogue.readAll(&talk.server)
                }
            }
            let alert = Dialogue.takeOutgoing(&talk.server)
            #expect(!alert.isEmpty)
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 400 Bad Request\r\n\r\n", "wrong version number"),
        ("SSH-2.0-OpenSSH_9.2\r\n", "wrong version number"),
    ])
    func `a server without TLS is named so`(answer: String, reason: String) throws {
        var session = try TLSSession(context: Peer.client(), serverName: "localhost")
        #expect(try session.handshake() == .needsInput)
        #expect(throws: TLSError.protocolFailure(reason)) {
            try Array(answer.utf8).withUnsafeBytes { piece in
                session.feed(piece)
                _ = try session.handshake()
            }
        }
    }
}
