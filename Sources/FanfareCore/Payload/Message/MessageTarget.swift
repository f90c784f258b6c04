/// The place of a field at a provider, and its form there.
package struct MessageTarget: Equatable, Sendable {
    package enum Place: Equatable, Sendable {
        /// A JSON pointer (RFC 6901) into the payload; a last `*` stands for each key of `data`.
        case pointer(String)
        /// The name of a header.
        case header(String)
    }

    package enum Form: Equatable, Sendable {
        /// The text as it is.
        case text
        /// The number, or the placeholder's value.
        case number
        /// A value of JSON that says only that the field is given.
        case mark(String)
        /// Seconds: `3600`.
        case seconds
        /// A duration as Protocol Buffers write it: `3600s`.
        case duration
        /// The moment so many seconds after the start of the job, in UNIX seconds; 0 stays 0.
        case moment
        /// One word for each priority.
        case words(high: String, normal: String)
    }

    package var place: Place
    package var form: Form
    /// The value that is sent if the field is not given; nil for none.
    package var fallback: String?
    /// True if it has a meaning only where something is shown: with a title or a body.
    package var wantsText = false

    /// Makes a member of the payload.
    static func json(
        _ pointer: String, _ form: Form = .text, wantsText: Bool = false
    ) -> MessageTarget {
        MessageTarget(
            place: .pointer(pointer), form: form, fallback: nil, wantsText: wantsText)
    }

    /// Makes a header of the request.
    static func header(
        _ name: String, _ form: Form = .text, fallback: String? = nil
    ) -> MessageTarget {
        MessageTarget(place: .header(name), form: form, fallback: fallback)
    }
}
