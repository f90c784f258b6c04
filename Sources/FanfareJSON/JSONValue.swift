import FanfareCore

/// The reason why a text could not be read as JSON.
package struct JSONError: Error, Equatable, CustomStringConvertible {
    package var message: String
    /// The line and the byte of that line where the fault was seen, counted from 1; 0 if unknown.
    package var line: Int
    package var column: Int

    package init(message: String, line: Int, column: Int) {
        self.message = message
        self.line = line
        self.column = column
    }

    package var description: String {
        line == 0 ? message : "\(message) at line \(line), byte \(column)"
    }
}

/// A whole JSON text in memory, for configuration: it allocates for every value.
package indirect enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// A number that is not a whole one of 64 bits; `text` is how it was written.
    case number(Double, text: String?)
    case integer(Int64)
    case string(String)
    case array([JSONValue])
    /// The members in the order of the text; the same key may come more than once.
    case object([(key: String, value: JSONValue)])

    /// Reads a text.
    /// - Throws: `JSONError` if the text is not JSON as `JSONValidator` understands it, or a number
    ///   is beyond `Double`.
    package static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(JSONError) -> JSONValue {
        let scanner = JSONScanner()
        let fault = unsafe scanner.check(bytes)
        guard fault.code == .none || fault.code == .notAnObject else {
            throw unsafe JSONError(fault, in: bytes)
        }
        var reader = unsafe Reader(tokens: scanner.tokens(of: bytes))
        return try reader.value()
    }

    /// Reads a text.
    /// - Throws: The same.
    package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        try unsafe bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
            try unsafe parse(bytes)
        }
    }

    /// The value of a key of an object; of the last one if the key comes more than once.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.key == key }?.value
    }

    /// Returns the text of a member; `nil` if there is none.
    package func string(_ key: String) -> String? {
        guard case .string(let text) = self[key] else { return nil }
        return text
    }

    /// Returns the whole number of a member; `nil` if there is none.
    package func whole(_ key: String) -> Int64? {
        guard case .integer(let number) = self[key] else { return nil }
        return number
    }

    /// The number, whole or not; `nil` for another value.
    package var real: Double? {
        switch self {
        case .number(let number, _): number
        case .integer(let number): Double(number)
        default: nil
        }
    }

    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left, _), .number(let right, _)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0 == $1 }
        default: false
        }
    }
}

extension JSONError {
    /// Makes the error of a fault that the check of a text has found.
    init(_ fault: RowFault, in bytes: UnsafeBufferPointer<UInt8>) {
        let what = fault.code == .lineNotUTF8 ? "not UTF-8" : "not valid JSON"
        unsafe self.init(what, at: Int(fault.column) - 1, in: bytes)
    }

    /// Finds the line of a byte of the text; a negative offset means that it is not known.
    init(_ message: String, at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
        self.init(message: message, line: 0, column: 0)
        guard offset >= 0 else { return }
        let before = unsafe bytes.prefix(offset)
        line = unsafe 1 + before.count { $0 == UInt8(ascii: "\n") }
        let lineStart = unsafe before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        column = offset - lineStart + 1
    }
}

/// Builds values from the tokens of a text that has been checked, so that nothing can be out of place
/// and the nesting is bounded.
private struct Reader {
    var tokens: JSONTokens

    mutating func value() throws(JSONError) -> JSONValue {
        if tokens.takes("{") { return try object() }
        if tokens.takes("[") { return try array() }
        let start = tokens.take()
        let text = unsafe tokens.bytes[start..<tokens.end(ofTokenAt: start)]
        switch unsafe text[start] {
        case UInt8(ascii: "\""): return .string(tokens.text(tokens.inside(ofStringAt: start)))
        case UInt8(ascii: "t"): return .bool(true)
        case UInt8(ascii: "f"): return .bool(false)
        case UInt8(ascii: "n"): return .null
        default: return unsafe try number(text)
        }
    }

    private mutating func object() throws(JSONError) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = []
        while let key = tokens.nextKey() {
            members.append((tokens.text(key), try value()))
        }
        return .object(members)
    }

    private mutating func array() throws(JSONError) -> JSONValue {
        var elements: [JSONValue] = []
        while tokens.hasElement() { elements.append(try value()) }
        return .array(elements)
    }

    private func number(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) throws(JSONError) -> JSONValue {
        let text = unsafe String(decoding: bytes, as: UTF8.self)
        if let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else {
            throw unsafe JSONError(
                "number out of range", at: bytes.startIndex, in: tokens.bytes)
        }
        return .number(number, text: text)
    }
}
