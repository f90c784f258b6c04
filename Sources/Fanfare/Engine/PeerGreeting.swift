/// The first bytes of a peer in the clear, where nothing has promised yet that it speaks HTTP/2.
///
/// A peer of HTTP/2 begins with SETTINGS, of which 16 KiB at most are taken: the first byte, the
/// highest of the frame's length, is 0. RFC 9113 §3.4
struct PeerGreeting {
    private static let http1 = Array("HTTP/1.".utf8)
    /// The type of the frame with which HTTP/2 begins. RFC 9113 §6.5
    private static let settings: UInt8 = 4
    /// Enough to recognize a language, and to show of one that is not recognized.
    private static let byteCount = 12

    private var bytes: [UInt8] = []

    mutating func add(_ more: UnsafeRawBufferPointer) {
        unsafe bytes += more.prefix(Self.byteCount - bytes.count)
    }

    /// True if they are the beginning of an answer of HTTP: its version, or SETTINGS of HTTP/2.
    var isOfHTTP: Bool {
        // The version of a record of TLS is known after five bytes.
        bytes.starts(with: Self.http1.prefix(5))
            || bytes.count > 3 && bytes[0] == 0 && bytes[3] == Self.settings
    }

    /// The error of a peer that does not speak HTTP/2; nil while it may.
    var complaint: ConnectionError? {
        guard let first = bytes.first, first != 0 else { return nil }
        // An alert, with which a TLS server answers, or a handshake. RFC 8446 §5.1
        if first == 0x15 || first == 0x16 { return .notHTTP2("the peer wants TLS: use https://") }
        if bytes.starts(with: Self.http1) { return .speaksHTTP1 }
        if Self.http1.starts(with: bytes) { return nil }
        let shown = bytes.map { 0x20..<0x7F ~= $0 ? Character(UnicodeScalar($0)) : "." }
        return .notHTTP2("the peer does not speak HTTP/2: it begins with '\(String(shown))'")
    }
}
