import FanfareCore
import FanfareLoop

/// What the reader has to do with a batch besides reading it: nothing, when there is nothing to be
/// remembered of rows.
struct RowHistory: Sendable {
    /// What an earlier run has left behind.
    var resumption: Resumption?
    /// What a later run will need.
    var checkpoint: CheckpointFile?
    /// What finds rows that are left out because of their tokens.
    var tokens: TokenFilter?
    /// What counts duplicates in passing.
    var census: TokenCensus?

    /// Deals with a batch that is about to be handed out.
    /// - Throws: `FanfareError` with code `output` when the checkpoint cannot take its rows, or with
    ///   code `input` when the inputs cannot be read once more.
    func record(_ batch: RowBatch) throws(FanfareError) {
        resumption?.mark(batch)
        try tokens?.mark(batch)
        census?.count(batch)
        do throws(FileError) {
            try checkpoint?.prepare(through: batch.firstRow + UInt64(batch.rowCount) - 1)
        } catch {
            throw FanfareError(.output, error.sentence)
        }
    }
}
