/// A line of a report that was read back.
///
/// It borrows its text from the batch that it was read into.
@safe
package struct ReportLine {
    package var row: UInt64
    package var outcome: Outcome
    /// The last HTTP status; 0 without an answer.
    package var status: UInt16
    /// The reason as the tally counts it: without the parts that are the row's own.
    package var reason: UnsafeBufferPointer<UInt8>
    /// The place of the answer in the table of answers.
    package var index: ReasonIndex
    package var attempts: UInt16
    /// The last attempt's; 0 without one.
    package var latencyNanoseconds: Int64
    /// UNIX time of the last attempt.
    package var sentAtMilliseconds: Int64?

    /// Collects the parts of a line.
    package init(
        row: UInt64, outcome: Outcome, status: UInt16, reason: UnsafeBufferPointer<UInt8>,
        index: ReasonIndex, attempts: UInt16, latencyNanoseconds: Int64,
        sentAtMilliseconds: Int64?
    ) {
        self.row = row
        self.outcome = outcome
        self.status = status
        unsafe self.reason = reason
        self.index = index
        self.attempts = attempts
        self.latencyNanoseconds = latencyNanoseconds
        self.sentAtMilliseconds = sentAtMilliseconds
    }
}
