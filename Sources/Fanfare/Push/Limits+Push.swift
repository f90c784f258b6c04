import FanfareBase

/// Bounds of push.
extension Limits {
    /// Report blocks that wait for a consumer of outcomes: one that is being taken apart and one
    /// behind it, so that a consumer that keeps up never waits for the writer.
    ///
    /// Of 64 KiB each, some 500 outcomes.
    package static let outcomeBlocks = 2

    /// The bytes of rows that a sequence may be ahead of the reader.
    ///
    /// They are as many as four batches hold, so that there are rows while the task that makes them
    /// waits for its turn. One row more may be beyond them.
    package static let rowFeedBytes = 256 * 1024
}
