import FanfareCore
import FanfareLoop

/// What the reader has to do with the past and the future of a job: nothing, when there is neither.
struct RowHistory: Sendable {
    /// What an earlier run has left behind.
    var resumption: Resumption?
    /// What a later run will need.
    var checkpoint: CheckpointFile?

    /// Deals with a batch that is about to be handed out.
    /// - Throws: `FanfareError.Code.output` when the checkpoint cannot take its rows.
    func record(_ batch: RowBatch) throws(FanfareError) {
        resumption?.mark(batch)
        do throws(FileError) {
            try checkpoint?.prepare(through: batch.firstRow + UInt64(batch.rowCount) - 1)
        } catch {
            throw FanfareError(.output, error.sentence)
        }
    }
}
