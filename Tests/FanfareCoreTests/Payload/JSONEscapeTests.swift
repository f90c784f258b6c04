import FanfareBase
import FanfareCore
import Testing

@Suite struct JSONEscapeTests {
    func escaped(_ text: [UInt8]) -> String {
        var buffer = ByteBuffer(capacity: 16)
        text.withUnsafeBufferPointer { buffer.append(jsonEscaped: $0) }
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// RFC 8259 section 7.
    func expected(_ byte: UInt8) -> String {
        switch byte {
        case 0x22: "\\\""
        case 0x5C: "\\\\"
        case 0x08: "\\b"
        case 0x09: "\\t"
        case 0x0A: "\\n"
        case 0x0C: "\\f"
        case 0x0D: "\\r"
        case 0..<0x10: "\\u000" + String(byte, radix: 16)
        case 0x10..<0x20: "\\u00" + String(byte, radix: 16)
        default: String(UnicodeScalar(byte))
        }
    }

    @Test func `every byte is escaped at every place of a word`() {
        for byte in UInt8(0)...127 {
            for before in 0...17 {
                for after in [0, 1, 7, 8, 9] {
                    let text =
                        Array(repeating: UInt8(ascii: "x"), count: before) + [byte]
                        + Array(repeating: 0x7F, count: after)
                    let result =
                        String(repeating: "x", count: before) + expected(byte)
                        + String(repeating: "\u{7F}", count: after)
                    #expect(escaped(text) == result)
                }
            }
        }
    }

    @Test func `two escapes in one word are both found`() {
        for first in UInt8(0)...127 {
            for second in [UInt8(0), 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F] {
                let text = [0x61, first, second, 0x62, second, first, 0x63, 0x64]
                #expect(escaped(text) == text.map(expected).joined())
            }
        }
    }

    @Test func `text beyond ASCII stays as it is`() {
        for text in [
            "é", "日本語", "😀", "a😀b𝄞", "\u{2028}\u{2029}", "\u{10FFFF}\u{80}\u{7FF}\u{800}\u{FFFF}",
        ] {
            #expect(escaped(Array(text.utf8)) == text)
        }
        #expect(escaped(Array("é\"😀\\\n".utf8)) == "é\\\"😀\\\\\\n")
        #expect(escaped([]) == "")
    }
}
