/// The problem with a field of a neutral message.
package struct MessageProblem: Error, Equatable, CustomStringConvertible {
    package var field: MessageField
    /// The key of `data`; nil for other fields.
    package var key: String?
    /// The fault and the remedy: a phrase that follows the field's name.
    package var text: String

    package init(_ field: MessageField, key: String? = nil, _ text: String) {
        self.field = field
        self.key = key
        self.text = text
    }

    /// Its place in a message's file.
    package var pointer: String {
        Self.pointer([field.rawValue] + (key.map { [$0] } ?? []))
    }

    /// Returns the JSON pointer to a member. RFC 6901 §3
    /// - Parameter path: The keys that lead there.
    /// - Returns: The keys with a slash before each, and their own signs escaped.
    package static func pointer(_ path: [String]) -> String {
        JSONPointer(keys: path).text
    }

    package var description: String {
        key.map { "data key '\($0)' \(text)" } ?? "\(field.rawValue) \(text)"
    }
}
