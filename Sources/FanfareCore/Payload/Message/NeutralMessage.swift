/// The content of a notification, from which each provider's payload and header values are made.
///
/// All texts but the keys of `data` may hold placeholders (`{{name|friend}}`), which stay
/// placeholders in the templates made of them. `MessageMapping.table` has the form that each field
/// takes, and `problems(for:)` the values that it may hold.
package struct NeutralMessage: Equatable, Sendable {
    /// The urgency of a message.
    package enum Priority: String, CaseIterable, Sendable {
        case high
        case normal
    }

    /// A key of the app's own, and its text.
    package struct Datum: Equatable, Sendable {
        package var key: String
        package var value: String

        package init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }
    }

    package var title: String?
    package var subtitle: String?
    package var body: String?
    package var image: String?
    package var link: String?
    /// The data in the order in which they are sent; a key comes once.
    package var data: [Datum] = []
    /// Digits, or a placeholder that stands for a number.
    package var badge: String?
    package var sound: String?
    /// The time to live in seconds.
    package var ttl: UInt32?
    package var collapse: String?
    package var priority: Priority?

    package init() {}

    /// True if it says nothing, so that there is no payload.
    package var isEmpty: Bool {
        MessageField.allCases.allSatisfy { $0.isDelivery || !has($0) }
    }

    /// True if a field is given.
    package func has(_ field: MessageField) -> Bool {
        switch field {
        case .title, .subtitle, .body, .image, .link, .badge, .sound, .collapse:
            text(of: field) != nil
        case .data: !data.isEmpty
        case .ttl: ttl != nil
        case .priority: priority != nil
        }
    }

    /// Returns the text of a field; nil if none is given, and for fields of another kind.
    package func text(of field: MessageField) -> String? {
        switch field {
        case .title: title
        case .subtitle: subtitle
        case .body: body
        case .image: image
        case .link: link
        case .badge: badge
        case .sound: sound
        case .collapse: collapse
        case .data, .ttl, .priority: nil
        }
    }
}
