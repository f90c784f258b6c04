/// Takes the escapes out of the inside of a valid JSON string.
///
/// It is not for the path of a row: it allocates. Half a surrogate pair becomes U+FFFD, as in
/// `String`; a validated text has none. Source: RFC 8259 section 7
package func jsonUnescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var plain: [UInt8] = []
    var units: [UInt16] = []
    var rest = text
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
            plain.append(byte)
            continue
        }
        switch letter {
        case UInt8(ascii: "b"): plain.append(0x08)
        case UInt8(ascii: "f"): plain.append(0x0C)
        case UInt8(ascii: "n"): plain.append(0x0A)
        case UInt8(ascii: "r"): plain.append(0x0D)
        case UInt8(ascii: "t"): plain.append(0x09)
        case UInt8(ascii: "u"):
            let digits = String(decoding: rest.prefix(4), as: UTF8.self)
            units.append(UInt16(digits, radix: 16) ?? 0xFFFD)
            rest = rest.dropFirst(4)
            // The second half of a pair follows as an escape of its own.
            if rest.starts(with: "\\u".utf8), UTF16.isLeadSurrogate(units[units.count - 1]) {
                continue
            }
            plain += Array(String(decoding: units, as: UTF16.self).utf8)
            units = []
        default: plain.append(letter)
        }
    }
    return plain
}
