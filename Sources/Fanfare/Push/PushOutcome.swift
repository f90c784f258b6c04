import FanfareCore

/// The final word on a row, with the facts of its line in the report.
public struct PushOutcome: Sendable, Hashable {
    /// The row's number, from 1, over all inputs of the job; its identity, also when the job is carried
    /// on.
    public var row: UInt64
    /// The caller's own key of the row; `nil` if it has none.
    public var id: String?
    /// The device token, as much of it as ``ReportOptions/token`` shows: by default all.
    public var token: String
    /// The provider that the row was for; `nil` if none of the job's takes it, or if the row cannot be read
    /// and may be for any of several.
    public var provider: Provider?
    /// The kind of the outcome.
    public var kind: Kind
    /// The status of the provider's last answer; `nil` if there was none.
    public var status: Int?
    /// The provider's reason, such as `BadDeviceToken`, or the reason why there is no answer; `nil`
    /// if there is none.
    public var reason: String?
    /// The message's id: with APNs its `apns-id`, a UUID that the request brings, with FCM the name that it
    /// gives an accepted message, `projects/my-app/messages/…`.
    ///
    /// `nil` if there is none: of a row that was not sent, or that FCM has not accepted.
    public var messageID: String?
    /// The number of attempts; those that the provider provably did not process do not count.
    public var attempts: Int
    /// The time from the start of the last attempt to the end of its answer, to the microsecond;
    /// `nil` if the row was not sent.
    public var latency: Duration?
    /// The moment since when the token is dead, in milliseconds of UNIX time, if APNs says it;
    /// otherwise `nil`.
    ///
    /// FCM never says it: for its tokens, use ``sentAtMilliseconds``.
    public var unregisteredAtMilliseconds: Int64?
    /// The start of the last attempt, in milliseconds of UNIX time; `nil` if the row was not sent.
    public var sentAtMilliseconds: Int64?
    /// The values of ``ReportOptions/carriedColumns`` by their names, as text; an empty one for a row
    /// without that column.
    public var carried: [String: String]

    /// The kinds of outcomes; there are no others.
    public enum Kind: String, Sendable, CaseIterable {
        /// The provider took it, which does not mean delivered.
        case accepted
        /// The token is dead: delete it, unless it was registered again after
        /// ``PushOutcome/unregisteredAtMilliseconds``.
        case unregistered
        /// The token looks wrong, but a wrong environment, topic or project looks the same: do not delete
        /// it.
        case suspect
        /// This request can never succeed.
        case rejected
        /// Refused for rate reasons, and attempts or time ran out.
        case throttled
        /// Provably not processed, and attempts or time ran out.
        case failed
        /// It may have reached the provider, and was not sent again.
        case unknown
        /// Never sent: the row did not pass the local checks.
        case invalid
        /// Never sent: a duplicate or suppressed token, a closed window, or its time was over.
        case skipped

        /// The same for those who count.
        init(_ outcome: Outcome) {
            switch outcome {
            case .accepted: self = .accepted
            case .unregistered: self = .unregistered
            case .suspect: self = .suspect
            case .rejected: self = .rejected
            case .throttled: self = .throttled
            case .failed: self = .failed
            case .unknown: self = .unknown
            case .invalid: self = .invalid
            case .skipped: self = .skipped
            }
        }

        /// The same for those who count.
        var outcome: Outcome {
            switch self {
            case .accepted: .accepted
            case .unregistered: .unregistered
            case .suspect: .suspect
            case .rejected: .rejected
            case .throttled: .throttled
            case .failed: .failed
            case .unknown: .unknown
            case .invalid: .invalid
            case .skipped: .skipped
            }
        }
    }
}

extension PushOutcome {
    /// The outcome that a lane has given a row.
    init(_ outcome: RowOutcome, _ carriedNames: [String]) {
        let nanoseconds = outcome.latencyNanoseconds
        self.init(
            row: outcome.row, id: outcome.id.isEmpty ? nil : outcome.id, token: outcome.token,
            provider: outcome.provider.flatMap(Provider.init),
            kind: Kind(outcome.outcome), status: outcome.status == 0 ? nil : Int(outcome.status),
            reason: outcome.reason.isEmpty ? nil : outcome.reason,
            messageID: outcome.messageID.isEmpty ? nil : outcome.messageID,
            attempts: Int(outcome.attempts),
            latency: nanoseconds < 0 ? nil : .nanoseconds(nanoseconds),
            unregisteredAtMilliseconds: outcome.unregisteredAtMilliseconds,
            sentAtMilliseconds: outcome.sentAtMilliseconds,
            carried: Dictionary(
                zip(carriedNames, outcome.carried), uniquingKeysWith: { first, _ in first }))
    }

    /// Creates an outcome of a row that was never sent, for tests of code that takes outcomes.
    ///
    /// The other properties may be set afterward.
    /// - Parameters:
    ///   - row: The row's number, from 1.
    ///   - token: The device token.
    ///   - kind: The kind of the outcome.
    public init(row: UInt64, token: String, kind: Kind) {
        self.init(
            row: row, id: nil, token: token, provider: nil, kind: kind, status: nil, reason: nil,
            messageID: nil, attempts: 0, latency: nil, unregisteredAtMilliseconds: nil,
            sentAtMilliseconds: nil, carried: [:])
    }
}
