/// What identifies a job, and through it every notification: `apns-id` is made from job and row, so
/// a row keeps its id over attempts and resumptions, and two jobs never share one.
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

    @inline(__always)  // One table-free digit; called twelve times a row.
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
        var rest = row
        for index in stride(from: 35, through: 24, by: -1) {
            unsafe place.storeBytes(of: Self.digit(rest), toByteOffset: index, as: UInt8.self)
            rest >>= 4
        }
        buffer.commit(Self.idBytes)
    }
}
