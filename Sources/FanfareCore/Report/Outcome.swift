import FanfareBase

/// The one final word on a row.
///
/// The raw values are stable: checkpoints hold them.
package enum Outcome: UInt8, CaseIterable, Sendable {
    /// The provider took it: a 2xx answer. Not the same as delivered.
    case accepted = 0
    /// The token is dead for certain: delete it, unless it was registered after `unregistered_at`.
    case unregistered = 1
    /// The token looks wrong, but a wrong environment, topic or project looks the same: do not delete
    /// it on this alone.
    case suspect = 2
    /// This request can never succeed: another 4xx answer that is the row's own fault.
    case rejected = 3
    /// Refused for rate reasons, and attempts ran out.
    case throttled = 4
    /// Provably not processed, and attempts ran out.
    case failed = 5
    /// In doubt, and not sent again: no answer after it was written.
    case unknown = 6
    /// Never sent: the row did not pass the local checks.
    case invalid = 7
    /// Never sent: a duplicate token, the deadline passed, or it was only to be looked at.
    case skipped = 8

    /// The reason of `skipped` where a row was only to be looked at, and nothing is wrong with it.
    package static let validReason: StaticString = "valid"

    /// The reason of a row that was on its way when its process ended, and that may have been sent.
    package static let interruptedReason: StaticString = "interrupted"

    /// The reason of `unknown` where one of several workers does not come back, and another one writes the lines
    /// of its rows.
    ///
    /// A line of its own about such a row counts more.
    package static let workerLostReason: StaticString = "worker lost"

    /// The reason of `unknown` where the report of a worker is lost, and a person has lines written for the rows that it had.
    ///
    /// A line of the lost report counts more, should it be found.
    package static let reportLostReason: StaticString = "report lost"

    /// The reasons of lines that give way to another one of the same row.
    package static let lostReasons = [workerLostReason, reportLostReason]

    /// The word in reports, summaries and options.
    package var name: StaticString {
        switch self {
        case .accepted: "accepted"
        case .unregistered: "unregistered"
        case .suspect: "suspect"
        case .rejected: "rejected"
        case .throttled: "throttled"
        case .failed: "failed"
        case .unknown: "unknown"
        case .invalid: "invalid"
        case .skipped: "skipped"
        }
    }

    /// Makes the outcome with a name, for options and for reading reports back.
    package init?(name: String) {
        guard let match = Outcome.allCases.first(where: { $0.name.description == name }) else {
            return nil
        }
        self = match
    }

    /// Makes the outcome with a name in bytes, without making a string of them.
    package init?(name: UnsafeBufferPointer<UInt8>) {
        guard let match = Outcome.allCases.first(where: { unsafe $0.name.equals(name) })
        else { return nil }
        self = match
    }

    /// The advice about suspect tokens.
    package static let suspectAdvice =
        "Suspect tokens may be fine: check first that they are of this app (with APNs, of this environment and "
        + "topic)."

    /// True if sending the same row again would make no sense.
    ///
    /// `--retry-rows` collects the rows with the other three, which make the exit code 1.
    package var isDefinite: Bool {
        switch self {
        case .throttled, .failed, .unknown: false
        case .accepted, .unregistered, .suspect, .rejected, .invalid, .skipped: true
        }
    }

    /// The number of outcomes, for tables indexed by raw value.
    package static let count = 9
}
