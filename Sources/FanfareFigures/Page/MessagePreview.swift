/// The text of a notification as a phone shows it, for people who check it before they send it.
package struct MessagePreview: Sendable, Equatable {
    /// The kind of phone, which decides the shape and how much text is seen.
    package enum Phone: Sendable, CaseIterable {
        case iPhone
        case android
    }

    package var phone: Phone
    package var title: String?
    package var subtitle: String?
    package var body: String?
    package var badge: Int64?
    package var hasImage = false
    /// The reason why nothing is shown, as a sentence; `nil` if there is a text.
    package var silence: String?

    /// Creates the preview of a notification without a text.
    package init(_ phone: Phone) {
        self.phone = phone
    }

    /// A text that is longer than what is seen of it.
    package struct Excess: Sendable, Equatable {
        /// `title` or `body`.
        package var part: StaticString
        package var characters: Int
        /// The characters that are seen, about.
        package var seen: Int

        package static func == (left: Excess, right: Excess) -> Bool {
            left.part.description == right.part.description && left.characters == right.characters
                && left.seen == right.seen
        }
    }

    /// The texts that are longer than what is seen of them.
    package var excesses: [Excess] {
        [("title" as StaticString, title, phone.titleSeen), ("body", body, phone.bodySeen)]
            .compactMap { part, text, seen in
                guard let count = text?.count, count > seen else { return nil }
                return Excess(part: part, characters: count, seen: seen)
            }
    }
}

extension MessagePreview.Phone {
    /// The phone's name in sentences.
    package var name: StaticString {
        switch self {
        case .iPhone: "an iPhone"
        case .android: "an Android phone"
        }
    }

    /// The characters of a title that are seen: one line.
    ///
    /// No vendor states a number, since the letters and the size of the text decide; senders publish
    /// 50 and 65.
    package var titleSeen: Int {
        switch self {
        case .iPhone: 50
        case .android: 65
        }
    }

    /// The characters of a body that are seen: four lines on an iPhone's lock screen, and an opened
    /// notification on Android.
    ///
    /// Senders publish 178 to 180, and 240.
    /// https://doc.batch.com/guides-and-best-practices/message/push-notifications
    package var bodySeen: Int {
        switch self {
        case .iPhone: 178
        case .android: 240
        }
    }
}
