/// What is wrong with a field of a neutral message.
package struct MessageProblem: Error, Equatable, CustomStringConvertible {
    package var field: MessageField
    /// Which key of `data`; nil for other fields.
    package var key: String?
    /// What is wrong and what to do: a phrase that follows the field's name.
    package var text: String

    package init(_ field: MessageField, key: String? = nil, _ text: String) {
        self.field = field
        self.key = key
        self.text = text
    }

    /// Where it stands in a message's file: a JSON pointer. RFC 6901
    package var pointer: String {
        guard let key else { return "/\(field.rawValue)" }
        let escaped = key.flatMap { sign in
            switch sign {
            case "~": "~0"
            case "/": "~1"
            default: String(sign)
            }
        }
        return "/\(field.rawValue)/\(String(escaped))"
    }

    package var description: String {
        key.map { "data key '\($0)' \(text)" } ?? "\(field.rawValue) \(text)"
    }
}
