/// The bundle ids that the simulator lets a sender push to.
package struct AcceptedTopics: Equatable, Sendable {
    private let bundleIDs: [[UInt8]]

    /// Remembers bundle ids, without the suffixes of push types.
    /// - Parameter bundleIDs: None means that any topic will do.
    package init(_ bundleIDs: [String] = []) {
        self.bundleIDs = bundleIDs.map { Array($0.utf8) }
    }

    package var isEmpty: Bool { bundleIDs.isEmpty }

    /// Finds the fault of a topic.
    ///
    /// A bundle id that is not in the list is a matter of the credential. A known bundle id with
    /// another push type's suffix is a matter of the device token, because every kind of push has
    /// tokens of its own.
    /// - Returns: The refusal, or nil for a topic that is accepted.
    package func judge(
        _ topic: UnsafeBufferPointer<UInt8>, for kind: NotificationKind
    ) -> Refusal? {
        if unsafe topic.ends(with: kind.topicSuffix),
            unsafe contains(topic.dropping(last: kind.topicSuffix.utf8CodeUnitCount))
        {
            return nil
        }
        for other in NotificationKind.allCases where unsafe topic.ends(with: other.topicSuffix) {
            if unsafe contains(topic.dropping(last: other.topicSuffix.utf8CodeUnitCount)) {
                return .deviceTokenNotForTopic
            }
        }
        return .topicDisallowed
    }

    private func contains(_ bundleID: UnsafeBufferPointer<UInt8>) -> Bool {
        for known in bundleIDs {
            let isEqual = unsafe known.withUnsafeBufferPointer { unsafe $0.equals(bundleID) }
            if isEqual { return true }
        }
        return false
    }
}
