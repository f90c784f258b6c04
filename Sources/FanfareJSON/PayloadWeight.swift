import FanfareBase
package import FanfareCore

/// The part of a payload that counts for its provider's limit, where that is not its length.
package struct PayloadWeight: Equatable, Sendable {
    /// The bytes that count, as far as is known.
    package let bytes: Int
    package let bytesMax: Int
    /// True if it goes to a topic.
    let isForMany: Bool

    /// The fault: a phrase that follows the payload's name; nil if the payload fits.
    package var excess: String? {
        guard bytes > bytesMax else { return nil }
        return "has \(bytes) bytes in 'notification' and 'data', where FCM takes \(bytesMax)"
            + (isForMany ? " for a topic" : "")
    }
}

extension ProviderKind {
    /// Weighs a payload as a row would send it.
    ///
    /// Google does not say which bytes it counts, and a body may say everything again for each
    /// platform: so no row is refused for it.
    /// - Parameter json: The payload.
    /// - Returns: The weight; nil if the length alone counts, or if the payload is too short to
    ///   matter.
    package func weight(ofPayload json: UnsafeBufferPointer<UInt8>) -> PayloadWeight? {
        guard self == .fcm, json.count > Limits.fcmTopicBytesMax,
            let message = unsafe (try? JSONValue.parse(json))?["message"]
        else { return nil }
        return FCMPayloadLint(isTemplate: false).weight(of: message)
    }
}
