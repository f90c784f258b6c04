import FanfareBase
package import FanfareCore
import FanfareTLS

/// The key that tells a request from others at the service, the same for all its attempts.
package enum RequestKey {
    /// The namespace of the UUIDs, which is Fanfare's own.
    private static let namespace: [UInt8] = [
        0xD2, 0x6B, 0x1C, 0x0E, 0x8F, 0x3A, 0x4E, 0x57, 0x9A, 0x64, 0x21, 0x7C, 0x5D, 0xE0, 0x93,
        0xB8,
    ]

    /// Makes a key.
    /// - Parameters:
    ///   - form: The form of the key.
    ///   - job: The text that tells the job from others.
    ///   - row: The number of the request's first row.
    /// - Returns: The key as text.
    package static func make(
        _ form: DeclaredIdempotency.Form, job: String, row: UInt64
    ) -> [UInt8] {
        let name = Array("\(job)/\(row)".utf8)
        return switch form {
        case .uuid5: Array(uuid5(namespace: namespace, name: name).utf8)
        case .alnum16: alnum16(SHA1.digest(of: namespace + name))
        }
    }

    /// A UUID of version 5.
    ///
    /// RFC 9562 §5.5
    static func uuid5(namespace: [UInt8], name: [UInt8]) -> String {
        var bytes = Array(SHA1.digest(of: namespace + name).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x50
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text = ByteBuffer()
        text.appendUUID(bytes.reduce(0) { $0 << 8 | UInt128($1) })
        return unsafe String(decoding: text.bytes, as: UTF8.self)
    }

    /// 16 of 36 letters and digits, 82 bits of a digest.
    private static func alnum16(_ digest: [UInt8]) -> [UInt8] {
        var number = digest.prefix(12).reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        return (0..<16).map { _ in
            let digit = UInt8(number % 36)
            number /= 36
            return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
        }
    }
}
