internal import CSimdjson

/// The tokens of a text that has been checked, taken one after the other.
///
/// Nothing can be out of place, so the reader steps over unwanted values without a look at them. It
/// borrows the text, and the scanner until its next use.
@safe
struct JSONTokens {
    let bytes: UnsafeBufferPointer<UInt8>
    private let places: UnsafeBufferPointer<UInt32>
    private var next = 0

    fileprivate init(bytes: UnsafeBufferPointer<UInt8>, places: UnsafeBufferPointer<UInt32>) {
        unsafe self.bytes = bytes
        unsafe self.places = places
    }

    /// Takes the next token: the offset of its first byte.
    mutating func take() -> Int {
        defer { next += 1 }
        return unsafe Int(places[next])
    }

    /// Takes the next token if it begins with this character.
    mutating func takes(_ character: Unicode.Scalar) -> Bool {
        guard unsafe bytes[Int(places[next])] == UInt8(ascii: character) else { return false }
        next += 1
        return true
    }

    /// Takes the name of an object's next member, and its colon; behind the last member it takes
    /// the object's end.
    /// - Returns: The text between the quotes; nil behind the last member.
    mutating func nextKey() -> Range<Int>? {
        _ = takes(",")
        if takes("}") { return nil }
        let start = take()
        let key = inside(ofStringAt: start)
        _ = take()
        return key
    }

    /// True if an array has another element, which comes next; otherwise its end is taken.
    mutating func hasElement() -> Bool {
        _ = takes(",")
        return !takes("]")
    }

    /// Takes a value and returns the text between the quotes of a string, nil for another kind.
    mutating func string() -> Range<Int>? {
        guard unsafe bytes[Int(places[next])] == UInt8(ascii: "\"") else {
            skip()
            return nil
        }
        let start = take()
        return inside(ofStringAt: start)
    }

    /// Takes a value with all that is in it.
    mutating func skip() {
        var depth = 0
        repeat {
            switch unsafe bytes[take()] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
        } while depth > 0
    }

    /// Returns the end of the token that was taken last: between it and the next one is only white
    /// space.
    func end(ofTokenAt start: Int) -> Int {
        var end = unsafe next < places.count ? Int(places[next]) : bytes.count
        while end > start, unsafe bytes[end - 1] <= UInt8(ascii: " ") { end -= 1 }
        return end
    }

    /// Returns the text between the quotes of the string that was taken last.
    func inside(ofStringAt start: Int) -> Range<Int> {
        start + 1..<end(ofTokenAt: start) - 1
    }

    /// Returns the inside of a string without its escapes.
    func text(_ inside: Range<Int>) -> String {
        unsafe String(unsafeUninitializedCapacity: inside.count) { space in
            guard let from = unsafe UnsafeBufferPointer(rebasing: bytes[inside]).baseAddress,
                let to = space.baseAddress
            else { return 0 }
            return unsafe fanfare_json_unescape(from, inside.count, to)
        }
    }
}

extension JSONScanner {
    /// Returns the tokens of the text that was checked last, if it was found to be JSON.
    func tokens(of bytes: UnsafeBufferPointer<UInt8>) -> JSONTokens {
        var count = 0
        let places = unsafe fanfare_json_tokens(parser, &count)
        return unsafe JSONTokens(
            bytes: bytes, places: UnsafeBufferPointer(start: places, count: count))
    }
}
