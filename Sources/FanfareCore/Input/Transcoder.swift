package import FanfareBase

/// The encodings of text that are read.
package enum TextEncoding: String, Sendable, CaseIterable {
    case utf8 = "utf-8"
    /// Big endian, unless a byte order mark says otherwise (RFC 2781 §4.3).
    case utf16 = "utf-16"
    case utf16LittleEndian = "utf-16le"
    case utf16BigEndian = "utf-16be"
    case latin1 = "latin-1"
    case windows1252 = "windows-1252"

    /// Makes the encoding that a byte order mark names, if it is not UTF-8.
    package init?(byteOrderMark head: some Collection<UInt8>) {
        if head.starts(with: [0xFF, 0xFE]) {
            self = .utf16LittleEndian
        } else if head.starts(with: [0xFE, 0xFF]) {
            self = .utf16BigEndian
        } else {
            return nil
        }
    }
}

/// A converter from text in another encoding to UTF-8, piece by piece.
///
/// Bytes without a meaning in that encoding become the byte 0xFF, which has no meaning in UTF-8: so
/// they spoil the field that they stand in, and no other. A byte order mark at the beginning is
/// left out.
package struct Transcoder: Sendable {
    private enum Unit: Sendable {
        case latin1
        case windows1252
        case utf16(isLittleEndian: Bool)
    }

    /// The byte for input without a meaning, which UTF-8 does not have.
    private static let nonsense: UInt8 = 0xFF

    private let unit: Unit
    /// Half of a unit of UTF-16.
    private var firstByte: UInt8?
    /// The first half of a pair.
    private var highSurrogate: UInt32?
    private var isAtStart = true

    /// - Returns: Nothing for UTF-8, which is taken as it is.
    package init?(_ encoding: TextEncoding) {
        switch encoding {
        case .utf8: return nil
        case .latin1: unit = .latin1
        case .windows1252: unit = .windows1252
        case .utf16, .utf16BigEndian: unit = .utf16(isLittleEndian: false)
        case .utf16LittleEndian: unit = .utf16(isLittleEndian: true)
        }
    }

    /// Appends a piece of text.
    package mutating func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, into text: inout ByteBuffer
    ) {
        switch unit {
        case .latin1:
            for index in 0..<bytes.count { Self.append(UInt32(unsafe bytes[index]), to: &text) }
        case .windows1252:
            for index in 0..<bytes.count {
                let byte = unsafe bytes[index]
                let scalar = (0x80..<0xA0).contains(byte) ? Self.special[Int(byte) - 0x80] : nil
                if byte < 0x80 || byte >= 0xA0 {
                    Self.append(UInt32(byte), to: &text)
                } else if let scalar, scalar > 0 {
                    Self.append(UInt32(scalar), to: &text)
                } else {
                    text.append(Self.nonsense)
                }
            }
        case .utf16(let isLittleEndian):
            for index in 0..<bytes.count {
                let byte = unsafe bytes[index]
                guard let first = firstByte else {
                    firstByte = byte
                    continue
                }
                firstByte = nil
                let (low, high) = isLittleEndian ? (first, byte) : (byte, first)
                take(UInt32(high) << 8 | UInt32(low), into: &text)
            }
        }
    }

    /// Ends the text: a character that is not whole has no meaning.
    package mutating func finish(into text: inout ByteBuffer) {
        if highSurrogate != nil || firstByte != nil { text.append(Self.nonsense) }
        highSurrogate = nil
        firstByte = nil
    }

    // MARK: UTF-16

    private mutating func take(_ code: UInt32, into text: inout ByteBuffer) {
        let isFirst = isAtStart
        isAtStart = false
        if let high = highSurrogate {
            highSurrogate = nil
            guard !(0xDC00...0xDFFF).contains(code) else {
                let scalar = 0x1_0000 + (high - 0xD800) << 10 + (code - 0xDC00)
                return Self.append(scalar, to: &text)
            }
            text.append(Self.nonsense)
        }
        switch code {
        case 0xD800...0xDBFF: highSurrogate = code
        case 0xDC00...0xDFFF: text.append(Self.nonsense)
        case 0xFEFF where isFirst: break
        default: Self.append(code, to: &text)
        }
    }

    // MARK: UTF-8

    private static func append(_ scalar: UInt32, to text: inout ByteBuffer) {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(0x80 | scalar >> shift & 0x3F) }
        switch scalar {
        case 0..<0x80:
            text.append(UInt8(scalar))
        case 0..<0x800:
            text.append(UInt8(0xC0 | scalar >> 6))
            text.append(tail(0))
        case 0..<0x1_0000:
            text.append(UInt8(0xE0 | scalar >> 12))
            text.append(tail(6))
            text.append(tail(0))
        default:
            text.append(UInt8(0xF0 | scalar >> 18))
            text.append(tail(12))
            text.append(tail(6))
            text.append(tail(0))
        }
    }

    /// The characters of Windows-1252 from 0x80 to 0x9F; 0 where it has none.
    private static let special: [UInt16] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
        0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
    ]
}
