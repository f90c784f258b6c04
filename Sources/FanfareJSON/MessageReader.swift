import FanfareBase
package import FanfareCore

/// The reason why a message's file cannot be used.
package struct MessageFileError: Error, Equatable, CustomStringConvertible {
    /// The place in the file, as a JSON pointer (RFC 6901); empty for the file as a whole.
    package var pointer: String
    /// The fault and the remedy: a phrase that follows the place.
    package var text: String

    package init(_ pointer: String, _ text: String) {
        self.pointer = pointer
        self.text = text
    }

    package var description: String { pointer.isEmpty ? text : "\(pointer) \(text)" }
}

extension NeutralMessage {
    /// Reads a message's file: one JSON object whose keys are the fields.
    ///
    /// The provider decides which values the fields may hold; `problems(for:)` checks them, and its
    /// problems know their pointer, too.
    /// - Parameter bytes: The file's content.
    /// - Throws: The fault with its place. Nothing is ignored: unknown keys and keys that come
    ///   twice are faults. `null` is as if the key was not there.
    package init(json bytes: UnsafeBufferPointer<UInt8>) throws(MessageFileError) {
        self.init()
        let value: JSONValue
        do throws(JSONError) {
            let mark = unsafe ByteOrderMark.count(in: bytes)
            value = try unsafe JSONValue.parse(
                UnsafeBufferPointer(rebasing: bytes.dropFirst(mark)))
        } catch {
            throw MessageFileError("", "is not JSON: \(error)")
        }
        guard case .object(let members) = value else {
            throw MessageFileError(
                "", #"is not a JSON object; a message looks like {"title": "Hello {{name}}"}"#)
        }
        for (index, member) in members.enumerated() {
            guard let field = MessageField(rawValue: member.key) else {
                throw Self.unknownKey(member.key)
            }
            guard !members[..<index].contains(where: { $0.key == member.key }) else {
                throw MessageFileError("/\(field.rawValue)", "comes twice; a field has one value")
            }
            if member.value != .null { try read(field, member.value) }
        }
    }

    private static func unknownKey(_ key: String) -> MessageFileError {
        let fields = MessageField.allCases.map(\.rawValue)
        let near = NearWords.nearest(to: key.lowercased(), among: fields)
        return MessageFileError(
            MessageProblem.pointer([key]),
            "is no field of a message; "
                + (near.isEmpty
                    ? "its fields are \(fields.joined(separator: ", "))"
                    : "did you mean \(near.map { "/\($0)" }.joined(separator: " or "))?"))
    }

    private mutating func read(
        _ field: MessageField, _ value: JSONValue
    ) throws(MessageFileError) {
        switch field {
        case .title: title = try Self.text(field, value)
        case .subtitle: subtitle = try Self.text(field, value)
        case .body: body = try Self.text(field, value)
        case .image: image = try Self.text(field, value)
        case .link: link = try Self.text(field, value)
        case .sound: sound = try Self.text(field, value)
        case .collapse: collapse = try Self.text(field, value)
        case .badge:
            if case .integer(let number) = value {
                badge = String(number)
            } else {
                badge = try Self.text(field, value, or: "a whole number")
            }
        case .data: data = try Self.data(value)
        case .ttl: ttl = try Self.seconds(value)
        case .priority:
            let words = Priority.allCases.map(\.rawValue)
            guard case .string(let word) = value, let found = Priority(rawValue: word) else {
                throw MessageFileError(
                    "/\(field.rawValue)", "is none of \(words.joined(separator: " and "))")
            }
            priority = found
        }
    }

    private static func text(
        _ field: MessageField, _ value: JSONValue, or other: String? = nil
    ) throws(MessageFileError) -> String {
        guard case .string(let text) = value else {
            throw MessageFileError(
                "/\(field.rawValue)",
                "is \(value.kind), and has to be \(other.map { "\($0) or " } ?? "")a text")
        }
        return text
    }

    private static func data(_ value: JSONValue) throws(MessageFileError) -> [Datum] {
        guard case .object(let members) = value else {
            throw MessageFileError(
                "/data", #"is \#(value.kind), and has to be an object: {"order": "17"}"#)
        }
        var data: [Datum] = []
        for (key, value) in members {
            guard case .string(let text) = value else {
                throw MessageFileError(
                    MessageProblem.pointer(["data", key]),
                    "is \(value.kind), and has to be a text"
                        + (value.isPlain ? #": "\#(value.text)""# : ""))
            }
            data.append(Datum(key, text))
        }
        return data
    }

    private static func seconds(_ value: JSONValue) throws(MessageFileError) -> UInt32 {
        let found: UInt32? =
            switch value {
            case .integer(let number): UInt32(exactly: number)
            case .string(let text): (try? DurationText.read(text)).flatMap(Self.wholeSeconds)
            case .null, .bool, .number, .array, .object: nil
            }
        guard let found else {
            throw MessageFileError(
                "/ttl", #"is no number of seconds; write 3600 or a text with a unit, "1h""#)
        }
        return found
    }

    private static func wholeSeconds(_ duration: Duration) -> UInt32? {
        let (seconds, rest) = duration.components
        return rest == 0 ? UInt32(exactly: seconds) : nil
    }
}

extension JSONValue {
    /// The kind of the value, for messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number, .integer: "a number"
        case .string: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// True if quotes around it would make a text of it.
    var isPlain: Bool {
        switch self {
        case .bool, .number, .integer: true
        case .null, .string, .array, .object: false
        }
    }
}
