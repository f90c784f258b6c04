import FanfareBase
import FanfareCore

/// The faults for which FCM would refuse a payload, and probable mistakes that it takes.
///
/// A mistake here costs every row an attempt and a part of the project's quota, and the answer
/// names the place at best. Source:
/// https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages
package struct FCMPayloadLint: PayloadInspection {
    package var faults: [String] = []
    package var warnings: [String] = []
    let isTemplate: Bool

    /// Looks for mistakes.
    /// - Parameter isTemplate: True if `{{name}}` is filled in before it is sent.
    package init(isTemplate: Bool) {
        self.isTemplate = isTemplate
    }

    /// Looks at a payload: the body of a request, of which the token may be missing.
    package mutating func look(at payload: JSONValue) {
        guard case .object(let members) = payload else { return }
        guard case .object = payload["message"] else {
            return faults.add(missingMessage(members.map { $0.key }, payload["message"]))
        }
        look(at: members, FCMSchema.request, path: [])
        if payload["validate_only"] == .bool(true) || payload["validateOnly"] == .bool(true) {
            warnings.add("has 'validate_only', so FCM looks at messages and delivers none")
        }
        if let message = payload["message"] {
            lookAtTarget(of: message)
            lookAtSize(of: message)
        }
        for remark in ForeignPlaceholder.remarks(in: payload, isTemplate: isTemplate) {
            warnings.add(remark)
        }
    }

    private func missingMessage(_ keys: [String], _ message: JSONValue?) -> String {
        if let message { return "has \(message.kind) for 'message', where FCM takes an object" }
        let known = FCMSchema.schemas["Message"] ?? []
        let stray = keys.filter { key in known.contains { $0.name == key || $0.camelName == key } }
        return "has no 'message', which FCM wants around everything; "
            + (stray.isEmpty
                ? #"a message looks like {"message":{"notification":{"title":"Hello"}}}"#
                : "\(stray.map { "'\($0)'" }.joined(separator: ", ")) belongs inside of it")
    }

    // MARK: Fields

    /// Looks at the members of an object that FCM knows.
    mutating func look(
        at members: [(key: String, value: JSONValue)], _ schema: String, path: [String]
    ) {
        let fields = FCMSchema.schemas[schema] ?? []
        for (key, value) in members {
            guard let field = fields.first(where: { $0.name == key || $0.camelName == key }) else {
                warnUnknown(key, among: fields, path)
                continue
            }
            // As if it was not there.
            if value != .null { look(at: value, field.type, path: path + [key]) }
        }
        for field in fields where field.name.hasSuffix("_loc_args") {
            let key = field.name.dropLast("args".count) + "key"
            let names = members.map { $0.key }
            let wanted = fields.first { $0.name == key }
            guard names.contains(where: { $0 == field.name || $0 == field.camelName }),
                let wanted, !names.contains(where: { $0 == key || $0 == wanted.camelName })
            else { continue }
            faults.add(
                "has '\(field.name)' in \(Self.name(path)) without '\(key)', to which they belong")
        }
    }

    private mutating func warnUnknown(
        _ key: String, among fields: [FCMSchema.Field], _ path: [String]
    ) {
        let near = NearWords.nearest(to: key, among: fields.map(\.name))
        let place = path.isEmpty ? "" : " in \(Self.name(path))"
        warnings.add(
            "has '\(key)'\(place), and FCM refuses messages with fields that it does not know; "
                + (near.first.map { "did you mean '\($0)'?" }
                    ?? "put the app's own values into 'message.data'"))
    }

    /// Returns a path as messages show it: `'message.data'`.
    static func name(_ path: [String]) -> String { "'\(path.joined(separator: "."))'" }

    // MARK: The message as a whole

    private mutating func lookAtTarget(of message: JSONValue) {
        let given = FCMSchema.targets.filter { message[$0] != nil }
        for target in given where message[target] == .null {
            faults.add(
                "has null for 'message.\(target)'; leave it out, and each row's token is put there")
        }
        if given.count > 1 {
            faults.add(
                "has \(given.map { "'\($0)'" }.joined(separator: " and ")) in 'message', and FCM takes one "
                    + "of \(FCMSchema.targets.joined(separator: ", "))")
        }
        guard isTemplate else { return }
        for target in FCMSchema.targets {
            guard case .string(let text) = message[target],
                (try? TemplateText(text))?.isTemplate == false
            else { continue }
            if FCMSchema.broadcasts.contains(target) {
                if given.count == 1 { faults.add(broadcastFault(target)) }
            } else {
                warnings.add(
                    "has a '\(target)' in 'message', to which all rows are sent; leave it out, and each "
                        + "row's token is put there")
            }
        }
    }

    private func broadcastFault(_ target: String) -> String {
        "has a '\(target)' in 'message', so that each row of the list would be sent to all devices behind "
            + "it; leave it out, and each row's token is put there, or take it from a column: {{\(target)}}"
    }

    private mutating func lookAtSize(of message: JSONValue) {
        guard let excess = weight(of: message).excess else { return }
        warnings.add(excess + (isTemplate ? "; placeholders are not counted" : ""))
    }

    /// Returns the weight of a message: the keys and texts of these two members, the least that
    /// Google can count.
    func weight(of message: JSONValue) -> PayloadWeight {
        let isForMany = message["topic"] != nil || message["condition"] != nil
        let parts = [message["notification"], message["data"]].compactMap(\.self)
        return PayloadWeight(
            bytes: parts.reduce(0) { $0 + textBytes($1) },
            bytesMax: isForMany ? Limits.fcmTopicBytesMax : Limits.payloadBytesMax,
            isForMany: isForMany)
    }

    /// Returns the bytes of all keys and texts, without placeholders.
    private func textBytes(_ value: JSONValue) -> Int {
        switch value {
        case .null, .bool, .number, .integer: 0
        case .string(let text):
            literals(text).reduce(0) { $0 + $1.utf8.count }
        case .array(let elements): elements.reduce(0) { $0 + textBytes($1) }
        case .object(let members):
            members.reduce(0) { $0 + $1.key.utf8.count + textBytes($1.value) }
        }
    }

    private func literals(_ text: String) -> [String] {
        guard isTemplate, let parts = try? TemplateText(text) else { return [text] }
        return parts.literals
    }
}

extension Limits {
    /// The longest message that FCM takes for a topic or a condition.
    static let fcmTopicBytesMax = 2048
}
