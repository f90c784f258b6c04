import FanfareBase
package import FanfareCore

/// The probable mistakes in a payload that is valid JSON and that the provider would take.
///
/// Apple ignores unknown keys in silence, so only this tells the user.
/// Source:
/// https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification
package struct PayloadLint {
    /// The warnings so far: phrases that follow the payload's name, each one once.
    package private(set) var warnings: [String] = []
    private let pushType: PushType
    private let isTemplate: Bool

    /// Looks for mistakes.
    /// - Parameters:
    ///   - pushType: The kind of push.
    ///   - isTemplate: True if `{{name}}` is filled in before it is sent.
    package init(pushType: PushType, isTemplate: Bool) {
        self.pushType = pushType
        self.isTemplate = isTemplate
    }

    /// Looks at a payload.
    package mutating func look(at payload: JSONValue) {
        guard case .object(let members) = payload else { return }
        if isShown {
            switch payload["aps"] {
            case nil: warnNoAPS(members.map { $0.key })
            case .object(let aps): look(atAPS: aps)
            default: warn("has an 'aps' that is no object, so devices do nothing with it")
            }
        }
        for remark in ForeignPlaceholder.remarks(in: payload, isTemplate: isTemplate) {
            warn(remark)
        }
    }

    /// True if a device is to show it or to wake an app for it; others have forms of their own.
    private var isShown: Bool { pushType == .alert || pushType == .background }

    private mutating func warn(_ warning: String) { warnings.add(warning) }

    // MARK: Keys

    /// The keys of `aps` that Apple reads.
    package static let apsKeys = [
        "alert", "badge", "sound", "thread-id", "category", "content-available", "mutable-content",
        "target-content-id", "interruption-level", "relevance-score", "filter-criteria",
        "stale-date", "content-state", "timestamp", "event", "dismissal-date", "attributes-type",
        "attributes", "input-push-token", "input-push-channel", "content-changed", "url-args",
    ]
    /// The keys of an alert that Apple reads.
    package static let alertKeys = [
        "title", "subtitle", "body", "launch-image", "title-loc-key", "title-loc-args",
        "subtitle-loc-key", "subtitle-loc-args", "loc-key", "loc-args", "action", "action-loc-key",
        "summary-arg", "summary-arg-count",
    ]
    /// One of them makes a device do something.
    private static let effects = [
        "alert", "badge", "sound", "content-available", "content-changed",
    ]

    /// One of them makes an alert of it.
    private static let shown = ["alert", "badge", "sound"]

    private mutating func warnNoAPS(_ keys: [String]) {
        if let near = keys.first(where: { $0.lowercased() == "aps" }) {
            return warn("has '\(near)', which Apple does not read; did you mean 'aps'?")
        }
        let stray = keys.filter { Self.known($0, among: Self.apsKeys) != nil }
        let advice =
            stray.isEmpty
            ? #"a notification looks like {"aps":{"alert":"Hello"}}"#
            : "\(stray.map { "'\($0)'" }.joined(separator: ", ")) belongs inside of it"
        warn("has no 'aps', so devices do nothing with it; \(advice)")
    }

    private mutating func look(atAPS members: [(key: String, value: JSONValue)]) {
        look(atKeys: members.map { $0.key }, of: "'aps'", known: Self.apsKeys)
        if !members.contains(where: { Self.known($0.key, among: Self.effects) != nil }) {
            warn(
                "has none of 'alert', 'badge', 'sound' and 'content-available' in 'aps', so devices "
                    + "do nothing with it")
        }
        if pushType == .alert, members.contains(where: { $0.key == "content-available" }),
            !members.contains(where: { Self.shown.contains($0.key) })
        {
            warn(
                "shows nothing, as 'content-available' alone wakes the app, and is sent as an alert; Apple wants "
                    + "the push type background and priority 5 for it")
        }
        for (key, value) in members {
            switch (key, value) {
            case ("alert", .object(let alert)):
                look(atKeys: alert.map { $0.key }, of: "'alert'", known: Self.alertKeys)
            case ("badge", .string(let text)) where !isNumberToBe(text):
                warn(
                    "has text for 'badge', where Apple wants a number"
                        + (isTemplate ? #": 5, or "{{badge:json}}""# : ""))
            default: break
            }
        }
    }

    /// True if a placeholder of the template makes a number of a text.
    private func isNumberToBe(_ text: String) -> Bool {
        isTemplate && text.hasPrefix("{{") && text.contains(":json")
    }

    private mutating func look(atKeys keys: [String], of place: String, known: [String]) {
        for key in keys where !known.contains(key) {
            let near = Self.near(key, among: known).map { "'\($0)'" }.joined(separator: " or ")
            warn(
                "has '\(key)' in \(place), which Apple does not read; "
                    + (near.isEmpty
                        ? "keys of your own stand beside 'aps'" : "did you mean \(near)?"))
        }
    }

    /// Returns the keys that another one may stand for: but for case and signs, or misspelled.
    private static func near(_ key: String, among keys: [String]) -> [String] {
        if let known = known(key, among: keys) { return [known] }
        let word = key.lowercased()
        // One that only begins with it, as `url-args` does with `url`, is no spelling of it.
        return NearWords.nearest(to: word, among: keys).filter {
            NearWords.distance(from: word, to: $0) <= 3
        }
    }

    /// Returns the key that equals another one but for case and signs: `contentAvailable`.
    private static func known(_ key: String, among keys: [String]) -> String? {
        func plain(_ key: String) -> String {
            key.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
        }
        return keys.first { plain($0) == plain(key) }
    }
}

/// The forms in which other programs write a placeholder: `{name}`, `{first name}`, `{0}`, `${name}`,
/// `%name%`, `%s`, `%@`, `<%= name %>`, `*|NAME|*`.
enum ForeignPlaceholder {
    /// Returns the remarks about a payload: a phrase that follows its name for each text that has a
    /// placeholder.
    /// - Parameters:
    ///   - value: The payload, or a part of it.
    ///   - isTemplate: True if `{{name}}` is a placeholder of ours.
    /// - Returns: The phrases, in the order of the texts.
    static func remarks(in value: JSONValue, isTemplate: Bool) -> [String] {
        switch value {
        case .null, .bool, .number, .integer: return []
        case .string(let text):
            var remarks: [String] = []
            if isTemplate, let filter = foreignDefault(in: text) {
                remarks.append(
                    "has '\(filter)', whose default is sent as it is written, with what looks like a filter; a "
                        + "default is written {{name|there}}")
            }
            guard let found = first(in: text, isTemplate: isTemplate) else { return remarks }
            remarks.append(
                "has '\(found)' in a text, which is sent as it stands; "
                    + (isTemplate
                        ? "a placeholder is written {{name}}"
                        : "placeholders are filled in where the payload is a template, and not in "
                            + "the payloads of rows"))
            return remarks
        case .array(let elements):
            return elements.flatMap { remarks(in: $0, isTemplate: isTemplate) }
        case .object(let members):
            return members.flatMap { remarks(in: $0.value, isTemplate: isTemplate) }
        }
    }

    /// Words behind the bar of a placeholder that are filters in the templates of Liquid, Jinja and their like.
    ///
    /// With a blank beside the bar, as such templates are written; without one they may be defaults.
    private static let filters: Set = [
        "capitalize", "capfirst", "downcase", "escape", "lower", "raw", "safe", "strip", "title",
        "trim", "upcase", "upper",
    ]

    /// Returns the first placeholder of ours whose default looks like a filter of another program's template, or
    /// has quotes around it; `nil` if there is none.
    static func foreignDefault(in text: String) -> String? {
        let bytes = Array(text.utf8)
        var at = 0
        while at < bytes.count {
            guard starts(bytes, at, "{{") else {
                at += 1
                continue
            }
            guard let end = end(of: "}}", bytes, at + 2) else { return nil }
            let inside = bytes[(at + 2)..<(end - 2)]
            if let bar = inside.firstIndex(of: UInt8(ascii: "|")),
                isForeign(
                    withoutBlanks(inside[(bar + 1)...]),
                    isBesideBlank: [inside[..<bar].last, inside[(bar + 1)...].first].contains(0x20))
            {
                return String(decoding: bytes[at..<end].prefix(64), as: UTF8.self)
            }
            at = end
        }
        return nil
    }

    private static func withoutBlanks(_ bytes: ArraySlice<UInt8>) -> String {
        var bytes = bytes.drop { $0 == 0x20 }
        while bytes.last == 0x20 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isForeign(_ text: String, isBesideBlank: Bool) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last else { return false }
        if first == UInt8(ascii: "|") { return true }
        if text.utf8.count > 1, first == last, [0x22, 0x27].contains(first) { return true }
        if isBesideBlank, filters.contains(text) { return true }
        let name = "default"
        guard text.utf8.starts(with: name.utf8) else { return false }
        let next = text.utf8.dropFirst(name.utf8.count).first { $0 != 0x20 }
        return next.map { [0x3A, 0x28, 0x3D, 0x22, 0x27].contains($0) } ?? false
    }

    /// Returns the first placeholder in a text, shortened.
    /// - Parameters:
    ///   - text: The text.
    ///   - isTemplate: True if `{{name}}` is a placeholder of ours.
    /// - Returns: The placeholder, or `nil` when there is none.
    static func first(in text: String, isTemplate: Bool) -> String? {
        let bytes = Array(text.utf8)
        var at = 0
        while at < bytes.count {
            // A check looks at the payloads of all rows, and most bytes begin nothing.
            guard openings.contains(bytes[at]) else {
                at += 1
                continue
            }
            if isTemplate, starts(bytes, at, "{{") {
                // Our own, with its default in it.
                at = end(of: "}}", bytes, at + 2) ?? bytes.count
                continue
            }
            for (opening, closing) in forms where starts(bytes, at, opening) {
                let name = at + opening.utf8.count
                guard let end = end(ofName: bytes, name), starts(bytes, end, closing),
                    opening != "%" || at == 0 || !isNumber(bytes[at - 1])
                else { continue }
                return String(decoding: bytes[at..<(end + closing.utf8.count)], as: UTF8.self)
            }
            if let end = endOfFormat(bytes, at) ?? endOfPhrase(bytes, at) {
                return String(decoding: bytes[at..<end], as: UTF8.self)
            }
            at += 1
        }
        return nil
    }

    /// The first bytes of all forms.
    private static let openings = Array("{$#<*[%".utf8)

    /// The longer ones before those that they begin with.
    private static let forms = [
        ("{{", "}}"), ("${", "}"), ("#{", "}"), ("{", "}"), ("<%=", "%>"), ("*|", "|*"),
        ("[[", "]]"), ("%%", "%%"), ("%", "%"),
    ]

    private static func starts(_ bytes: [UInt8], _ at: Int, _ word: String) -> Bool {
        at <= bytes.count && bytes[at...].starts(with: word.utf8)
    }

    private static func end(of word: String, _ bytes: [UInt8], _ start: Int) -> Int? {
        var at = start
        while at < bytes.count {
            if starts(bytes, at, word) { return at + word.utf8.count }
            at += 1
        }
        return nil
    }

    /// Returns the place behind a format of C or Apple: `%s`, `%@`, `%1$@`; `nil` if there is none.
    private static func endOfFormat(_ bytes: [UInt8], _ start: Int) -> Int? {
        guard bytes[start] == UInt8(ascii: "%"),
            start == 0 || !isNumber(bytes[start - 1]) && bytes[start - 1] != bytes[start]
        else { return nil }
        var at = start + 1
        while at < bytes.count, isNumber(bytes[at]) { at += 1 }
        if at > start + 1 {
            guard starts(bytes, at, "$") else { return nil }
            at += 1
        }
        guard starts(bytes, at, "s") || starts(bytes, at, "@") else { return nil }
        at += 1
        return at < bytes.count && isPart(bytes[at], isFirst: false) && bytes[at] != 0x2E ? nil : at
    }

    /// Returns the place behind words in braces, or the first number: `{first name}`, `{0}`; `nil` if
    /// there is none.
    private static func endOfPhrase(_ bytes: [UInt8], _ start: Int) -> Int? {
        guard starts(bytes, start, "{") else { return nil }
        if starts(bytes, start, "{0}") { return start + 3 }
        guard let first = end(ofName: bytes, start + 1), let end = end(of: "}", bytes, first),
            end - start <= 64
        else { return nil }
        // The name ends behind its blanks, so that what follows is another word.
        let isPhrase = bytes[first..<(end - 1)].allSatisfy {
            isPart($0, isFirst: false) && $0 != 0x2E || $0 == 0x20
        }
        return isPhrase && bytes[first - 1] == 0x20 ? end : nil
    }

    private static func isNumber(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Returns the place behind a name with blanks around it: a letter, and then letters, digits,
    /// `_` and `.`; two at least, and 64 at most.
    private static func end(ofName bytes: [UInt8], _ start: Int) -> Int? {
        var at = start
        while at < bytes.count, bytes[at] == 0x20 { at += 1 }
        let first = at
        while at < bytes.count, isPart(bytes[at], isFirst: at == first) { at += 1 }
        guard (2...64).contains(at - first) else { return nil }
        while at < bytes.count, bytes[at] == 0x20 { at += 1 }
        return at
    }

    private static func isPart(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
        case 0x30...0x39, UInt8(ascii: "."): !isFirst
        default: false
        }
    }
}

extension Limits {
    /// The warnings about payloads: more of them would hide the first one.
    static let payloadWarningsMax = 8
}
