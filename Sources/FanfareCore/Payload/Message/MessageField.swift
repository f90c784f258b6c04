/// A field of a neutral message; its raw value is its key in a message's file.
///
/// The cases are in the order in which documents show them and payloads are written.
package enum MessageField: String, CaseIterable, Sendable {
    case title
    case subtitle
    case body
    case image
    case link
    case data
    case badge
    case sound
    case ttl
    case collapse
    case priority

    /// The meaning of the field, for documents.
    package var meaning: StaticString {
        switch self {
        case .title: "the headline"
        case .subtitle: "a line below the title"
        case .body: "the text"
        case .image: "a picture: an `https` URL"
        case .link: "what a tap opens: a URL, of the web or of the app"
        case .data: "keys of the app's own, each with a text"
        case .badge: "a number on the app's icon; 0 takes it away"
        case .sound: "a sound of the app, or `default`"
        case .ttl: "how long it is kept for a device that is offline, in seconds; 0 for not at all"
        case .collapse: "messages with the same one replace each other"
        case .priority: "`high` wakes a device, `normal` spares its battery"
        }
    }

    /// True if it concerns the way to the device alone.
    package var isDelivery: Bool {
        switch self {
        case .ttl, .collapse, .priority: true
        case .title, .subtitle, .body, .image, .link, .data, .badge, .sound: false
        }
    }
}
