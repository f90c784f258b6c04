import FanfareFigures
import FanfareJSON

/// Notifications read out of the payloads that providers get.
extension MessagePreview {
    /// Reads a payload, whose form tells its provider.
    /// - Parameter payload: The payload, rendered.
    /// - Returns: The preview; `nil` for a payload of another provider, whose texts are not known.
    static func of(_ payload: JSONValue) -> MessagePreview? {
        if payload["aps"] != nil { return ofAPNs(payload) }
        guard let message = payload["message"], case .object = message else { return nil }
        return ofFCM(message)
    }

    // https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification
    private static func ofAPNs(_ payload: JSONValue) -> MessagePreview {
        var preview = MessagePreview(.iPhone)
        let aps = payload["aps"]
        if case .integer(let badge) = aps?["badge"] { preview.badge = badge }
        switch aps?["alert"] {
        case .string(let text): preview.body = text
        case .object: preview.read(aps?["alert"], localized: "loc-key", "title-loc-key")
        default: break
        }
        preview.subtitle = aps?["alert"]?["subtitle"]?.shownText
        if preview.title == nil, preview.body == nil, preview.subtitle == nil {
            preview.silence =
                preview.badge == nil
                ? "Nothing is shown: the app is woken, or nothing happens."
                : "Only the number at the app's icon changes."
        }
        return preview
    }

    // https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages
    private static func ofFCM(_ message: JSONValue) -> MessagePreview {
        var preview = MessagePreview(.android)
        for part in [message["notification"], message["android"]?["notification"]] {
            preview.read(part, localized: "body_loc_key", "title_loc_key")
            if part?["image"]?.shownText?.isEmpty == false { preview.hasImage = true }
        }
        if preview.title == nil, preview.body == nil {
            preview.silence = "Nothing is shown by itself: the app gets the data and decides."
        }
        return preview
    }

    /// Takes title and body, or the names of texts that the app has in the user's language.
    private mutating func read(
        _ part: JSONValue?, localized bodyKey: String, _ titleKey: String
    ) {
        func text(_ key: String, _ localized: String) -> String? {
            part?[key]?.shownText ?? part?[localized]?.shownText.map { "[\($0)]" }
        }
        title = text("title", titleKey) ?? title
        body = text("body", bodyKey) ?? body
    }
}

extension JSONValue {
    /// A text; `nil` for an empty one, and for other values.
    fileprivate var shownText: String? {
        guard case .string(let text) = self, !text.isEmpty else { return nil }
        return text
    }
}
