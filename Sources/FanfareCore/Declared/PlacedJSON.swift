package import FanfareBase

/// A value of JSON with its place in the text that it was read from.
///
/// It is for files whose faults name lines, and for answers with any content: a number is kept as
/// it was written, so none is out of range. It allocates for every value.
package struct PlacedJSON: Sendable {
    package enum Content: Sendable {
        case null
        case bool(Bool)
        /// A number as it was written.
        case number(String)
        case text(String)
        case array([PlacedJSON])
        /// An object's members in the order of the text; the same key may come more than once.
        case object([Member])
    }

    /// A member of an object.
    package struct Member: Sendable {
        package var key: String
        /// The offset of the key's first quote.
        package var keyOffset: Int
        package var value: PlacedJSON

        package init(key: String, keyOffset: Int, value: PlacedJSON) {
            self.key = key
            self.keyOffset = keyOffset
            self.value = value
        }
    }

    package var content: Content
    /// The offset of its first byte.
    package var offset: Int

    /// True for `null`.
    package var isNull: Bool { if case .null = content { true } else { false } }

    package init(_ content: Content, offset: Int = 0) {
        self.content = content
        self.offset = offset
    }

    /// The value of an object's member; of the last one if the key comes more than once.
    package subscript(key: String) -> PlacedJSON? {
        guard case .object(let members) = content else { return nil }
        return members.last { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    /// The text, if it is one.
    package var text: String? {
        if case .text(let text) = content { text } else { nil }
    }

    /// The elements, if it is an array.
    package var elements: [PlacedJSON]? {
        if case .array(let elements) = content { elements } else { nil }
    }

    /// The members, if it is an object.
    package var members: [Member]? {
        if case .object(let members) = content { members } else { nil }
    }

    /// The kind of the value, for messages.
    package var kind: String {
        switch content {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .text: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// A text or a number as people read it; `nil` for other kinds.
    package var word: String? {
        switch content {
        case .text(let text), .number(let text): text
        case .null, .bool, .array, .object: nil
        }
    }

    /// True if it is neither an array nor an object.
    package var isScalar: Bool {
        switch content {
        case .null, .bool, .number, .text: true
        case .array, .object: false
        }
    }

    /// True if it is the same as another value that is neither an array nor an object.
    ///
    /// The value of numbers counts: `1.0` and `1` are the same, `1` and `"1"` are not.
    package func isSame(as other: PlacedJSON) -> Bool {
        switch (content, other.content) {
        case (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.text(let left), .text(let right)): return left.utf8.elementsEqual(right.utf8)
        case (.number(let left), .number(let right)):
            if left == right { return true }
            if let left = Int64(left), let right = Int64(right) { return left == right }
            guard let left = Double(left), let right = Double(right) else { return false }
            return left.isFinite && left == right
        default: return false
        }
    }

    /// Appends the value as JSON without white space.
    package func append(to buffer: inout ByteBuffer) {
        switch content {
        case .null: buffer.append("null")
        case .bool(let flag): flag ? buffer.append("true") : buffer.append("false")
        case .number(let text): buffer.append(text)
        case .text(let text): buffer.appendJSONString(text)
        case .array(let elements):
            buffer.append("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { buffer.append(",") }
                element.append(to: &buffer)
            }
            buffer.append("]")
        case .object(let members):
            buffer.append("{")
            for (index, member) in members.enumerated() {
                if index > 0 { buffer.append(",") }
                buffer.appendJSONString(member.key)
                buffer.append(":")
                member.value.append(to: &buffer)
            }
            buffer.append("}")
        }
    }

    /// The value as JSON without white space.
    package var json: [UInt8] {
        var buffer = ByteBuffer()
        append(to: &buffer)
        return unsafe Array(buffer.bytes)
    }
}
