extension FCMRule.Naming {
    /// The named fact, in words; nil when none is asked for.
    package var text: String? {
        switch self {
        case .anything: nil
        case .token: "the token"
        case .part: "another part"
        case .device: "the device"
        case .topic: "the topic"
        }
    }
}

extension FCMRule {
    /// The words that the answer is known to come with: its own, or for a rule of any word those of Google's
    /// documents.
    package var words: [String] {
        if word.utf8CodeUnitCount > 0 { return ["\(word)"] }
        return switch status {
        case 400: ["INVALID_ARGUMENT"]
        case 403: ["PERMISSION_DENIED", "IAM_PERMISSION_DENIED"]
        case 404: ["NOT_FOUND"]
        case 429: ["QUOTA_EXCEEDED", "RESOURCE_EXHAUSTED"]
        default: []
        }
    }
}
