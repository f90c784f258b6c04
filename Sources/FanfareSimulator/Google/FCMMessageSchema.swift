import FanfareJSON

/// The fields that a request to FCM may have, with their types, as far as the simulator checks
/// them.
///
/// They are written from the service's own description and not from the client's checks, on
/// purpose.
/// Source: the discovery document of fcm.googleapis.com/v1.
enum FCMMessageSchema {
    private indirect enum Kind {
        /// Any value, which the simulator does not check.
        case any
        case text
        /// Any names, with texts.
        case texts
        case flag
        case object([String: Kind])
    }

    private static let options = Kind.object(["analyticsLabel": .text])

    private static let request = Kind.object(["message": message, "validateOnly": .flag])

    private static let message = Kind.object([
        "name": .text, "token": .text, "topic": .text, "condition": .text, "fid": .text,
        "data": .texts, "fcmOptions": options,
        "notification": .object(["title": .text, "body": .text, "image": .text]),
        "android": .object([
            "collapseKey": .text, "priority": .any, "ttl": .text, "restrictedPackageName": .text,
            "data": .texts, "notification": androidNotification, "fcmOptions": options,
            "directBootOk": .flag, "bandwidthConstrainedOk": .flag, "restrictedSatelliteOk": .flag,
        ]),
        "apns": .object([
            "headers": .texts, "payload": .any, "liveActivityToken": .text,
            "fcmOptions": .object(["analyticsLabel": .text, "image": .text]),
        ]),
        "webpush": .object([
            "headers": .texts, "data": .texts, "notification": .any,
            "fcmOptions": .object(["analyticsLabel": .text, "link": .text]),
        ]),
    ])

    private static let androidNotification = Kind.object([
        "title": .text, "body": .text, "icon": .text, "color": .text, "sound": .text, "tag": .text,
        "clickAction": .text, "bodyLocKey": .text, "bodyLocArgs": .any, "titleLocKey": .text,
        "titleLocArgs": .any, "channelId": .text, "ticker": .text, "sticky": .flag,
        "eventTime": .text, "localOnly": .flag, "notificationPriority": .any,
        "defaultSound": .flag, "defaultVibrateTimings": .flag, "defaultLightSettings": .flag,
        "vibrateTimings": .any, "visibility": .any, "notificationCount": .any,
        "lightSettings": .any, "image": .text, "bypassProxyNotification": .flag, "proxy": .any,
    ])

    /// The fields of which only one may be there.
    private static let targets = ["token", "topic", "condition", "fid"]

    /// Returns all violations of a body.
    static func violations(of body: JSONValue) -> [FCMRefusal.Violation] {
        var violations: [FCMRefusal.Violation] = []
        check(body, request, at: "", &violations)
        if case .object(let members)? = body["message"] {
            let found = members.filter { targets.contains($0.key) && $0.value != .null }
            for second in found.map(\.key).dropFirst() {
                violations.append(
                    FCMRefusal.Violation(
                        "message",
                        "Invalid value at 'message' (oneof), oneof field 'target' is already set. "
                            + "Cannot set '\(second)'"))
            }
        }
        return violations
    }

    /// A name as the service has it: `fcm_options` is `fcmOptions`.
    static func camelCase(_ name: String) -> String {
        guard name.contains("_") else { return name }
        let words = name.split(separator: "_", omittingEmptySubsequences: false)
        return words.dropFirst().reduce(String(words[0])) { text, word in
            text + word.prefix(1).uppercased() + word.dropFirst()
        }
    }

    private static func check(
        _ value: JSONValue, _ kind: Kind, at place: String,
        _ violations: inout [FCMRefusal.Violation]
    ) {
        switch kind {
        case .any: return
        case .text:
            guard case .string = value else {
                return refuse(value, "TYPE_STRING", at: place, &violations)
            }
        case .flag:
            guard case .bool = value else {
                return refuse(value, "TYPE_BOOL", at: place, &violations)
            }
        case .texts:
            guard case .object(let members) = value else {
                return refuse(value, "Map", at: place, &violations)
            }
            for (index, member) in members.enumerated() {
                check(member.value, .text, at: "\(place)[\(index)].value", &violations)
            }
        case .object(let kinds):
            guard case .object(let members) = value else {
                return refuse(value, "Message", at: place, &violations)
            }
            for member in members {
                guard let kind = kinds[camelCase(member.key)] else {
                    refuse(unknown: member.key, at: place, &violations)
                    continue
                }
                // A field without a value, which Protocol Buffers take for one that is not there.
                if member.value == .null { continue }
                let inside = place.isEmpty ? member.key : "\(place).\(member.key)"
                check(member.value, kind, at: inside, &violations)
            }
        }
    }

    private static func refuse(
        unknown name: String, at place: String, _ violations: inout [FCMRefusal.Violation]
    ) {
        let location = place.isEmpty ? "" : " at '\(place)'"
        violations.append(
            FCMRefusal.Violation(
                place,
                "Invalid JSON payload received. Unknown name \"\(name)\"\(location): "
                    + "Cannot find field."))
    }

    private static func refuse(
        _ value: JSONValue, _ type: String, at place: String,
        _ violations: inout [FCMRefusal.Violation]
    ) {
        let shown =
            switch value {
            case .object: "Starting an object on a scalar field"
            case .array: "Proto field is not repeating, cannot start list."
            case .null, .bool, .number, .integer, .string: value.text
            }
        violations.append(
            FCMRefusal.Violation(place, "Invalid value at '\(place)' (\(type)), \(shown)"))
    }
}
