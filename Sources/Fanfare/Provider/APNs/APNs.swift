import FanfareBase
import FanfareCore
import FanfareHTTP2

/// The Apple Push Notification service.
///
/// https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns
final class APNs: PushService {
    /// The settings for all rows of a job, or for rows without values of their own.
    struct Settings: Sendable {
        /// The scheme of the requests.
        var scheme: String
        /// The host, and the port if it is not the scheme's own.
        var authority: String
        /// The identity from which rows' `apns-id` are made.
        var identity: JobIdentity
        /// The defaults of the header fields that a row may bring itself; `nil` for none.
        var topic: String?
        var pushType: String?
        var priority: String?
        var expiration: String?
        var collapseID: String?
        /// The same where it is made of each row's values; `nil` if it is not.
        var collapseTemplate: HeaderTemplate?
        /// The topic as it was given, for rows whose own push type wants another suffix.
        var givenTopic: [UInt8] = []
        /// The priority as it was given, which a row's own push type may not take; 0 for none.
        var givenPriority: UInt8 = 0
        /// The rules of the job's push type; a row's own push type has its own.
        var pushTypeRules = PushType.alert.rules
        /// True if a row without a topic of its own has none, although the provider requires one.
        var lacksTopic = false
        /// True if rows are checked; load tests switch it off.
        var validates = true
        /// True if rows are only validated, about which APNs cannot be asked.
        var validatesOnly = false
    }

    let settings: Settings
    let expiration: Int64

    init(_ settings: Settings) {
        self.settings = settings
        expiration = settings.expiration.flatMap { Int64($0) } ?? 0
    }

    var provider: ProviderKind? { .apns }

    var isAsked: Bool { !settings.validatesOnly }

    var fixedBody: [UInt8]? { nil }

    /// The places of the values that rows bring, in the order of the header fields.
    enum Field {
        static let token = 0
        static let id = 1
        static let topic = 2
        static let pushType = 3
        static let priority = 4
        static let expiration = 5
        static let collapseID = 6
    }

    /// Fields are indexed as Apple advises: values that many rows share go into the table, the
    /// provider token too, `:path` never does, and of values that differ from row to row only the
    /// name.
    func headerFields(credential: String?) -> [HeaderField] {
        var fields = [
            HeaderField(":method", "POST"),
            HeaderField(":scheme", settings.scheme),
            HeaderField(":authority", settings.authority),
            HeaderField(":path", beginning: APNsEnvironment.pathPrefix.description),
        ]
        fields += [
            HeaderField("apns-id", nil, .nameOnly),
            HeaderField("apns-topic", usual: settings.topic),
            HeaderField("apns-push-type", usual: settings.pushType),
            HeaderField("apns-priority", usual: settings.priority),
            HeaderField(
                "apns-expiration", usual: settings.expiration,
                settings.expiration == nil ? .nameOnly : .indexed),
            HeaderField(
                "apns-collapse-id", usual: settings.collapseID,
                settings.collapseID == nil ? .nameOnly : .indexed),
        ]
        if let credential {
            // A connection has one token all its life, so that all requests but the first one name it
            // with a byte instead of 200. No other sender's fields are in this table to guess it by
            // (RFC 7541 §7.1), and the guess would have to be right in 64 random bytes.
            fields.append(HeaderField("authorization", "bearer \(credential)"))
        }
        return fields
    }

    func problem(ofToken token: UnsafeBufferPointer<UInt8>) -> RowProblem? {
        unsafe HeaderRules.problem(token: token)
    }

    func makeJudge() -> any AnswerJudge { APNsJudge() }
}
