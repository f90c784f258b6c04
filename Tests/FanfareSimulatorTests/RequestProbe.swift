import FanfareCore
import FanfareHTTP2
import FanfareHTTP2Server
import FanfareSimulator

/// A request in text, put through the provider's rules the way a connection does it.
struct RequestProbe {
    /// A device token of the usual length.
    static let token = String(repeating: "0123456789abcdef", count: 4)
    /// Three parts of base64url; nothing checks their content without a key.
    static let bearer = "bearer eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJURUFNIn0.c2lnbmF0dXJl"

    var fields: [(name: String, value: String)] = [
        (":method", "POST"), (":scheme", "https"), (":authority", "localhost"),
        (":path", "/3/device/" + token), ("authorization", bearer),
        ("apns-topic", "com.example.app"),
    ]
    var payload = #"{"aps":{"alert":"hi"}}"#
    var isJSON = true
    var isCertified = false
    var topics = AcceptedTopics()
    var tokenRefusal: Refusal?

    init(_ change: (inout RequestProbe) -> Void = { _ in }) {
        change(&self)
    }

    /// Replaces a field, adds it, or takes it away with nil.
    mutating func set(_ name: String, _ value: String?) {
        fields.removeAll { $0.name == name }
        if let value { fields.append((name, value)) }
    }

    private static let names: [String: RequestField] = [
        ":method": .method, ":path": .path, ":scheme": .scheme, ":authority": .authority,
        "authorization": .authorization, "apns-id": .apnsID, "apns-topic": .apnsTopic,
        "apns-push-type": .apnsPushType, "apns-priority": .apnsPriority,
        "apns-expiration": .apnsExpiration, "apns-collapse-id": .apnsCollapseID,
        "content-type": .contentType,
    ]

    /// The provider's answer: nil is 200.
    var refusal: Refusal? {
        var check = RequestCheck()
        for (name, value) in fields {
            // Fields that the session does not record cannot be asked about.
            guard let field = Self.names[name] else { continue }
            if check.has(field) { check.repeated() }
            var value = value
            value.withUTF8 { check.received(field, $0) }
            if field == .authorization { check.authorized(tokenRefusal) }
        }
        var topic = fields.first { $0.name == "apns-topic" }?.value ?? ""
        topic.withUTF8 {
            check.headersEnded(topic: $0, isCertified: isCertified, topics: topics)
        }
        check.ended(payloadBytes: payload.utf8.count, isJSON: isJSON)
        return check.faults.first
    }
}
