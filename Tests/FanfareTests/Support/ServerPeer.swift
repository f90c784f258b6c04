import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareHTTP2Server
import FanfareTLS
import Testing

@testable import Fanfare

/// A server in memory that a `ClientConnection` talks to: HTTP/2, over TLS if there is a context.
final class ServerPeer {
    private var tls: TLSSession?
    private var session: ServerSession
    private var isOpen: Bool
    private(set) var requests: [StreamHandle] = []
    /// The reason for the end of TLS.
    private(set) var tlsError: TLSError?
    private(set) var isClosedByClient = false
    private var plain = ByteBuffer()

    init(tls context: TLSContext? = nil) throws {
        session = try ServerSession(ServerSessionConfiguration())
        isOpen = context == nil
        if let context { tls = try TLSSession(acceptingWith: context) }
    }

    // MARK: Bytes

    func receive(_ bytes: [UInt8]) throws {
        guard tls != nil else { return try receivePlain(bytes) }
        bytes.withUnsafeBytes { tls?.feed($0) }
        do throws(TLSError) {
            if !isOpen { isOpen = try tls?.handshake() == .complete }
            guard isOpen else { return }
            try readTLS()
        } catch {
            tlsError = error
        }
        try receivePlain(Array(plain.bytes))
        plain.removeAll()
    }

    private func readTLS() throws(TLSError) {
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
        defer { space.deallocate() }
        while true {
            switch try tls?.read(into: space) {
            case .bytes(let count):
                plain.append(
                    UnsafeBufferPointer(rebasing: space.bindMemory(to: UInt8.self)[..<count]))
            case .closed:
                isClosedByClient = true
                return
            case .needsInput, nil:
                return
            }
        }
    }

    private func receivePlain(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try session.receive($0) }
        while let event = session.nextEvent() {
            if case .requestReceived(let stream) = event { requests.append(stream) }
        }
    }

    func takeOutgoing() throws -> [UInt8] {
        var frames = ByteBuffer()
        if isOpen { _ = try session.write(into: &frames, limit: 1 << 20) }
        guard tls != nil else { return Array(frames.bytes) }
        if !frames.isEmpty { _ = try tls?.write(UnsafeRawBufferPointer(frames.bytes)) }
        var bytes: [UInt8] = []
        if let outgoing = tls?.outgoing { bytes += outgoing }
        tls?.discardOutgoing(bytes.count)
        return bytes
    }

    /// Ends TLS from the server's side.
    func closeNotify() { tls?.closeNotify() }

    // MARK: Requests

    func text(_ field: RequestField, _ stream: StreamHandle) -> String {
        String(session.field(field, of: stream))
    }

    /// All fields that came, by the name of their case.
    func fields(_ stream: StreamHandle) -> [RequestField: String] {
        var fields: [RequestField: String] = [:]
        for field in RequestField.allCases {
            let value = session.field(field, of: stream)
            if value.baseAddress != nil { fields[field] = String(value) }
        }
        return fields
    }

    func body(_ stream: StreamHandle) -> String { String(session.body(of: stream)) }

    func respond(
        _ stream: StreamHandle, status: UInt16, fields: [(String, String)] = [],
        body: String = ""
    ) throws {
        var body = body
        let text = Array(fields.flatMap { [$0.0, $0.1] }.joined().utf8)
        try text.withUnsafeBufferPointer { text in
            var rest = text[...]
            func next(_ part: String) -> UnsafeBufferPointer<UInt8> {
                defer { rest = rest.dropFirst(part.utf8.count) }
                return UnsafeBufferPointer(rebasing: rest.prefix(part.utf8.count))
            }
            let list = fields.map { name, value in
                ResponseField(name: next(name), value: next(value), isIndexed: true)
            }
            try list.withUnsafeBufferPointer { list in
                try body.withUTF8 {
                    try session.respond(stream, status: status, fields: list, body: $0)
                }
            }
        }
    }
}

extension APNs {
    /// A provider at `localhost`, and a job without values of its own.
    static var sample: APNs {
        APNs(Settings(scheme: "https", authority: "localhost", identity: JobIdentity(bits: 1)))
    }
}

extension PreparedRow {
    /// A row to token `aa`, whose payload is an empty object with blanks in it.
    static func sample(payloadBytes: Int = 2) -> PreparedRow {
        var row = PreparedRow()
        row.number = 1
        row.bytes.append("aaeabeae54-14a8-11e5-b60b-1697f925ec7b{")
        for _ in 2..<payloadBytes { row.bytes.append(" ") }
        row.bytes.append("}")
        row.token = ByteRange(start: 0, count: 2)
        row.messageID = ByteRange(start: 2, count: 36)
        row.setField(APNs.Field.token, row.token)
        row.setField(APNs.Field.id, row.messageID)
        row.payload = ByteRange(start: 38, count: payloadBytes)
        return row
    }
}

/// A client connection and a server that talk in memory.
struct Conversation {
    let client: ClientConnection
    let server: ServerPeer
    /// The bytes that the client is fed at a time.
    var pieceBytes = Int.max

    /// Lets both talk until neither has anything to say.
    func exchange() throws {
        while true {
            var up: [UInt8] = []
            try client.flush(now: Instant(nanoseconds: 0)) { bytes in
                up += bytes
                return bytes.count
            }
            try server.receive(up)
            let down = try server.takeOutgoing()
            try feed(down)
            if up.isEmpty && down.isEmpty { return }
        }
    }

    /// Gives the client bytes, in its pieces.
    func feed(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieceBytes))
            rest = rest.dropFirst(piece.count)
            try piece.withUnsafeBytes {
                try client.receive($0, now: Instant(nanoseconds: 0))
            }
        }
    }

    /// The answers that the client has, as status and body; gives their streams back.
    func takeAnswers() -> [String] {
        var answers: [String] = []
        while let event = client.session.withValue({ $0.nextEvent() }) {
            guard case .streamClosed(let stream, _, _) = event else { continue }
            let response = client.session.withValue { $0.response(stream) }
            answers.append("\(response.status) \(String(response.body))")
            client.session.withValue { $0.release(stream) }
        }
        return answers
    }
}
