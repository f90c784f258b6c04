import FanfareBase
import FanfareJSON

/// The simulator's view of a request's body: the target of the message, and whether to send it.
package struct FCMMessage: Equatable, Sendable {
    /// The target of a message.
    package enum Target: Equatable, Sendable {
        /// A registration token; or an installation's id, which is dead or alive in the same way.
        case device(String)
        case topic(String)
        case condition(String)

        /// The text of the target, by which scenarios know it.
        package var text: String {
            switch self {
            case .device(let text), .topic(let text), .condition(let text): text
            }
        }

        /// The quota that its messages use up, beside the project's.
        var quota: FCMRefusal.Quota {
            switch self {
            case .device: .device
            case .topic: .topic
            case .condition: .project
            }
        }

        /// The subject that the error of a used up quota names.
        var subject: String {
            switch self {
            case .device(let token): "device:\(token)"
            case .topic(let name): "topic:\(name)"
            case .condition: "project"
            }
        }
    }

    package let target: Target
    /// True if the message is only validated.
    package let isRehearsal: Bool

    /// Reads a request's body, as the service checks it.
    /// - Parameters:
    ///   - body: The whole body.
    ///   - contentType: The value of `content-type`; empty if there is none.
    /// - Throws: The service's refusal.
    package init(
        _ body: UnsafeBufferPointer<UInt8>, contentType: UnsafeBufferPointer<UInt8>
    ) throws(FCMRefusal) {
        guard unsafe Self.isJSON(contentType) else {
            // A body that is no JSON counts as a form, of which the first name is looked up.
            let text = unsafe String(decoding: body, as: UTF8.self)
            throw .unreadable([Self.unbound(FormText(text).members.first?.name ?? "")])
        }
        guard !body.isEmpty else { throw .noRecipient }
        let value: JSONValue
        do {
            value = try unsafe JSONValue.parse(body)
        } catch {
            throw .notJSON
        }
        let violations = FCMMessageSchema.violations(of: value)
        guard violations.isEmpty else { throw .unreadable(violations) }
        if case .bool(true)? = Self.member("validateOnly", of: value) {
            isRehearsal = true
        } else {
            isRehearsal = false
        }
        guard let message = value["message"], let target = Self.target(of: message) else {
            throw .noRecipient
        }
        self.target = target
        guard Self.textBytes(of: message) <= Limits.simulatorFCMTextBytes else { throw .tooLarge }
        // An installation's id has a form of its own.
        if case .string(let token)? = message["token"], target == .device(token) {
            try Self.check(token: token)
        }
    }

    /// Returns the violation of a name that is no field of the request.
    static func unbound(_ name: String) -> FCMRefusal.Violation {
        FCMRefusal.Violation(
            "",
            "Invalid JSON payload received. Unknown name \"\(name)\": Cannot bind query parameter. "
                + "Field '\(name)' could not be found in request message.")
    }

    /// JSON by its type, or nothing that says otherwise.
    private static func isJSON(_ type: UnsafeBufferPointer<UInt8>) -> Bool {
        if unsafe type.equals("application/json") { return true }
        let text = unsafe String(decoding: type, as: UTF8.self).lowercased()
        let end = text.firstIndex { $0 == ";" || $0 == " " } ?? text.endIndex
        return text.isEmpty || text[..<end] == "application/json"
    }

    private static func target(of message: JSONValue) -> Target? {
        for name in ["token", "fid"] {
            if case .string(let token)? = message[name], !token.isEmpty { return .device(token) }
        }
        if case .string(let topic)? = message["topic"], !topic.isEmpty {
            let prefix = "/topics/"
            return .topic(
                topic.hasPrefix(prefix) ? String(topic.dropFirst(prefix.count)) : topic)
        }
        if case .string(let condition)? = message["condition"], !condition.isEmpty {
            return .condition(condition)
        }
        return nil
    }

    /// The bytes that the limit is for: names and values of `data`, and the texts of `notification`.
    private static func textBytes(of message: JSONValue) -> Int {
        var count = 0
        if case .object(let members)? = message["data"] {
            for member in members { count += member.key.utf8.count + textBytes(member.value) }
        }
        if case .object(let members)? = message["notification"] {
            for member in members { count += textBytes(member.value) }
        }
        return count
    }

    private static func textBytes(_ value: JSONValue) -> Int {
        if case .string(let text) = value { text.utf8.count } else { 0 }
    }

    /// A token is letters, digits and `-`, `_` and `:`, and has more than a hundred of them.
    ///
    /// The real service answers in two forms, and nothing says when in which: here a character that no token has
    /// gets the one with the field.
    private static func check(token: String) throws(FCMRefusal) {
        guard token.utf8.allSatisfy({ $0.isBase64URL || $0 == UInt8(ascii: ":") }) else {
            throw .invalidToken
        }
        guard token.utf8.count >= Limits.simulatorFCMTokenCharactersMin else {
            throw .unnamedInvalidToken
        }
    }

    /// A member by its name in camel case, which may be written in snake case as well.
    static func member(_ name: String, of value: JSONValue) -> JSONValue? {
        guard case .object(let members) = value else { return nil }
        return members.last { FCMMessageSchema.camelCase($0.key) == name }?.value
    }
}
