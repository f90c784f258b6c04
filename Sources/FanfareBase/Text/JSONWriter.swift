/// A writer of one JSON document, indented by two blanks for files that people look into too, or on
/// one line.
///
/// It is not for the path of a row. The caller keeps the order: names within objects only, an end
/// for each beginning.
///
/// RFC 8259
package struct JSONWriter: ~Copyable {
    private var buffer = ByteBuffer(capacity: 4096)
    /// True for each open object or array that has a value already.
    private var hasValue: [Bool] = []
    private var isAfterKey = false
    private let isOneLine: Bool

    /// Creates an empty document.
    package init(isOneLine: Bool = false) {
        self.isOneLine = isOneLine
    }

    /// Returns a document that is an object.
    /// - Parameters:
    ///   - isOneLine: True for a document on one line.
    ///   - content: Writes the members.
    /// - Returns: The document.
    package static func document(
        isOneLine: Bool = false, _ content: (inout JSONWriter) -> Void
    ) -> String {
        var writer = JSONWriter(isOneLine: isOneLine)
        writer.beginObject()
        content(&writer)
        writer.endObject()
        return writer.finish()
    }

    /// Opens an object; as a member of another one under a name.
    package mutating func beginObject(_ name: String? = nil) { begin("{", name) }

    /// Closes the innermost object.
    package mutating func endObject() { end("}") }

    /// Opens an array; as a member of an object under a name.
    package mutating func beginArray(_ name: String? = nil) { begin("[", name) }

    /// Closes the innermost array.
    package mutating func endArray() { end("]") }

    /// Writes a member's name; its value comes next.
    package mutating func key(_ name: String) {
        separate()
        buffer.appendJSONString(name)
        buffer.append(": ")
        isAfterKey = true
    }

    /// Writes a string, or `null`.
    package mutating func value(_ text: String?) {
        separate()
        if let text { buffer.appendJSONString(text) } else { buffer.append("null") }
    }

    /// Writes `true` or `false`.
    package mutating func value(_ flag: Bool) {
        separate()
        if flag { buffer.append("true") } else { buffer.append("false") }
    }

    /// Writes a whole number, or `null`.
    package mutating func value(_ number: (some BinaryInteger)?) {
        separate()
        buffer.append(number.map { String($0) } ?? "null")
    }

    /// Writes a number rounded to three digits behind the point; `null` for a number that JSON does
    /// not have.
    package mutating func value(_ number: Double?) {
        separate()
        guard let number, number.isFinite else { return buffer.append("null") }
        buffer.append(String((number * 1000).rounded() / 1000))
    }

    /// Writes a member that is a string, or `null`.
    package mutating func member(_ name: String, _ text: String?) {
        key(name)
        value(text)
    }

    /// Writes a member that is `true` or `false`.
    package mutating func member(_ name: String, _ flag: Bool) {
        key(name)
        value(flag)
    }

    /// Writes a member that is a whole number, or `null`.
    package mutating func member(_ name: String, _ number: (some BinaryInteger)?) {
        key(name)
        value(number)
    }

    /// Writes a member that is a number rounded as `value` does it, or `null`.
    package mutating func member(_ name: String, _ number: Double?) {
        key(name)
        value(number)
    }

    /// Writes a member that is an array of objects.
    /// - Parameters:
    ///   - name: The member's name.
    ///   - elements: The elements, of which each becomes an object.
    ///   - content: Writes the members of one element's object.
    package mutating func objects<Elements: Sequence>(
        _ name: String, _ elements: Elements,
        _ content: (Elements.Element, inout JSONWriter) -> Void
    ) {
        beginArray(name)
        for element in elements {
            beginObject()
            content(element, &self)
            endObject()
        }
        endArray()
    }

    /// Writes a member that is an array of strings.
    package mutating func member(_ name: String, _ texts: [String]) {
        beginArray(name)
        for text in texts { value(text) }
        endArray()
    }

    /// Writes a member that is an array of whole numbers.
    package mutating func member(_ name: String, _ numbers: [some BinaryInteger]) {
        beginArray(name)
        for number in numbers { value(number) }
        endArray()
    }

    /// Writes a member that is an array of numbers rounded as `value` does it.
    package mutating func member(_ name: String, _ numbers: [Double]) {
        beginArray(name)
        for number in numbers { value(number) }
        endArray()
    }

    /// Ends the document with a line end and gives it out.
    package consuming func finish() -> String {
        precondition(hasValue.isEmpty && !isAfterKey, "BUG: the JSON document is not complete")
        buffer.append("\n")
        return unsafe String(decoding: buffer.bytes, as: UTF8.self)
    }

    private mutating func begin(_ bracket: StaticString, _ name: String?) {
        if let name { key(name) }
        separate()
        buffer.append(bracket)
        hasValue.append(false)
    }

    private mutating func end(_ bracket: StaticString) {
        guard let had = hasValue.popLast() else {
            preconditionFailure("BUG: nothing is open in the JSON document")
        }
        if had { breakLine() }
        buffer.append(bracket)
    }

    /// Writes the separator between the value before and the next one.
    private mutating func separate() {
        if isAfterKey {
            isAfterKey = false
            return
        }
        guard let last = hasValue.indices.last else { return }
        if hasValue[last] { buffer.append(",") }
        hasValue[last] = true
        breakLine()
    }

    private mutating func breakLine() {
        guard !isOneLine else { return }
        buffer.append("\n")
        for _ in hasValue {
            buffer.append("  ")
        }
    }
}
