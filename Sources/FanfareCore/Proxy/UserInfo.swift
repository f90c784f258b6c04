import FanfareBase

/// The part of a URL with a user's name and password: the text before the last `@` of its
/// authority.
///
/// It works on bytes, not text, so that it makes no more copies of a secret. RFC 3986 §3.2.1
package enum UserInfo {
    /// Returns its place in a URL; nil if there is none.
    package static func range(in url: some Collection<UInt8>) -> Range<Int>? {
        let bytes = Array(url)
        var start = 0
        for index in bytes.indices.dropLast(2)
        where bytes[index] == UInt8(ascii: ":") && bytes[index + 1] == UInt8(ascii: "/")
            && bytes[index + 2] == UInt8(ascii: "/")
        {
            start = index + 3
            break
        }
        let authority = bytes[start...].prefix { !"/?#".utf8.contains($0) }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        return start..<at
    }

    /// Takes percent-encoding off; nil for a percent sign without two digits behind it.
    ///
    /// RFC 3986 §2.1
    package static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalValue,
                let low = rest.popFirst()?.hexadecimalValue
            else { return nil }
            decoded.append(high << 4 | low)
        }
        return decoded
    }
}
