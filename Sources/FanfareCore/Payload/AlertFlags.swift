import FanfareBase

/// A payload as it is given with single options instead of a template: `--title`, `--badge` and so on.
///
/// Texts may contain placeholders.
/// Source: https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification
package struct AlertFlags: Equatable, Sendable {
    /// A number, or a placeholder for one.
    package struct Number: Equatable, Sendable {
        /// The text as it was given.
        let text: String
        /// The JSON as it stands in the payload: `3` or `"{{badge:json}}"`.
        let json: String

        /// Reads the value of an option: digits with an optional fraction, or `{{name}}`, `{{name|1}}`.
        ///
        /// The result is nil for any other text, which is a mistake of the user.
        package init?(_ text: String) {
            self.text = text
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let isNumber =
                parts.count <= 2
                && parts.allSatisfy {
                    !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) }
                }
                && (parts[0] == "0" || !parts[0].hasPrefix("0"))
            if isNumber {
                json = text
                return
            }
            guard text.hasPrefix("{{"), text.hasSuffix("}}"), text.utf8.count > 4 else {
                return nil
            }
            let inside = text.dropFirst(2).dropLast(2)
            let name = inside.prefix { $0 != "|" }
            let suffix = name.contains(":json") ? "" : ":json"
            json =
                "\"{{\(name)\(suffix)\(AlertFlags.escaped(String(inside.dropFirst(name.count))))}}\""
        }
    }

    /// The whole alert; with a title or subtitle and without `body`, its body.
    package var alert: String?
    package var title: String?
    package var subtitle: String?
    package var body: String?
    package var badge: Number?
    package var sound: String?
    package var category: String?
    package var threadID: String?
    package var isContentAvailable = false
    package var isContentMutable = false
    package var interruptionLevel: String?
    package var relevanceScore: Number?
    package var targetContentID: String?
    /// Keys beside `aps`, which the caller has made sure are not `aps`.
    package var data: [(key: String, value: String)] = []

    package init() {}

    /// Returns the template; nil if no option was given.
    package func json() -> [UInt8]? {
        var aps: [String] = []
        func add(_ key: String, _ json: String?) {
            if let json { aps.append("\"\(key)\":\(json)") }
        }
        add("alert", alertJSON)
        add("badge", badge?.json)
        add("sound", sound.map(Self.quoted))
        for (key, json) in furtherMembers { add(key, json) }
        guard !aps.isEmpty || !data.isEmpty else { return nil }
        let others = data.map { "\(Self.quoted($0.key)):\(Self.quoted($0.value))" }
        let members = ["\"aps\":{\(aps.joined(separator: ","))}"] + others
        return Array("{\(members.joined(separator: ","))}".utf8)
    }

    /// The members of `aps` that only APNs knows, in the order in which they are written.
    var furtherMembers: [(key: String, json: String?)] {
        [
            ("category", category.map(Self.quoted)),
            ("thread-id", threadID.map(Self.quoted)),
            ("content-available", isContentAvailable ? "1" : nil),
            ("mutable-content", isContentMutable ? "1" : nil),
            ("interruption-level", interruptionLevel.map(Self.quoted)),
            ("relevance-score", relevanceScore?.json),
            ("target-content-id", targetContentID.map(Self.quoted)),
        ]
    }

    private var alertJSON: String? {
        if title == nil && subtitle == nil && body == nil { return alert.map(Self.quoted) }
        let members = [("title", title), ("subtitle", subtitle), ("body", body ?? alert)]
        let given = members.compactMap { key, text in text.map { "\"\(key)\":\(Self.quoted($0))" } }
        return "{\(given.joined(separator: ","))}"
    }

    /// Returns a text as a JSON string.
    static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    private static func escaped(_ text: String) -> String {
        var buffer = ByteBuffer(capacity: 2 * text.utf8.count)
        var text = text
        text.withUTF8 { unsafe buffer.append(jsonEscaped: $0) }
        return unsafe String(decoding: buffer.bytes, as: UTF8.self)
    }

    package static func == (left: AlertFlags, right: AlertFlags) -> Bool {
        left.json() == right.json()
    }
}
