import FanfareCore
import FanfareHTTP2

/// How one attempt ended: what the dispatcher, the tally and the report want to know of it.
///
/// Borrows its texts from the session and the engine: use it before either goes on.
@safe
struct Attempt {
    /// What its end proves about sending again.
    var end = AttemptEnd.inDoubt
    /// What it means for row, connection and job.
    var `class` = ResponseClass(.unknown)
    /// The HTTP status; 0 without an answer.
    var status: UInt16 = 0
    var reason = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// The id that the provider gave, if it did.
    var apnsID = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// When the token became invalid, in milliseconds of UNIX time.
    var timestamp: Int64?

    var isAnswer: Bool { status != 0 }

    /// An attempt whose stream ended without an answer.
    static func unanswered(_ end: AttemptEnd, because reason: StaticString) -> Attempt {
        var attempt = Attempt()
        attempt.end = end
        // Only a row that is given up after being refused over and over is reported with this.
        if end == .unprocessed { attempt.class = ResponseClass(.failed) }
        unsafe attempt.reason = reason.bytes
        return attempt
    }
}
