package import FanfareBase

/// The identity of a job, and through it of every notification.
///
/// `apns-id` is made from job and row, so a row keeps its id over attempts and resumptions, and two
/// jobs never share one.
///
/// The id is a UUID of version 8 (RFC 9562 §5.8):
/// ```
///  jjjjjjjj-jjjj-8jjj-8000-rrrrrrrrrrrr      j: 60 random bits of the job
///                          r: the row number, 48 bits
/// ```
package struct JobIdentity: Sendable {
    /// The length of an id as text.
    package static let idBytes = 36

    /// The random bits; the highest four are not used.
    package let bits: UInt64
    /// The text up to the row's digits.
    private let prefix: InlinePrefix

    private typealias InlinePrefix = (UInt64, UInt64, UInt64)

    package init(bits: UInt64) {
        self.bits = bits & 0x0FFF_FFFF_FFFF_FFFF
        var text: [UInt8] = []
        for position in stride(from: 56, through: 0, by: -4) {
            if text.count == 8 || text.count == 13 { text.append(UInt8(ascii: "-")) }
            if text.count == 14 { text.append(UInt8(ascii: "8")) }
            text.append(Self.digit(bits >> UInt64(position)))
        }
        text += "-8000-".utf8
        precondition(text.count == 24)
        prefix = (Self.word(text[0..<8]), Self.word(text[8..<16]), Self.word(text[16..<24]))
    }

    /// The job's identity as 15 hexadecimal digits, for people and files.
    package var text: String {
        let digits = stride(from: 56, through: 0, by: -4).map { Self.digit(bits >> UInt64($0)) }
        return String(decoding: digits, as: UTF8.self)
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns eight hexadecimal digits at once, the first one in the highest byte: 15
    /// instructions, where one by one they are 150.
    private static func digits(_ value: UInt32) -> UInt64 {
        var nibbles = UInt64(value)
        nibbles = (nibbles << 16 | nibbles) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles << 8 | nibbles) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles << 4 | nibbles) & 0x0F0F_0F0F_0F0F_0F0F
        // One in each byte whose digit is a letter; `a` is 39 further from 9 than the next sign.
        let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 39
    }

    private static func digit(_ value: UInt64) -> UInt8 {
        let nibble = UInt8(truncatingIfNeeded: value & 15)
        return nibble + (nibble < 10 ? 48 : 87)
    }

    /// Appends the `apns-id` of a row, 36 characters.
    package func appendID(ofRow row: UInt64, to buffer: inout ByteBuffer) {
        let place = unsafe UnsafeMutableRawPointer(buffer.space(Self.idBytes))
        unsafe place.storeBytes(of: prefix.0.littleEndian, as: UInt64.self)
        unsafe place.storeBytes(of: prefix.1.littleEndian, toByteOffset: 8, as: UInt64.self)
        unsafe place.storeBytes(of: prefix.2.littleEndian, toByteOffset: 16, as: UInt64.self)
        let high = UInt32(truncatingIfNeeded: Self.digits(UInt32(truncatingIfNeeded: row >> 32)))
        let low = Self.digits(UInt32(truncatingIfNeeded: row))
        unsafe place.storeBytes(of: high.bigEndian, toByteOffset: 24, as: UInt32.self)
        unsafe place.storeBytes(of: low.bigEndian, toByteOffset: 28, as: UInt64.self)
        buffer.commit(Self.idBytes)
    }

    /// Reads a job's bits out of the id that it has given to a row; `nil` if the id is another one.
    /// - Parameters:
    ///   - id: The id as text.
    ///   - row: The number of the row.
    /// - Returns: The 60 bits.
    package static func bits(of id: String, ofRow row: UInt64) -> UInt64? {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12], parts[2].hasPrefix("8"),
            parts[3] == "8000", UInt64(parts[4], radix: 16) == row
        else { return nil }
        return UInt64(parts[0] + parts[1] + parts[2].dropFirst(), radix: 16)
    }
}
