import FanfareBase

/// Names and values as a form is sent, and as a query has them: `a=b&c=d%20e`.
///
/// https://url.spec.whatwg.org/#urlencoded-parsing
struct FormText {
    /// The fields in their order; a name may come more than once.
    let members: [(name: String, value: String)]

    init(_ text: some StringProtocol) {
        // By bytes: to Swift's texts a sign with a mark behind it is another character.
        members = Array(text.utf8).split(separator: UInt8(ascii: "&")).map { member in
            let parts = member.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(parts[0]), parts.count == 2 ? Self.decoded(parts[1]) : "")
        }
    }

    /// The value of the first member of a name.
    subscript(name: String) -> String? {
        members.first { $0.name == name }?.value
    }

    static func decoded(_ text: some StringProtocol) -> String {
        decoded(Array(text.utf8)[...])
    }

    private static func decoded(_ encoded: ArraySlice<UInt8>) -> String {
        let bytes = Array(encoded)
        var plain: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = bytes[index + 1].hexadecimalValue,
                let low = bytes[index + 2].hexadecimalValue
            {
                plain.append(high << 4 | low)
                index += 3
            } else {
                let byte = bytes[index]
                plain.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                index += 1
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }
}
