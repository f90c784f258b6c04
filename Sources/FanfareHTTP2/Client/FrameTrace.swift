/// A reader of the headers of frames in one direction of a connection, in pieces of any size.
///
/// It looks at nothing of a payload, and keeps nothing of it.
package struct FrameTrace: Sendable {
    /// The content of a frame's header.
    package struct Frame: Equatable, Sendable {
        package var kind: UInt8
        package var flags: UInt8
        /// 0 for the connection.
        package var stream: Int32
        /// The bytes of the payload.
        package var length: Int
    }

    /// The bytes of the client's preface, RFC 9113 §3.4.
    private static let prefaceBytes = 24

    /// The number of bytes that are passed over before the next header.
    private var passing: Int
    /// The beginning of a header.
    private var head: [UInt8] = []

    /// - Parameter isFromClient: True if the direction begins with the client's preface.
    package init(isFromClient: Bool) {
        passing = isFromClient ? Self.prefaceBytes : 0
    }

    /// Takes in the next bytes and says which frames begin in them.
    package mutating func take(_ bytes: UnsafeRawBufferPointer) -> [Frame] {
        var frames: [Frame] = []
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty {
            if passing > 0 {
                let count = unsafe min(passing, rest.count)
                passing -= count
                unsafe rest = rest.dropFirst(count)
                continue
            }
            let count = unsafe min(FrameHeader.byteCount - head.count, rest.count)
            unsafe head += rest.prefix(count)
            unsafe rest = rest.dropFirst(count)
            guard head.count == FrameHeader.byteCount else { break }
            let header = unsafe head.withUnsafeBufferPointer { head in
                unsafe head.baseAddress.map { unsafe FrameHeader($0) }
            }
            head.removeAll(keepingCapacity: true)
            guard let header else { break }
            passing = header.length
            frames.append(
                Frame(
                    kind: header.kind, flags: header.flags, stream: header.stream,
                    length: header.length))
        }
        return frames
    }
}

extension FrameTrace.Frame {
    private static let names = [
        "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY",
        "WINDOW_UPDATE", "CONTINUATION",
    ]

    /// The name of its type in RFC 9113 §6; `0xa` for one that has none there.
    package var name: String {
        Int(kind) < Self.names.count ? Self.names[Int(kind)] : "0x" + String(kind, radix: 16)
    }

    /// The names of its flags, with `|` between them; a flag without a name is a number.
    package var flagNames: String {
        let known: [(UInt8, String)] =
            switch kind {
            case FrameHeader.Kind.data: [(0x1, "END_STREAM"), (0x8, "PADDED")]
            case FrameHeader.Kind.headers:
                [(0x1, "END_STREAM"), (0x4, "END_HEADERS"), (0x8, "PADDED"), (0x20, "PRIORITY")]
            case FrameHeader.Kind.settings, FrameHeader.Kind.ping: [(0x1, "ACK")]
            case FrameHeader.Kind.pushPromise: [(0x4, "END_HEADERS"), (0x8, "PADDED")]
            case FrameHeader.Kind.continuation: [(0x4, "END_HEADERS")]
            default: []
            }
        var rest = flags
        var names: [String] = []
        for (flag, name) in known where flags & flag != 0 {
            names.append(name)
            rest &= ~flag
        }
        if rest != 0 { names.append("0x" + String(rest, radix: 16)) }
        return names.joined(separator: "|")
    }
}
