import FanfareTLS
import Testing

/// A client and a server that talk to each other in memory.
struct Dialogue: ~Copyable {
    var client: TLSSession
    var server: TLSSession
    var clientDone = false
    var serverDone = false
    /// The bytes each side is fed at a time.
    var pieceBytes: Int

    init(
        client: TLSContext, server: TLSContext, name: String? = "localhost",
        pieceBytes: Int = .max
    ) throws {
        // Both before either field: the compiler cannot undo half a non-copyable value.
        let clientSession = try TLSSession(context: client, serverName: name)
        let serverSession = try TLSSession(acceptingWith: server)
        self.client = clientSession
        self.server = serverSession
        self.pieceBytes = pieceBytes
    }

    /// Takes what a session has to send.
    static func takeOutgoing(_ session: inout TLSSession) -> [UInt8] {
        let bytes = Array(session.outgoing)
        session.discardOutgoing(bytes.count)
        return bytes
    }

    /// Runs both handshakes until both are complete and what follows them (tickets) is read.
    mutating func shake() throws {
        clientDone = try client.handshake() == .complete
        for _ in 0..<20 {
            let toServer = Self.takeOutgoing(&client)
            serverDone = try Self.feed(&server, toServer, pieceBytes, isDone: serverDone)
            let toClient = Self.takeOutgoing(&server)
            clientDone = try Self.feed(&client, toClient, pieceBytes, isDone: clientDone)
            if toServer.isEmpty && toClient.isEmpty { return }
        }
    }

    private static func feed(
        _ session: inout TLSSession, _ bytes: [UInt8], _ pieceBytes: Int, isDone: Bool
    ) throws -> Bool {
        var isDone = isDone
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieceBytes))
            rest = rest.dropFirst(piece.count)
            try piece.withUnsafeBytes { piece in
                session.feed(piece)
                if !isDone { isDone = try session.handshake() == .complete }
                if isDone { _ = try Self.readAll(&session) }
            }
        }
        return isDone
    }

    /// Reads until there is no more; nil in the place of the bytes after close_notify.
    static func readAll(
        _ session: inout TLSSession, bufferBytes: Int = 16_384
    ) throws -> (bytes: [UInt8], isClosed: Bool) {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: bufferBytes)
        while true {
            let result = try buffer.withUnsafeMutableBytes { try session.read(into: $0) }
            switch result {
            case .bytes(let count): all += buffer[..<count]
            case .needsInput: return (all, false)
            case .closed: return (all, true)
            }
        }
    }

    /// Sends bytes from one session to another in pieces and returns what arrives.
    static func transfer(
        _ bytes: [UInt8], from sender: inout TLSSession, to receiver: inout TLSSession,
        writeBytes: Int = 16_384, pieceBytes: Int = 65_536, bufferBytes: Int = 16_384
    ) throws -> [UInt8] {
        var rest = bytes[...]
        while !rest.isEmpty {
            try Array(rest.prefix(writeBytes)).withUnsafeBytes {
                let result = try sender.write($0)
                #expect(result == .written)
            }
            rest = rest.dropFirst(writeBytes)
        }
        var arrived: [UInt8] = []
        var cipher = takeOutgoing(&sender)[...]
        while !cipher.isEmpty {
            let piece = Array(cipher.prefix(pieceBytes))
            cipher = cipher.dropFirst(pieceBytes)
            try piece.withUnsafeBytes { piece in
                receiver.feed(piece)
                arrived += try readAll(&receiver, bufferBytes: bufferBytes).bytes
            }
        }
        return arrived
    }

    /// The error that ends the handshake, on either side.
    mutating func failure() -> (client: TLSError?, server: TLSError?) {
        var failure: (client: TLSError?, server: TLSError?) = (nil, nil)
        do { clientDone = try client.handshake() == .complete } catch { failure.client = error }
        for _ in 0..<10 {
            Self.advance(&server, Self.takeOutgoing(&client), &serverDone, &failure.server)
            Self.advance(&client, Self.takeOutgoing(&server), &clientDone, &failure.client)
        }
        return failure
    }

    private static func advance(
        _ session: inout TLSSession, _ bytes: [UInt8], _ isDone: inout Bool,
        _ error: inout TLSError?
    ) {
        guard error == nil else { return }
        bytes.withUnsafeBytes { piece in
            do throws(TLSError) {
                session.feed(piece)
                if !isDone { isDone = try session.handshake() == .complete }
                if isDone { try readOn(&session) }
            } catch let found {
                error = found
            }
        }
    }

    private static func readOn(_ session: inout TLSSession) throws(TLSError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
        defer { buffer.deallocate() }
        while case .bytes = try session.read(into: buffer) {}
    }
}

/// The peer of several suites: one authority, made once.
enum Peer {
    static let authority: SelfSignedAuthority = {
        do {
            return try SelfSignedAuthority()
        } catch {
            fatalError("no authority for the tests: \(error)")
        }
    }()

    static func client(
        _ change: (inout ClientTLSConfiguration) -> Void = { _ in }
    ) throws -> TLSContext {
        var configuration = ClientTLSConfiguration()
        configuration.caPEM = authority.caPEM
        change(&configuration)
        return try TLSContext(client: configuration)
    }

    static func server(
        _ authority: SelfSignedAuthority = Peer.authority,
        _ change: (inout ServerTLSConfiguration) -> Void = { _ in }
    ) throws -> TLSContext {
        var configuration = ServerTLSConfiguration(identity: authority.identity)
        change(&configuration)
        return try TLSContext(server: configuration)
    }
}
