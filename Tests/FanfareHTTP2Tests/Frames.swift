/// Raw HTTP/2 frames, made and taken apart by hand, so that the tests do not believe the library.
struct Frame: Equatable {
    enum Kind: UInt8 {
        case data = 0
        case headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate
        case continuation
    }

    var kind: Kind
    var flags: UInt8
    var stream: Int32
    var payload: [UInt8]

    static let preface = [UInt8]("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    static let endStream: UInt8 = 0x1
    static let ack: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4
    static let padded: UInt8 = 0x8

    init(_ kind: Kind, flags: UInt8 = 0, stream: Int32 = 0, _ payload: [UInt8] = []) {
        self.kind = kind
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    var bytes: [UInt8] {
        let count = payload.count
        return [UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)]
            + [kind.rawValue, flags] + bigEndian(UInt32(bitPattern: stream)) + payload
    }

    /// Cuts bytes into frames; the client's preface is left out.
    static func parse(_ bytes: [UInt8]) -> [Frame] {
        var rest = bytes.starts(with: preface) ? bytes.dropFirst(preface.count) : bytes[...]
        var frames: [Frame] = []
        while rest.count >= 9 {
            let head = Array(rest.prefix(9))
            let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            let payload = Array(rest.dropFirst(9).prefix(count))
            let stream = Int32(bitPattern: number(head[5..<9]) & 0x7FFF_FFFF)
            if let kind = Kind(rawValue: head[3]) {
                frames.append(Frame(kind, flags: head[4], stream: stream, payload))
            }
            rest = rest.dropFirst(9 + count)
        }
        return frames
    }

    static func settings(_ values: [(UInt16, UInt32)] = []) -> Frame {
        Frame(
            .settings,
            values.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 255)] + bigEndian($0.1) })
    }

    static func goAway(last: Int32, code: UInt32, debug: String = "") -> Frame {
        Frame(.goAway, bigEndian(UInt32(last)) + bigEndian(code) + Array(debug.utf8))
    }

    static func reset(_ stream: Int32, code: UInt32) -> Frame {
        Frame(.resetStream, stream: stream, bigEndian(code))
    }

    /// A header list without any compression: literals without indexing, new names (RFC 7541 §6.2.2).
    static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { name, value -> [UInt8] in
            precondition(name.utf8.count < 127 && value.utf8.count < 127)
            return [0, UInt8(name.utf8.count)] + Array(name.utf8)
                + [UInt8(value.utf8.count)] + Array(value.utf8)
        }
    }

    static func headers(
        _ stream: Int32, _ fields: [(String, String)], endStream: Bool = false
    ) -> Frame {
        Frame(
            .headers, flags: Self.endHeaders | (endStream ? Self.endStream : 0), stream: stream,
            block(fields))
    }

    static func data(_ stream: Int32, _ text: String, endStream: Bool = false) -> Frame {
        Frame(.data, flags: endStream ? Self.endStream : 0, stream: stream, Array(text.utf8))
    }

    /// A number as four bytes.
    static func word(_ value: UInt32) -> [UInt8] { bigEndian(value) }

    /// The last stream of a GOAWAY; also the increment of a WINDOW_UPDATE.
    var goAwayLast: UInt32 { number(payload[0..<4]) }
    var goAwayCode: UInt32 { number(payload[4..<8]) }
    var resetCode: UInt32 { number(payload[0..<4]) }
}

private func number(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) }
}

private func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(value >> $0 & 255) }
}
