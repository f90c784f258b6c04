import FanfareBase

extension NeutralMessage {
    /// Returns the problems of a message for one provider, in the order of the fields; empty if
    /// there are none.
    package func problems(for provider: ProviderKind) -> [MessageProblem] {
        MessageField.allCases.flatMap { field -> [MessageProblem] in
            switch field {
            case .title, .subtitle, .body, .image, .link, .badge, .sound, .collapse:
                return text(of: field).map { problems(field, $0, provider) } ?? []
            case .data: return dataProblems(provider)
            case .ttl: return timeProblem(provider).map { [MessageProblem(.ttl, $0)] } ?? []
            case .priority: return []
            }
        }
    }

    private func problems(
        _ field: MessageField, _ text: String, _ provider: ProviderKind
    ) -> [MessageProblem] {
        let parts: TemplateText
        do throws(PayloadTemplateError) {
            parts = try TemplateText(text)
        } catch {
            return [MessageProblem(field, Self.fault(error))]
        }
        let found: String? =
            switch field {
            case .image: Self.fault(image: parts)
            case .link: Self.fault(link: parts)
            case .badge: Self.fault(badge: text, parts)
            case .sound: text.isEmpty ? "is empty; leave it out for silence" : nil
            case .collapse: Self.fault(collapse: text, parts, provider)
            case .title, .subtitle, .body, .data, .ttl, .priority: nil
            }
        if let found { return [MessageProblem(field, found)] }
        // Only a number may be JSON as the row has it.
        if field != .badge, let found = Self.fault(json: parts, provider) {
            return [MessageProblem(field, found)]
        }
        return []
    }

    private static func fault(_ error: PayloadTemplateError) -> String {
        "has a placeholder '\(error.placeholder)' that \(error.reason)"
    }

    /// Returns the fault of a `:json` placeholder: FCM refuses a message with a value that is not
    /// text in the place of a text, and columns of described providers have texts.
    private static func fault(json parts: TemplateText, _ provider: ProviderKind) -> String? {
        guard parts.isJSON, let name = parts.firstName else { return nil }
        switch provider {
        case .apns, .webpush: return nil
        case .fcm, .declared:
            return "may become something else than text, which \(provider.title) does not take; "
                + "write {{\(name)}}"
        }
    }

    // MARK: URLs

    private static func fault(image parts: TemplateText) -> String? {
        guard let beginning = parts.beginning else { return fault(url: parts) }
        guard beginning.lowercased().hasPrefix("https://") else {
            return "is not an https URL; write one like https://example.com/a.jpg, or a placeholder"
        }
        return fault(url: parts)
    }

    private static func fault(link parts: TemplateText) -> String? {
        guard let beginning = parts.beginning else { return fault(url: parts) }
        let scheme = beginning.utf8.prefix { $0 != UInt8(ascii: ":") }
        let isScheme =
            scheme.count < beginning.utf8.count && scheme.first.map(isLetter) == true
            && scheme.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
        guard isScheme else {
            return "is no URL; write one like https://example.com/news or app://news, "
                + "or a placeholder"
        }
        return fault(url: parts)
    }

    private static func fault(url parts: TemplateText) -> String? {
        guard parts.literals.contains(where: { $0.utf8.contains { $0 <= 0x20 || $0 == 0x7F } })
        else { return nil }
        return "has a blank or a control character in it, which no URL has; write %20 for a blank"
    }

    // MARK: Numbers

    private static func fault(badge text: String, _ parts: TemplateText) -> String? {
        let advice = "a badge is a whole number or a placeholder, such as {{badge|0}}"
        switch parts.pieces.first {
        case .literal(let digits) where parts.pieces.count == 1:
            return isBadge(digits)
                ? nil : "is no whole number up to \(Int32.max); \(advice)"
        case .placeholder(_, _, let defaultText) where parts.pieces.count == 1:
            guard let defaultText else { return nil }
            return isBadge(defaultText)
                ? nil : "has the default '\(defaultText)', which is no whole number; \(advice)"
        default: return "is more than a number or a placeholder; \(advice)"
        }
    }

    private static func isBadge(_ digits: String) -> Bool {
        Int32(digits).map { $0 >= 0 && String($0) == digits } == true
    }

    private func timeProblem(_ provider: ProviderKind) -> String? {
        guard let ttl else { return nil }
        let (most, days): (Int64, Int) =
            switch provider {
            // Longer ones are taken, and kept for 30 days.
            case .apns: (Int64(UInt32.max), 0)
            case .fcm: (Limits.fcmTimeToLiveMax, 28)
            case .webpush: (Limits.webPushTimeToLiveMax, 30)
            case .declared: (Int64(UInt32.max), 0)
            }
        guard Int64(ttl) > most else { return nil }
        return "is \(ttl) s, and \(provider.title) keeps messages for \(days) days at most; "
            + "give it \(most) s or less"
    }

    // MARK: Collapsing

    private static func fault(
        collapse text: String, _ parts: TemplateText, _ provider: ProviderKind
    ) -> String? {
        if text.isEmpty { return "is empty; leave it out, and nothing is replaced" }
        let isTemplate = parts.isTemplate
        let count = parts.literals.reduce(0) { $0 + $1.utf8.count }
        switch provider {
        case .apns:
            if parts.isJSON {
                return "is a header, which has text; write the placeholder without :json"
            }
            if count > Limits.collapseIDBytesMax {
                return "has \(count) bytes\(isTemplate ? " and placeholders" : ""); "
                    + "APNs takes \(Limits.collapseIDBytesMax)"
            }
            let isGood = parts.literals.joined().utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            return isGood && text.first != " " && text.last != " "
                ? nil : "has a control character or a blank at an end, which no header value has"
        case .webpush:
            if parts.isJSON {
                return "is a header, which has text; write the placeholder without :json"
            }
            if count > Limits.webPushTopicBytesMax {
                return "has \(count) bytes\(isTemplate ? " and placeholders" : ""); "
                    + "Web Push takes \(Limits.webPushTopicBytesMax)"
            }
            let isGood = parts.literals.joined().utf8.allSatisfy {
                isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
            return isGood ? nil : "has something else than letters, digits, - and _ for Web Push"
        case .fcm, .declared: return nil
        }
    }

    // MARK: Data

    private func dataProblems(_ provider: ProviderKind) -> [MessageProblem] {
        data.indices.compactMap { index in
            let datum = data[index]
            let isRepeated = data[..<index].contains { $0.key == datum.key }
            let found =
                isRepeated
                ? "comes twice; a key has one value"
                : fault(ofKey: datum.key, provider) ?? Self.fault(ofValue: datum.value, provider)
            return found.map { MessageProblem(.data, key: datum.key, $0) }
        }
    }

    private func fault(ofKey key: String, _ provider: ProviderKind) -> String? {
        if key.isEmpty { return "is empty; write KEY=VALUE" }
        for field in [MessageField.image, .link] where has(field) {
            let places = MessageMapping.of(field, provider).targets.map(\.place)
            let data = MessageMapping.of(.data, provider).targets.map(\.place)
            for case .pointer(let all) in data
            where places.contains(.pointer(all.dropLast() + key)) {
                return "is where \(provider.title) gets the \(field.rawValue); use another key"
            }
        }
        switch provider {
        case .apns: return key == "aps" ? "is Apple's own; use another key" : nil
        case .fcm:
            // Only the row shows whether the key is a reserved one.
            if key.contains("{{") {
                return "has a placeholder; FCM wants keys that are known before"
            }
            return FCMRules.fault(ofDataKey: key)
        case .webpush, .declared: return nil
        }
    }

    private static func fault(ofValue value: String, _ provider: ProviderKind) -> String? {
        do throws(PayloadTemplateError) {
            return fault(json: try TemplateText(value), provider)
        } catch {
            return fault(error)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 97 < 26 }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }
}

extension Limits {
    /// The longest time that FCM keeps a message, in seconds: 28 days.
    package static let fcmTimeToLiveMax: Int64 = 2_419_200

    /// The longest time that push services of browsers keep a message, in seconds: 30 days.
    ///
    /// Apple refuses more, Mozilla shortens it.
    package static let webPushTimeToLiveMax: Int64 = 2_592_000

    /// The longest `topic` of Web Push. RFC 8030 §5.4
    package static let webPushTopicBytesMax = 32
}
