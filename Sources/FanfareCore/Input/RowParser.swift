/// A parser that makes rows out of bytes.
///
/// `CSVParser` and `NDJSONParser` do it; neither does any input itself.
///
/// The reader appends input to a batch and calls `parse` again; it hands the batch on when `parse`
/// says that it is full or there is no more room, and moves the bytes after `batch.parsed` (the
/// beginning of a row that is not complete) to the next batch.
package protocol RowParser {
    /// The line of the byte at the batch's `parsed`.
    var line: UInt64 { get }

    /// Makes rows out of `batch.bytes[batch.parsed ..< batch.inputEnd]`.
    ///
    /// Appends only complete rows, advances `parsed` past them, never fails: a bad row is a row
    /// with a fault.
    /// - Parameters:
    ///   - batch: The batch with the input, which takes the rows, too.
    ///   - isFinal: No input follows: the last row needs no line end.
    /// - Returns: `batchFull` whenever the batch has no place for another row, even if no input is
    ///   left; `quoteIsOpen` at a row that is none, which stays where it is unless it was given up;
    ///   otherwise `needsInput`.
    mutating func parse(_ batch: RowBatch, isFinal: Bool) -> ParseProgress

    /// Gives up on the row at `batch.parsed`, which is longer than any batch may be.
    ///
    /// Appends it as a row with the fault `rowTooLong`, consumes all input there is, and skips the
    /// rest of that row in the coming calls of `parse`, without memory. Where an open quote takes lines
    /// along, it is `parse` that appends the row, when the quote was closed; if the input ends first,
    /// the row is none.
    /// - Returns: A quote that makes it so long; then nothing is changed.
    mutating func abandonRow(in batch: RowBatch) -> OpenQuote?

    /// Passes over rows from `batch.parsed` on, and appends none.
    ///
    /// The same rows as `parse` would make, or fewer: it stops before any row that takes a closer look.
    /// - Parameters:
    ///   - batch: The batch with the input; `parsed` is behind the last row that was passed over.
    ///   - most: The most rows to pass over.
    /// - Returns: The number of them.
    mutating func skip(in batch: RowBatch, most: Int) -> Int
}

/// The reason why `RowParser.parse` returned.
package enum ParseProgress: Equatable, Sendable {
    /// All complete rows are in the batch.
    case needsInput
    /// The batch holds as many rows as it can; call again with the next one.
    case batchFull
    /// The next row has lines that a quote would turn into one field.
    case quoteIsOpen(OpenQuote)
}
