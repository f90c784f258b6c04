import FanfareBase
import FanfareCore
import FanfareHTTP2

/// The end of one attempt, as the dispatcher, the tally and the report need it.
///
/// It borrows its texts from the session and the engine: use it before either goes on.
@safe
struct Attempt {
    /// The meaning of its end for sending again.
    var end = AttemptEnd.inDoubt
    var ending = AttemptCause.answered
    /// The meaning of its answer for row, connection and job.
    var `class` = Self.noAnswer
    /// The HTTP status; 0 without an answer.
    var status: UInt16 = 0
    var reason = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// The message's id, if the provider chose it.
    var messageID = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// The moment when the token became invalid, in milliseconds of UNIX time.
    var timestamp: Int64?
    /// True if the moment of sending counts as that moment, because the provider names none.
    var isDeadWhenSent = false

    private static let noAnswer = ResponseClass(.unknown)

    // Inlined: one is made for each answer, and most of it is written over at once.
    @inline(__always)
    init() {}

    var isAnswer: Bool { status != 0 }

    /// True if it counts: an attempt that was provably unprocessed does not.
    ///
    /// It matches a pattern: `==` of another module's enum is a call through its conformance.
    var isCounted: Bool {
        switch end {
        case .unprocessed, .dismissed: false
        case .answeredFinally, .answeredAgain, .answeredInDoubt, .inDoubt: true
        }
    }

    /// True if it was answered, and not with a verdict on its row.
    var isRefusal: Bool {
        switch end {
        case .answeredAgain, .answeredInDoubt: true
        case .answeredFinally, .unprocessed, .dismissed, .inDoubt: false
        }
    }

    /// True if it ended with its connection, and its request is ready for the next one.
    var isDismissed: Bool {
        if case .dismissed = end { true } else { false }
    }

    /// True if the provider wants the request later.
    var isThrottled: Bool {
        switch `class`.retry {
        case .afterDelay, .afterOwnDelay: isAnswer
        case .never, .elsewhereAtOnce, .withNewCredential, .inDoubt: false
        }
    }

    /// True if its answer is the last that is wanted on its connection.
    var retiresConnection: Bool {
        if case .retire = `class`.connection { isAnswer } else { false }
    }

    /// True if the provider refuses because there are too many requests, for all devices together.
    ///
    /// A refusal for too many requests to one device, or one about the connection, is different.
    var isOverload: Bool {
        (status == 503 || status == 429) && `class`.connection == .keep
            && (`class`.retry == .afterDelay || `class`.retry == .inDoubt)
    }

    /// True if there are too many requests, which is no outage.
    var isTooMany: Bool { isOverload && status == 429 }

    /// True if another server than the provider seems to have answered: see `ResponseClass.of`.
    var isForeign: Bool {
        switch `class`.retry {
        case .afterDelay: status >= 300 && status < 500 && status != 408 && status != 429
        case .inDoubt: `class` == .foreignSuccess
        case .never, .afterOwnDelay, .elsewhereAtOnce, .withNewCredential: false
        }
    }

    /// An attempt that ended without an answer.
    static func unanswered(
        _ ending: AttemptCause, because reason: StaticString? = nil
    ) -> Attempt {
        var attempt = Attempt()
        attempt.ending = ending
        switch ending.proof {
        case .unprocessed:
            attempt.end = ending.isOfConnection ? .dismissed : .unprocessed
            // Only a row that is given up after being refused over and over is reported with this.
            attempt.class = ResponseClass(.failed)
        case .inDoubt, .answered:
            attempt.end = .inDoubt
        }
        unsafe attempt.reason = (reason ?? ending.reason).bytes
        return attempt
    }
}
