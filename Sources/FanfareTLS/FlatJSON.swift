/// The members of one JSON object that has no arrays, no objects and no escapes in it.
///
/// Enough for the two objects of a provider token, and small enough to be obviously right. Everything
/// that goes beyond makes it nil.
///
/// RFC 8259
struct FlatJSON {
    private(set) var strings: [String: String] = [:]
    private(set) var integers: [String: Int64] = [:]
    private var names: Set<String> = []
    private var rest: ArraySlice<UInt8>

    init?(_ bytes: [UInt8]) {
        rest = bytes[...]
        guard skip(UInt8(ascii: "{")) else { return nil }
        if !skip(UInt8(ascii: "}")) {
            repeat {
                guard readMember() else { return nil }
            } while skip(UInt8(ascii: ","))
            guard skip(UInt8(ascii: "}")) else { return nil }
        }
        skipSpace()
        guard rest.isEmpty else { return nil }
    }

    private mutating func readMember() -> Bool {
        // Two members of one name would let two readers see two tokens.
        guard let name = readString(), names.insert(name).inserted, skip(UInt8(ascii: ":")) else {
            return false
        }
        skipSpace()
        if rest.first == UInt8(ascii: "\"") {
            guard let text = readString() else { return false }
            strings[name] = text
            return true
        }
        return readWord(name)
    }

    /// Numbers that are not whole, true, false and null are well formed, but no caller asks for
    /// them.
    private mutating func readWord(_ name: String) -> Bool {
        let end = rest.firstIndex { ",} \t\r\n".utf8.contains($0) } ?? rest.endIndex
        let word = String(decoding: rest[..<end], as: UTF8.self)
        rest = rest[end...]
        if ["true", "false", "null"].contains(word) { return true }
        let digits = word.hasPrefix("-") ? word.dropFirst() : word[...]
        guard let first = digits.utf8.first, (0x30...0x39).contains(first), Double(word) != nil,
            !digits.utf8.contains(UInt8(ascii: "x")),
            first != UInt8(ascii: "0") || digits.utf8.count == 1 || digits.hasPrefix("0.")
        else { return false }
        integers[name] = Int64(word)
        return true
    }

    private mutating func readString() -> String? {
        guard skip(UInt8(ascii: "\"")),
            let end = rest.firstIndex(of: UInt8(ascii: "\"")),
            rest[..<end].allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\\") }),
            let text = String(validating: rest[..<end], as: UTF8.self)
        else { return nil }
        rest = rest[(end + 1)...]
        return text
    }

    private mutating func skip(_ character: UInt8) -> Bool {
        skipSpace()
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skipSpace() {
        rest = rest.drop { " \t\r\n".utf8.contains($0) }
    }
}
