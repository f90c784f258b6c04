import FanfareBase

/// A provider's words, as they may stand in a report.
///
/// They have U+FFFD in place of control characters and line breaks, and are cut off at a character.
package enum ShownWords {
    /// True if there are bytes, and they are no object: a page of HTML, say.
    package static func isPage(_ body: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe !body.isEmpty && !mayBeObject(body)
    }

    /// True if the first byte that is not white space (RFC 8259 §2) opens an object.
    static func mayBeObject(_ body: UnsafeBufferPointer<UInt8>) -> Bool {
        let first = unsafe body.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
        return first == UInt8(ascii: "{")
    }

    /// True if bytes are the same when they are cleaned, but for their length.
    static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }

    /// Returns the cleaned beginning of a text.
    ///
    /// It is not for the path of every answer: it allocates.
    static func cleaned(_ bytes: UnsafeBufferPointer<UInt8>, bytesMax: Int) -> [UInt8] {
        let text = unsafe String(decoding: bytes, as: UTF8.self)
        return Array(TerminalText.reported(text, bytesMax: bytesMax).utf8)
    }
}

extension ByteBuffer {
    /// Appends bytes and says where they are.
    mutating func keep(_ bytes: [UInt8]) -> ByteRange {
        let start = count
        append(bytes)
        return ByteRange(start: start, count: bytes.count)
    }
}
