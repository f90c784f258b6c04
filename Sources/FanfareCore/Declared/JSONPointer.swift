/// The way to a value inside of another one: `/message/token`.
///
/// RFC 6901
package struct JSONPointer: Hashable, Sendable {
    /// The keys and the places in arrays that lead there; none for the whole value.
    package var keys: [String]

    package init(keys: [String] = []) {
        self.keys = keys
    }

    /// Reads a pointer; nil if a text is none.
    ///
    /// RFC 6901 §3
    package init?(_ text: String) {
        var keys: [[UInt8]] = []
        var isEscape = false
        for byte in text.utf8 {
            if isEscape {
                guard byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") else { return nil }
                keys[keys.count - 1].append(
                    byte == UInt8(ascii: "0") ? UInt8(ascii: "~") : UInt8(ascii: "/"))
                isEscape = false
            } else if byte == UInt8(ascii: "/") {
                keys.append([])
            } else if keys.isEmpty {
                return nil
            } else if byte == UInt8(ascii: "~") {
                isEscape = true
            } else {
                keys[keys.count - 1].append(byte)
            }
        }
        guard !isEscape else { return nil }
        self.keys = keys.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The pointer as text, with its own signs escaped.
    package var text: String {
        var bytes: [UInt8] = []
        for key in keys {
            bytes.append(UInt8(ascii: "/"))
            for byte in key.utf8 {
                switch byte {
                case UInt8(ascii: "~"): bytes += "~0".utf8
                case UInt8(ascii: "/"): bytes += "~1".utf8
                default: bytes.append(byte)
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the pointer to a member or an element of this one's value.
    package func appending(_ key: String) -> JSONPointer { JSONPointer(keys: keys + [key]) }

    /// Returns the value that it leads to; nil if there is none.
    ///
    /// RFC 6901 §4; `-` is the element behind the last one, which is never there.
    package func find(in value: PlacedJSON) -> PlacedJSON? {
        var found = value
        for key in keys {
            switch found.content {
            case .object:
                guard let next = found[key] else { return nil }
                found = next
            case .array(let elements):
                guard let index = Self.index(key), index < elements.count else { return nil }
                found = elements[index]
            case .null, .bool, .number, .text: return nil
            }
        }
        return found
    }

    /// Returns the place in an array: digits, of which the first is 0 only if it is alone.
    static func index(_ key: String) -> Int? {
        let isNumber = !key.isEmpty && key.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard isNumber, key == "0" || !key.hasPrefix("0") else { return nil }
        return Int(key)
    }
}

extension PlacedJSON {
    /// Puts another value in place of the one that a pointer leads to, if there is one.
    package mutating func replace(at pointer: JSONPointer, _ change: (PlacedJSON) -> PlacedJSON?) {
        replace(at: pointer.keys[...], change)
    }

    private mutating func replace(
        at keys: ArraySlice<String>, _ change: (PlacedJSON) -> PlacedJSON?
    ) {
        guard let key = keys.first else {
            if let other = change(self) { self = other }
            return
        }
        switch content {
        case .object(var members):
            guard let place = members.lastIndex(where: { $0.key.utf8.elementsEqual(key.utf8) })
            else { return }
            members[place].value.replace(at: keys.dropFirst(), change)
            content = .object(members)
        case .array(var elements):
            guard let index = JSONPointer.index(key), index < elements.count else { return }
            elements[index].replace(at: keys.dropFirst(), change)
            content = .array(elements)
        case .null, .bool, .number, .text: return
        }
    }
}
