import FanfareBase
import Foundation
import Testing

@testable import FanfareCore

@Suite struct TranscoderTests {
    /// All of the text in pieces of a size.
    private func decode(
        _ bytes: [UInt8], _ encoding: TextEncoding, piece: Int
    ) throws -> [UInt8] {
        var transcoder = try #require(Transcoder(encoding))
        var text = ByteBuffer()
        for start in stride(from: 0, to: bytes.count, by: piece) {
            let part = Array(bytes[start..<min(start + piece, bytes.count)])
            unsafe part.withUnsafeBufferPointer { unsafe transcoder.decode($0, into: &text) }
        }
        transcoder.finish(into: &text)
        return unsafe Array(text.bytes)
    }

    private static let encodings: [(TextEncoding, String.Encoding)] = [
        (.utf16, .utf16BigEndian), (.utf16BigEndian, .utf16BigEndian),
        (.utf16LittleEndian, .utf16LittleEndian), (.latin1, .isoLatin1),
        (.windows1252, .windowsCP1252),
    ]

    /// Against Foundation, at every split point.
    @Test(arguments: encodings.indices)
    func `text is what another implementation makes of it`(index: Int) throws {
        let (encoding, reference) = Self.encodings[index]
        let wide = "token,naïve\r\nab,\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}😀ÿ€\n"
        var narrow = String(String.UnicodeScalarView((0...0xFF).compactMap { Unicode.Scalar($0) }))
        if encoding == .windows1252 {
            narrow.unicodeScalars.removeAll { (0x80..<0xA0).contains($0.value) }
            narrow += "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
        }
        let isNarrow = encoding == .latin1 || encoding == .windows1252
        let text = isNarrow ? narrow : wide
        let bytes = [UInt8](try #require(text.data(using: reference)))
        for piece in [1, 2, 3, 5, 7, bytes.count] {
            #expect(try decode(bytes, encoding, piece: piece) == Array(text.utf8))
        }
    }

    /// Each piece of nonsense spoils its own place only.
    @Test(arguments: [1, 2, 3, 100])
    func `what means nothing becomes a byte that UTF-8 does not have`(piece: Int) throws {
        let cases: [(TextEncoding, [UInt8], [UInt8])] = [
            // High halves without a low one, at the end too; a low one alone; half a unit.
            (.utf16BigEndian, [0xD8, 0, 0, 0x61], [0xFF, 0x61]),
            (.utf16BigEndian, [0xD8, 0, 0xD8, 0, 0xDC, 0], [0xFF, 0xF0, 0x90, 0x80, 0x80]),
            (.utf16BigEndian, [0, 0x61, 0xD8, 0], [0x61, 0xFF]),
            (.utf16LittleEndian, [0, 0xDC, 0x61, 0], [0xFF, 0x61]),
            (.utf16LittleEndian, [0x61, 0, 0x62], [0x61, 0xFF]),
            (.windows1252, [0x61, 0x81, 0x8D, 0x8F, 0x90], [0x61, 0xFF, 0xFF, 0xFF, 0xFF]),
            (.windows1252, [0x9D, 0x61], [0xFF, 0x61]),
        ]
        for (encoding, bytes, expected) in cases {
            #expect(try decode(bytes, encoding, piece: piece) == expected)
        }
    }

    @Test func `a byte order mark is left out at the beginning only`() throws {
        let bytes: [UInt8] = [0xFE, 0xFF, 0, 0x61, 0xFE, 0xFF]
        #expect(try decode(bytes, .utf16BigEndian, piece: 1) == [0x61, 0xEF, 0xBB, 0xBF])
        #expect(TextEncoding(byteOrderMark: bytes) == .utf16BigEndian)
        #expect(TextEncoding(byteOrderMark: [0xFF, 0xFE] as [UInt8]) == .utf16LittleEndian)
        #expect(TextEncoding(byteOrderMark: [0xEF, 0xBB, 0xBF] as [UInt8]) == nil)
        #expect(TextEncoding(byteOrderMark: [0xFF] as [UInt8]) == nil)
        #expect(Transcoder(.utf8) == nil)
    }
}
