import FanfareBase
import FanfareCore

/// The checks of the values that fields of a message may hold.
extension FCMPayloadLint {
    /// Looks at a value that is not `null`.
    mutating func look(at value: JSONValue, _ type: FCMType, path: [String]) {
        switch type {
        case .object(let schema):
            guard case .object(let members) = value else {
                return refuse(value, path, "an object")
            }
            look(at: members, schema, path: path)
        case .data, .headers: lookAtTexts(value, path, isData: type == .data)
        case .flag:
            if case .bool = value { return }
            refuse(value, path, "true or false")
        case .integer: lookAtInteger(value, path)
        case .number:
            switch value {
            case .number, .integer: return
            default: refuse(value, path, "a number")
            }
        case .texts: lookAtElements(value, .text, path)
        case .durations: lookAtElements(value, .duration, path)
        case .anything: return
        case .text, .duration, .timeToLive, .color, .topic, .link, .word:
            lookAtText(value, type, path)
        }
    }

    private mutating func lookAtElements(_ value: JSONValue, _ type: FCMType, _ path: [String]) {
        guard case .array(let elements) = value else { return refuse(value, path, "an array") }
        for (index, element) in elements.enumerated() {
            look(at: element, type, path: path + [String(index)])
        }
    }

    /// Keys of which each has a text, and nothing else.
    private mutating func lookAtTexts(_ value: JSONValue, _ path: [String], isData: Bool) {
        guard case .object(let members) = value else { return refuse(value, path, "an object") }
        for (key, value) in members {
            let place = path + [key]
            lookAtText(value, .text, place)
            guard isData, let fault = FCMRules.fault(ofDataKey: key) else { continue }
            faults.add("has \(Self.name(place)), and '\(key)' \(fault)")
        }
    }

    private mutating func lookAtInteger(_ value: JSONValue, _ path: [String]) {
        switch value {
        case .integer: return
        // A number in a text is one for Protocol Buffers, too.
        case .string(let text) where Int32(text) != nil || isFilledIn(text): return
        default: refuse(value, path, "a whole number")
        }
    }

    private mutating func lookAtText(_ value: JSONValue, _ type: FCMType, _ path: [String]) {
        guard case .string(let text) = value else {
            // The numbers of its words.
            if case .integer = value, case .word = type { return }
            // The quotes that are missing, if they are all.
            let advice =
                if type == .timeToLive || type == .duration, case .integer(let seconds) = value {
                    #": "\#(seconds)s""#
                } else {
                    value.isPlain ? #": "\#(value.text)""# : ""
                }
            return refuse(value, path, "text\(advice)")
        }
        if isTemplate, let parts = try? TemplateText(text), parts.isTemplate {
            guard parts.isJSON, let name = parts.firstName else { return }
            faults.add("has '\(text)' for \(Self.name(path)), where FCM takes text: {{\(name)}}")
            return
        }
        if let wanted = wanted(text, type) {
            faults.add("has '\(text)' for \(Self.name(path)), where FCM takes \(wanted)")
        }
    }

    /// Returns the text that FCM wants in place of this one; nil if it takes this one.
    private func wanted(_ text: String, _ type: FCMType) -> String? {
        switch type {
        case .duration:
            return FCMRules.isDuration(text) ? nil : "a time in seconds: 3.5s"
        case .timeToLive:
            return FCMRules.isTimeToLive(text) ? nil : "0s to \(Limits.fcmTimeToLiveMax)s"
        case .color: return FCMRules.isColor(text) ? nil : "a color: #rrggbb"
        case .topic:
            if text.hasPrefix("/topics/") { return "the name alone: \(text.dropFirst(8))" }
            return FCMRules.isTopic(text) ? nil : "letters, digits and -_.~%"
        case .link: return text.lowercased().hasPrefix("https://") ? nil : "an https URL"
        case .word(let words, let ignoresCase):
            let isOne = words.contains(ignoresCase ? text.uppercased() : text)
            return isOne ? nil : words.joined(separator: ", ")
        case .text, .flag, .integer, .number, .texts, .data, .headers, .anything, .durations,
            .object:
            return nil
        }
    }

    private func isFilledIn(_ text: String) -> Bool {
        isTemplate && (try? TemplateText(text))?.isTemplate == true
    }

    /// True if a value is a placeholder of a whole string, which may become anything.
    private func mayBecomeAnything(_ value: JSONValue) -> Bool {
        guard isTemplate, case .string(let text) = value else { return false }
        return (try? TemplateText(text))?.isJSON == true
    }

    private mutating func refuse(_ value: JSONValue, _ path: [String], _ wanted: String) {
        guard !mayBecomeAnything(value) else { return }
        faults.add("has \(value.kind) for \(Self.name(path)), where FCM takes \(wanted)")
    }
}
