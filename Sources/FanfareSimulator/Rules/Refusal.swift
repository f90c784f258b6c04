/// The provider's reasons to refuse a request, in the order of its checks.
///
/// The order is ours: the method and path first, then the client's identity, then the header
/// fields, the device token, and the payload last. A request with several faults is answered with
/// the first.
package enum Refusal: UInt8, CaseIterable, Sendable {
    case methodNotAllowed
    case badPath
    case missingDeviceToken
    case duplicateHeaders
    case missingProviderToken
    case invalidProviderToken
    case expiredProviderToken
    case tooManyProviderTokenUpdates
    case badMessageID
    case missingTopic
    case badTopic
    case topicDisallowed
    case invalidPushType
    case badPriority
    case badExpirationDate
    case badCollapseID
    case badDeviceToken
    case deviceTokenNotForTopic
    /// Also the answer to a body that is not JSON: the provider's table has no reason for that, and
    /// an unreadable body has no payload.
    case payloadEmpty
    case payloadTooLarge

    /// The status that goes with the reason.
    package var status: Int {
        switch self {
        case .badPath: 404
        case .methodNotAllowed: 405
        case .payloadTooLarge: 413
        case .tooManyProviderTokenUpdates: 429
        case .missingProviderToken, .invalidProviderToken, .expiredProviderToken: 403
        case .missingDeviceToken, .duplicateHeaders, .badMessageID, .missingTopic, .badTopic,
            .topicDisallowed, .invalidPushType, .badPriority, .badExpirationDate, .badCollapseID,
            .badDeviceToken, .deviceTokenNotForTopic, .payloadEmpty:
            400
        }
    }

    /// The text in the answer's body.
    package var reason: String {
        switch self {
        case .methodNotAllowed: "MethodNotAllowed"
        case .badPath: "BadPath"
        case .missingDeviceToken: "MissingDeviceToken"
        case .duplicateHeaders: "DuplicateHeaders"
        case .missingProviderToken: "MissingProviderToken"
        case .invalidProviderToken: "InvalidProviderToken"
        case .expiredProviderToken: "ExpiredProviderToken"
        case .tooManyProviderTokenUpdates: "TooManyProviderTokenUpdates"
        case .badMessageID: "BadMessageId"
        case .missingTopic: "MissingTopic"
        case .badTopic: "BadTopic"
        case .topicDisallowed: "TopicDisallowed"
        case .invalidPushType: "InvalidPushType"
        case .badPriority: "BadPriority"
        case .badExpirationDate: "BadExpirationDate"
        case .badCollapseID: "BadCollapseId"
        case .badDeviceToken: "BadDeviceToken"
        case .deviceTokenNotForTopic: "DeviceTokenNotForTopic"
        case .payloadEmpty: "PayloadEmpty"
        case .payloadTooLarge: "PayloadTooLarge"
        }
    }
}

/// The faults found in one request so far.
///
/// The first in the provider's order is the answer.
package struct RefusalSet: Equatable, Sendable {
    private var bits: UInt32 = 0

    package init() {}

    @inline(__always)
    package mutating func insert(_ refusal: Refusal) {
        bits |= 1 << UInt32(refusal.rawValue)
    }

    /// The reason that the provider answers with, or nil if there is none.
    package var first: Refusal? {
        bits == 0 ? nil : Refusal(rawValue: UInt8(truncatingIfNeeded: bits.trailingZeroBitCount))
    }
}
