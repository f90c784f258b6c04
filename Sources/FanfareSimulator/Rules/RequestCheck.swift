import FanfareBase
import FanfareCore
import FanfareHTTP2
package import FanfareHTTP2Server

/// The provider's findings about one request while it arrives.
///
/// It is a trivial value: it looks at each header field once and remembers verdicts, never bytes.
/// Facts come in any order of the fields; the answer depends on the set of faults only.
package struct RequestCheck: Sendable {
    /// The faults found so far.
    package private(set) var faults = RefusalSet()

    /// The push type; nil if the field is missing or unknown.
    package private(set) var kind: NotificationKind?

    /// One bit per `RequestField` that has been seen.
    private var seen: UInt32 = 0
    private var isUrgent = false

    package init() {}

    /// The path in front of the device token.
    static let pathPrefix: StaticString = "/3/device/"

    /// Returns true if a header field was in the request.
    @inline(__always)
    package func has(_ field: RequestField) -> Bool {
        seen & (1 << UInt32(field.rawValue)) != 0
    }

    /// A header field arrived.
    ///
    /// The provider token is judged elsewhere: see `authorized(_:)`.
    package mutating func received(_ field: RequestField, _ value: UnsafeBufferPointer<UInt8>) {
        seen |= 1 << UInt32(field.rawValue)
        switch field {
        case .method:
            if unsafe !value.equals("POST") { faults.insert(.methodNotAllowed) }
        case .path: unsafe checkPath(value)
        case .apnsID:
            if unsafe !Self.isUUID(value) { faults.insert(.badMessageID) }
        case .apnsTopic: unsafe checkTopic(value)
        case .apnsPushType:
            kind = unsafe NotificationKind(value)
            if kind == nil { faults.insert(.invalidPushType) }
        case .apnsPriority:
            isUrgent = unsafe value.equals("10")
            if unsafe !isUrgent && !value.equals("5") && !value.equals("1") {
                faults.insert(.badPriority)
            }
        case .apnsExpiration:
            if unsafe value.decimal == nil { faults.insert(.badExpirationDate) }
        case .apnsCollapseID:
            if value.count > Limits.simulatorCollapseIDBytes { faults.insert(.badCollapseID) }
        case .scheme, .authority, .authorization, .contentType: break
        }
    }

    /// A header field came more than once.
    package mutating func repeated() {
        faults.insert(.duplicateHeaders)
    }

    /// Takes the judgment of the provider token.
    /// - Parameter refusal: The fault of the token, or nil.
    package mutating func authorized(_ refusal: Refusal?) {
        if let refusal { faults.insert(refusal) }
    }

    /// All header fields are there.
    /// - Parameters:
    ///   - topic: The value of `apns-topic`, empty if there was none.
    ///   - isCertified: The connection came with a client certificate, which stands for the
    ///     provider token and for the topic.
    ///   - topics: The bundle ids that may be pushed to; empty for any.
    package mutating func headersEnded(
        topic: UnsafeBufferPointer<UInt8>, isCertified: Bool, topics: borrowing AcceptedTopics
    ) {
        if !has(.method) { faults.insert(.methodNotAllowed) }
        if !has(.path) { faults.insert(.badPath) }
        if kind == .background && isUrgent { faults.insert(.badPriority) }
        if !isCertified {
            if !has(.authorization) { faults.insert(.missingProviderToken) }
            if !has(.apnsTopic) { faults.insert(.missingTopic) }
        }
        if has(.apnsTopic), !topics.isEmpty,
            let refusal = unsafe topics.judge(topic, for: kind ?? .alert)
        {
            faults.insert(refusal)
        }
    }

    /// Takes the end of the request.
    /// - Parameters:
    ///   - payloadBytes: The length of the body.
    ///   - isJSON: True if the body is a JSON text.
    package mutating func ended(payloadBytes: Int, isJSON: Bool) {
        if payloadBytes > (kind ?? .alert).payloadBytesMax {
            faults.insert(.payloadTooLarge)
        } else if payloadBytes == 0 || !isJSON {
            faults.insert(.payloadEmpty)
        }
    }

    /// The device token in a path; empty if the path has none.
    package static func token(in path: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        unsafe path.starts(with: pathPrefix)
            ? path.dropping(first: pathPrefix.utf8CodeUnitCount) : path.dropping(first: path.count)
    }

    private mutating func checkPath(_ path: UnsafeBufferPointer<UInt8>) {
        guard unsafe path.starts(with: Self.pathPrefix) else { return faults.insert(.badPath) }
        let token = unsafe Self.token(in: path)
        guard token.count > 0 else { return faults.insert(.missingDeviceToken) }
        var isHex = true
        for index in token.indices {
            let byte = unsafe token[index]
            if byte == UInt8(ascii: "/") { return faults.insert(.badPath) }
            isHex = isHex && byte.isHexDigit
        }
        let lengths = Limits.simulatorTokenCharactersMin...Limits.tokenBytesMax
        if !isHex || !lengths.contains(token.count) { faults.insert(.badDeviceToken) }
    }

    private mutating func checkTopic(_ topic: UnsafeBufferPointer<UInt8>) {
        guard topic.count > 0 else { return faults.insert(.missingTopic) }
        // A bundle id: letters, digits, hyphens and dots.
        for index in topic.indices {
            let byte = unsafe topic[index]
            if !byte.isBase64URL && byte != UInt8(ascii: ".") { return faults.insert(.badTopic) }
        }
    }

    /// Returns true if a value has the form 8-4-4-4-12 of hex digits.
    ///
    /// RFC 9562 §4
    private static func isUUID(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        guard value.count == 36 else { return false }
        for index in value.indices {
            let byte = unsafe value[index]
            let isHyphen = index == 8 || index == 13 || index == 18 || index == 23
            guard isHyphen ? byte == UInt8(ascii: "-") : byte.isHexDigit else { return false }
        }
        return true
    }
}
