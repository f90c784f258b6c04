import FanfareBase
import FanfareTLS

/// Forms: `application/x-www-form-urlencoded`, with all but RFC 3986's unreserved characters escaped.
///
/// RFC 6749 Appendix B
enum FormText {
    static let contentType = "application/x-www-form-urlencoded"

    /// Writes a form in memory that is wiped.
    static func encoded(_ fields: [(name: String, value: Secret)]) -> Secret {
        var bytes: [UInt8] = []
        // Enough for all to be escaped, so that no half of a secret stays behind in memory that was grown
        // out of.
        bytes.reserveCapacity(
            fields.reduce(0) { sum, field in
                sum + (field.name.utf8.count + field.value.count) * 3 + 2
            })
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "&")) }
            for byte in field.name.utf8 { append(byte, to: &bytes) }
            bytes.append(UInt8(ascii: "="))
            unsafe field.value.withBytes { value in
                for index in value.indices { unsafe append(value[index], to: &bytes) }
            }
        }
        return Secret(wiping: &bytes)
    }

    /// A text that is no secret, escaped.
    static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 { append(byte, to: &bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case _ where byte.isUnreserved:
            bytes.append(byte)
        case UInt8(ascii: " "):
            bytes.append(UInt8(ascii: "+"))
        default:
            bytes.append(UInt8(ascii: "%"))
            bytes.append(digit(byte >> 4))
            bytes.append(digit(byte & 15))
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
    }
}
