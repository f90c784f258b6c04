import FanfareBase

/// The result of one row, as its line in the report has it.
///
/// It borrows its texts: use it before they go away.
@safe
package struct RowResult {
    package var outcome: Outcome
    /// The last HTTP status; 0 if there was no answer.
    package var status: UInt16
    /// The reason; empty if there is none.
    package var reason: UnsafeBufferPointer<UInt8>
    /// The notification's id; empty if none was chosen.
    package var messageID: UnsafeBufferPointer<UInt8>
    /// True if the id is a UUID of our own making or checking, which needs no quotes.
    package var isOwnID = false
    /// The number of times that the row was put on the wire, without provably unprocessed attempts.
    package var attempts: UInt16
    /// The last attempt's time until its answer; negative if there was none.
    package var latencyNanoseconds: Int64
    /// Unix time at which the provider found the token dead.
    package var unregisteredAtMilliseconds: Int64?
    /// Unix time at which the last attempt was written.
    package var sentAtMilliseconds: Int64?

    /// Collects the parts of a result.
    @inlinable
    package init(
        _ outcome: Outcome,
        status: UInt16 = 0,
        reason: UnsafeBufferPointer<UInt8> = unsafe .empty,
        messageID: UnsafeBufferPointer<UInt8> = unsafe .empty,
        attempts: UInt16 = 0,
        latencyNanoseconds: Int64 = -1,
        unregisteredAtMilliseconds: Int64? = nil,
        sentAtMilliseconds: Int64? = nil
    ) {
        self.outcome = outcome
        self.status = status
        unsafe self.reason = reason
        unsafe self.messageID = messageID
        self.attempts = attempts
        self.latencyNanoseconds = latencyNanoseconds
        self.unregisteredAtMilliseconds = unregisteredAtMilliseconds
        self.sentAtMilliseconds = sentAtMilliseconds
    }
}

extension ByteBuffer {
    /// Appends nanoseconds as milliseconds with three digits behind the point, rounded.
    package mutating func append(millisecondsOf nanoseconds: Int64) {
        let microseconds = (UInt64(max(nanoseconds, 0)) + 500) / 1000
        append(decimal: microseconds / 1000)
        append(UInt8(ascii: "."))
        append(threeDigits: microseconds % 1000)
    }
}
