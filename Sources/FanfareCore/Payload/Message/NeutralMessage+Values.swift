/// The value of a message's field for a column of a described provider.
package enum MessageValue: Equatable, Sendable {
    /// A text with placeholders, for `HeaderTemplate`: nothing is escaped before its place is known.
    case text(String)
    /// JSON with placeholders, for `PayloadTemplate`.
    case json([UInt8])
}

extension NeutralMessage {
    /// Returns the value of a field for the column of the same name.
    /// - Parameters:
    ///   - field: The field.
    ///   - words: The words of the service for a priority.
    /// - Returns: The value; nil if it is not given, or if there is no word for it.
    package func value(
        of field: MessageField, priority words: DeclaredPriority?
    ) -> MessageValue? {
        switch field {
        case .title, .subtitle, .body, .image, .link, .sound, .collapse:
            return text(of: field).map { .text($0) }
        case .badge:
            return badge.flatMap { AlertFlags.Number($0) }.map { .json(Array($0.json.utf8)) }
        case .ttl: return ttl.map { .json(Array(String($0).utf8)) }
        case .priority:
            guard let priority, let words else { return nil }
            return priority == .high ? words.high : words.normal
        case .data:
            guard !data.isEmpty else { return nil }
            var tree = PayloadTree()
            for datum in data { tree.set([datum.key], AlertFlags.quoted(datum.value)) }
            return .json(Array(tree.json.utf8))
        }
    }
}
