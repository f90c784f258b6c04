/// A second, slow reading of RFC 8259 by recursive descent, to hold the fast one against.
struct ReferenceJSON {
    indirect enum Value {
        case string([UInt8])
        case other(raw: [UInt8])
        case null
        case array(raw: [UInt8])
        case object(raw: [UInt8], members: [(key: [UInt8], value: Value)])
    }

    struct Invalid: Error {}

    private let bytes: [UInt8]
    private var at = 0

    /// The value of a text, or nil if it is not valid JSON in valid UTF-8.
    static func parse(_ bytes: [UInt8]) -> Value? {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var reader = ReferenceJSON(bytes: bytes)
        guard let value = try? reader.value(depth: 1) else { return nil }
        reader.skipSpace()
        return reader.at == bytes.count ? value : nil
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var byte: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipSpace() {
        while let byte, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { at += 1 }
    }

    private mutating func take(_ text: String) throws {
        guard bytes[at...].starts(with: text.utf8) else { throw Invalid() }
        at += text.utf8.count
    }

    private mutating func value(depth: Int) throws -> Value {
        skipSpace()
        let start = at
        switch byte {
        case UInt8(ascii: "{"):
            guard depth <= 1024 else { throw Invalid() }
            var members: [(key: [UInt8], value: Value)] = []
            try list(close: "}") { reader in
                reader.skipSpace()
                let key = try reader.string()
                reader.skipSpace()
                try reader.take(":")
                members.append((key, try reader.value(depth: depth + 1)))
            }
            return .object(raw: Array(bytes[start..<at]), members: members)
        case UInt8(ascii: "["):
            guard depth <= 1024 else { throw Invalid() }
            try list(close: "]") { reader in _ = try reader.value(depth: depth + 1) }
            return .array(raw: Array(bytes[start..<at]))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): try take("true")
        case UInt8(ascii: "f"): try take("false")
        case UInt8(ascii: "n"):
            try take("null")
            return .null
        default: try number()
        }
        return .other(raw: Array(bytes[start..<at]))
    }

    private mutating func list(
        close: String, element: (inout ReferenceJSON) throws -> Void
    ) throws {
        at += 1
        skipSpace()
        if (try? take(close)) != nil { return }
        while true {
            try element(&self)
            skipSpace()
            if (try? take(close)) != nil { return }
            try take(",")
        }
    }

    private mutating func digits() throws {
        let start = at
        while let byte, byte >= 0x30, byte <= 0x39 { at += 1 }
        if at == start { throw Invalid() }
    }

    private mutating func number() throws {
        try? take("-")
        if (try? take("0")) == nil { try digits() }
        if (try? take(".")) != nil { try digits() }
        if (try? take("e")) != nil || (try? take("E")) != nil {
            if (try? take("+")) == nil { try? take("-") }
            try digits()
        }
    }

    private mutating func string() throws -> [UInt8] {
        try take("\"")
        var units: [UInt16] = []
        var text: [UInt8] = []
        func flushed() throws -> [UInt8] {
            guard let text = String(validating: units, as: UTF16.self) else { throw Invalid() }
            return Array(text.utf8)
        }
        while let byte, byte >= 0x20 {
            at += 1
            if byte == UInt8(ascii: "\\") {
                units.append(try escape())
                continue
            }
            text += try flushed()
            units = []
            if byte == UInt8(ascii: "\"") { return text }
            text.append(byte)
        }
        throw Invalid()
    }

    private mutating func escape() throws -> UInt16 {
        guard let letter = byte else { throw Invalid() }
        at += 1
        switch Character(UnicodeScalar(letter)) {
        case "\"", "\\", "/": return UInt16(letter)
        case "b": return 8
        case "t": return 9
        case "n": return 10
        case "f": return 12
        case "r": return 13
        case "u":
            guard at + 4 <= bytes.count else { throw Invalid() }
            let digits = String(decoding: bytes[at..<at + 4], as: UTF8.self)
            guard digits.allSatisfy(\.isHexDigit), digits.utf8.count == 4,
                let unit = UInt16(digits, radix: 16)
            else { throw Invalid() }
            at += 4
            return unit
        default: throw Invalid()
        }
    }
}
