import FanfareCore

/// Rows that are only looked at.
extension ProviderOptions {
    /// The payload of rows that have none, if they need none: the least that the provider takes.
    var leastPayload: [UInt8]? {
        guard validatesOnly else { return nil }
        return switch provider {
        case .apns: Array(#"{"aps":{}}"#.utf8)
        case .fcm: Array(#"{"message":{"data":{}}}"#.utf8)
        case .declared: nil
        }
    }

    /// The template of a request, as one that nothing is delivered by if that is wanted.
    func asked(_ template: [UInt8]) -> [UInt8] {
        validatesOnly && provider == .fcm ? FCMValidation.of(template) : template
    }
}

extension Configuration {
    /// True if rows in doubt may be sent again: a row that is only validated may be sent twice.
    var mayRepeat: Bool { engine.mayRepeat || validatesOnly }

    /// True if the job delivers nothing.
    var validatesOnly: Bool { routes.allSatisfy(\.validatesOnly) }
}
