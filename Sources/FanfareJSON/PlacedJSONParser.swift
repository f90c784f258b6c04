import FanfareBase
package import FanfareCore

/// A parser of texts into values that know their places.
///
/// It is for one thread at a time; its own memory stops growing after the longest text.
package struct PlacedJSONParser: ~Copyable {
    /// The most arrays and objects that may be in each other.
    ///
    /// Real files and answers have some ten. Recursion walks the values that are built here, on the
    /// stacks of threads that have other work to do.
    package static let depthMax = 64

    private let scanner = JSONScanner()

    package init() {}

    /// Reads a file.
    /// - Parameter bytes: The text.
    /// - Returns: The value, whose offsets count from the text's beginning.
    /// - Throws: `JSONError` if the text is not JSON as `JSONValidator` understands it, or nested
    ///   too deeply.
    package func file(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) -> PlacedJSON {
        let fault = unsafe scanner.check(bytes)
        guard fault.code == .none || fault.code == .notAnObject else {
            throw unsafe JSONError(fault, in: bytes)
        }
        var reader = unsafe PlacedReader(tokens: scanner.tokens(of: bytes))
        let value = reader.value(depth: 0)
        if let offset = reader.tooDeep {
            throw unsafe JSONError("nested more than \(Self.depthMax) deep", at: offset, in: bytes)
        }
        return value
    }

    /// Reads a file.
    /// - Parameter bytes: The text.
    /// - Returns: The value, whose offsets count from the text's beginning.
    /// - Throws: The same.
    package func file(_ bytes: [UInt8]) throws(JSONError) -> PlacedJSON {
        try unsafe bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
            try unsafe file(bytes)
        }
    }

    /// Reads an answer.
    /// - Parameters:
    ///   - bytes: The whole body.
    ///   - decoded: The places of texts with JSON in them, which takes the text's place; in this
    ///     order.
    /// - Returns: The answer; nil if the body is not JSON, or nested too deeply.
    package func answer(
        _ bytes: UnsafeBufferPointer<UInt8>, decoding decoded: [JSONPointer] = []
    ) -> PlacedJSON? {
        guard var value = unsafe try? file(bytes) else { return nil }
        for pointer in decoded {
            value.replace(at: pointer) { inner in
                guard var text = inner.text else { return nil }
                return text.withUTF8 { unsafe try? file($0) }
            }
        }
        return value
    }
}

/// Builds values from the tokens of a text that has been checked, so that nothing can be out of place.
private struct PlacedReader {
    var tokens: JSONTokens
    /// The offset of the first value that is too deep, in whose place there is null.
    private(set) var tooDeep: Int?

    init(tokens: JSONTokens) { self.tokens = tokens }

    mutating func value(depth: Int) -> PlacedJSON {
        guard depth <= PlacedJSONParser.depthMax else {
            var ahead = tokens
            tooDeep = tooDeep ?? ahead.take()
            tokens.skip()
            return PlacedJSON(.null)
        }
        let start = tokens.take()
        return PlacedJSON(content(at: start, depth: depth), offset: start)
    }

    private mutating func content(at start: Int, depth: Int) -> PlacedJSON.Content {
        switch unsafe tokens.bytes[start] {
        case UInt8(ascii: "{"): return .object(members(depth: depth))
        case UInt8(ascii: "["):
            var elements: [PlacedJSON] = []
            while tokens.hasElement() { elements.append(value(depth: depth + 1)) }
            return .array(elements)
        case UInt8(ascii: "\""): return .text(tokens.text(tokens.inside(ofStringAt: start)))
        case UInt8(ascii: "t"): return .bool(true)
        case UInt8(ascii: "f"): return .bool(false)
        case UInt8(ascii: "n"): return .null
        default:
            let text = unsafe tokens.bytes[start..<tokens.end(ofTokenAt: start)]
            return unsafe .number(String(decoding: text, as: UTF8.self))
        }
    }

    private mutating func members(depth: Int) -> [PlacedJSON.Member] {
        var members: [PlacedJSON.Member] = []
        while let key = tokens.nextKey() {
            // The quote stands before the key.
            let place = key.lowerBound - 1
            let name = tokens.text(key)
            members.append(
                PlacedJSON.Member(key: name, keyOffset: place, value: value(depth: depth + 1)))
        }
        return members
    }
}
