import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareHTTP2Server

/// Requests and answers of a client session that talks to nghttp2's server session in memory.
///
/// Only the client's part is timed: what an answer is made of is what nghttp2 makes of it.
func measureSessions(_ meter: Meter) throws {
    let connection = try Connection()
    // Those of the first turn are larger, because they fill the header tables.
    _ = connection.turn(nil, nil)
    let (_, sent, received) = connection.turn(nil, nil)
    meter.measure("encode request", bytes: sent) { stopwatch in
        withUnsafeMutablePointer(to: &stopwatch) { connection.turn($0, nil).count }
    }
    meter.measure("decode answer", bytes: received) { stopwatch in
        withUnsafeMutablePointer(to: &stopwatch) { connection.turn(nil, $0).count }
    }
}

private final class Connection {
    /// The requests of a turn, as one connection to APNs has them in flight.
    private static let count = 1000
    private static let tokenBytes = 64

    private var client: ClientSession
    private var server: ServerSession
    private let headers: RequestHeaders
    private var outgoing = ByteBuffer(capacity: 1 << 20)
    private var incoming = ByteBuffer(capacity: 1 << 20)
    /// Token and id of each request, one behind the other, and the body of them all.
    private var texts = ByteBuffer()
    private let body: [UInt8]

    init() throws {
        client = ClientSession(ClientSessionConfiguration())
        server = try ServerSession(
            ServerSessionConfiguration(
                initialWindowSize: 1 << 20, connectionWindow: 1 << 30))
        headers = RequestHeaders([
            HeaderField(":method", "POST"), HeaderField(":scheme", "https"),
            HeaderField(":authority", "api.push.apple.com"),
            HeaderField(":path", beginning: "/3/device/"),
            HeaderField("apns-id", nil, .nameOnly),
            HeaderField("apns-topic", usual: "com.example.app"),
            HeaderField("apns-push-type", usual: "alert"),
            HeaderField("authorization", "bearer " + String(repeating: "x", count: 180)),
        ])
        body = Array(Material.template.utf8)
        let identity = JobIdentity(bits: 7)
        var generator = SplitMix64(seed: 7)
        for row in 0..<Self.count {
            for _ in 0..<4 {
                let digits = String(generator.next(), radix: 16)
                texts.append(String(repeating: "0", count: 16 - digits.count) + digits)
            }
            identity.appendID(ofRow: UInt64(row), to: &texts)
        }
        try greet()
    }

    /// Exchanges SETTINGS: until then a client has no more than 100 requests in flight.
    private func greet() throws(HTTP2Error) {
        client.write(into: &outgoing, limit: .max)
        try server.receive(UnsafeRawBufferPointer(outgoing.bytes))
        while server.nextEvent() != nil {}
        _ = try server.write(into: &incoming, limit: .max)
        try client.receive(UnsafeRawBufferPointer(incoming.bytes))
        while client.nextEvent() != nil {}
    }

    /// Sends requests and takes their answers; each part is timed if it has a stopwatch.
    func turn(
        _ encoding: UnsafeMutablePointer<Stopwatch>?, _ decoding: UnsafeMutablePointer<Stopwatch>?
    ) -> (count: Int, sent: Int, received: Int) {
        do {
            outgoing.removeAll()
            encoding?.pointee.start()
            try submitAll()
            let sent = client.write(into: &outgoing, limit: .max)
            encoding?.pointee.stop()

            try answer()

            decoding?.pointee.start()
            let count = try takeAnswers()
            decoding?.pointee.stop()
            precondition(count == Self.count, "\(count) of \(Self.count) answers")
            return (count, sent, incoming.count)
        } catch {
            preconditionFailure("the connection has failed: \(error)")
        }
    }

    private func submitAll() throws(HTTP2Error) {
        let entryBytes = Self.tokenBytes + JobIdentity.idBytes
        try body.withUnsafeBufferPointer { body throws(HTTP2Error) in
            try withUnsafeTemporaryAllocation(of: UnsafeBufferPointer<UInt8>.self, capacity: 2) {
                values throws(HTTP2Error) in
                values.initialize(repeating: UnsafeBufferPointer(start: nil, count: 0))
                for row in 0..<Self.count {
                    let start = row * entryBytes
                    values[0] = texts.bytes(ByteRange(start: start, count: Self.tokenBytes))
                    values[1] = texts.bytes(
                        ByteRange(start: start + Self.tokenBytes, count: JobIdentity.idBytes))
                    _ = try client.submit(
                        headers, values: UnsafeBufferPointer(values), body: body,
                        tag: UInt32(row))
                }
            }
        }
    }

    /// Lets the server answer everything as APNs does: 200 and the id of the request.
    private func answer() throws(HTTP2Error) {
        try server.receive(UnsafeRawBufferPointer(outgoing.bytes))
        incoming.removeAll()
        while let event = server.nextEvent() {
            guard case .requestReceived(let stream) = event else {
                if case .streamClosed(let stream, _) = event { server.release(stream) }
                continue
            }
            let id = server.field(.apnsID, of: stream)
            try withUnsafeTemporaryAllocation(of: ResponseField.self, capacity: 1) {
                fields throws(HTTP2Error) in
                fields.initialize(
                    repeating: ResponseField(
                        name: Self.bytes("apns-id"), value: id, isIndexed: false))
                try server.respond(
                    stream, status: 200, fields: UnsafeBufferPointer(fields),
                    body: UnsafeBufferPointer(start: nil, count: 0))
            }
        }
        _ = try server.write(into: &incoming, limit: .max)
        // The streams have ended with the answers.
        while let event = server.nextEvent() {
            if case .streamClosed(let stream, _) = event { server.release(stream) }
        }
    }

    private func takeAnswers() throws(HTTP2Error) -> Int {
        try client.receive(UnsafeRawBufferPointer(incoming.bytes))
        var count = 0
        while let event = client.nextEvent() {
            guard case .streamClosed(let stream, _, _) = event else { continue }
            let response = client.response(stream)
            if response.status == 200 && response.messageID.count == JobIdentity.idBytes {
                count += 1
            }
            client.release(stream)
        }
        return count
    }

    private static func bytes(_ text: StaticString) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}
