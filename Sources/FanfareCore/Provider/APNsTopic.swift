package import FanfareBase

/// Makes the full `apns-topic` out of what the user gave.
///
/// Users know their bundle id; that a voice call's topic ends in `.voip` is the provider's business.
/// So a topic that does not end with the suffix of its push type gets it appended, and one that does
/// is taken as it is. (An app whose bundle id itself ends with the suffix of the type it sends must
/// be given with the suffix.) `mdm`, `alert`, `background` and unknown types have none.
package enum APNsTopic {
    /// The topic of a job.
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
