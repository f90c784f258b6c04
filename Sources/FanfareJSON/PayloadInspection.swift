import FanfareBase
package import FanfareCore

/// A search for mistakes in the payloads of one provider, before anything is sent.
package protocol PayloadInspection {
    /// The faults that the provider refuses, so that no row would be sent: phrases that follow the
    /// payload's name, each one once.
    var faults: [String] { get }
    /// The probable mistakes that the provider takes: phrases of the same kind.
    var warnings: [String] { get }

    /// Looks at a payload.
    mutating func look(at payload: JSONValue)
}

extension PayloadLint: PayloadInspection {
    /// The faults, of which there are none: Apple refuses no content of a payload, and leaves out
    /// keys that it does not know.
    package var faults: [String] { [] }
}

/// The inspection of a payload that only a page of the user's own reads.
package struct PlainPayloadLint: PayloadInspection {
    package let faults: [String] = []
    package private(set) var warnings: [String] = []
    private let isTemplate: Bool

    /// Looks for placeholders of other programs.
    /// - Parameter isTemplate: True if `{{name}}` is filled in before it is sent.
    package init(isTemplate: Bool) {
        self.isTemplate = isTemplate
    }

    package mutating func look(at payload: JSONValue) {
        for remark in ForeignPlaceholder.remarks(in: payload, isTemplate: isTemplate) {
            warnings.add(remark)
        }
    }
}

extension ProviderKind {
    /// Returns the inspection of this provider's payloads.
    /// - Parameters:
    ///   - pushType: The kind of push; for APNs.
    ///   - isTemplate: True if `{{name}}` is filled in before it is sent.
    /// - Returns: The inspection, which has seen nothing yet.
    package func inspection(pushType: PushType, isTemplate: Bool) -> any PayloadInspection {
        switch self {
        case .apns: PayloadLint(pushType: pushType, isTemplate: isTemplate)
        case .fcm: FCMPayloadLint(isTemplate: isTemplate)
        case .webpush, .declared: PlainPayloadLint(isTemplate: isTemplate)
        }
    }
}

extension [String] {
    /// Adds a remark about a payload, if it is new and there are not too many.
    mutating func add(_ remark: String) {
        guard count < Limits.payloadWarningsMax, !contains(remark) else { return }
        append(remark)
    }
}
