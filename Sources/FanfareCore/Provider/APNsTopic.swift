package import FanfareBase

/// The full `apns-topic`, made of the user's.
///
/// Users know their bundle id; the provider has decided that a voice call's topic ends in `.voip`.
/// So a topic that does not end with the suffix of its push type gets the suffix, and one that does
/// is taken as it is. (An app whose bundle id itself ends with the suffix of the type it sends
/// needs the suffix in the configuration.) `mdm`, `alert`, `background` and unknown types have
/// none.
package enum APNsTopic {
    /// Returns the topic of a job.
    package static func full(_ topic: String, for type: PushType) -> String {
        let suffix = type.rules.topicSuffix.description
        return topic.hasSuffix(suffix) ? topic : topic + suffix
    }

    /// Appends the topic of a row, whose value and push type are bytes.
    package static func appendFull(
        _ topic: UnsafeBufferPointer<UInt8>, rules: PushType.Rules, into buffer: inout ByteBuffer
    ) {
        unsafe buffer.append(topic)
        let suffix = unsafe rules.topicSuffix.bytes
        let hasSuffix =
            unsafe topic.count >= suffix.count
            && rules.topicSuffix.equals(
                UnsafeBufferPointer(rebasing: topic[(topic.count - suffix.count)...]))
        if !hasSuffix { unsafe buffer.append(suffix) }
    }
}
