import FanfareBase
import FanfareCore
import Synchronization

/// Finds the rows that a run does not take, and where it needs to read no further.
///
/// A row that it does not take is as one that was never read: it gets no line and no mark. If the job is for the row,
/// the run that carries the job on finds it new, with any limit and sample of its own.
///
/// For the reader's thread alone, but for `leftOut`, and for the one that asks after that thread has been
/// joined.
final class RowSelection: @unchecked Sendable {
    /// Rows that a run does not take.
    struct Counts {
        /// Rows that the job is not for.
        var excluded: UInt64 = 0
        /// Rows of the job that are left to a later run.
        var left: UInt64 = 0
    }

    private enum Place {
        case taken
        case excluded
        case left
    }

    private let audience: RowAudience
    private let sample: TokenSample?
    private let limit: UInt64
    /// The rows behind those that fit and are in the sample, those of earlier runs included.
    private var chosenCount: UInt64 = 0
    /// The rows that this run takes: they have no line yet.
    private(set) var takenCount: UInt64 = 0
    private var all = Counts()
    private var beforeLimit = Counts()
    /// True if the selection has met a row that only the limit leaves out.
    private var isBehindLimit = false
    private let leftCount = Atomic<UInt64>(0)
    /// True if reading has stopped at a place behind which there may be more rows.
    private(set) var endsEarly = false

    /// Prepares to find them; `nil` if all rows are wanted.
    /// - Parameters:
    ///   - choice: The choice of rows.
    ///   - schema: The places of its columns.
    ///   - seedCount: The rows of a seed list.
    init?(_ choice: RowChoice, _ schema: RowSchema, seedCount: UInt64) {
        guard !choice.isAll else { return nil }
        audience = RowAudience(choice, schema, seedCount: seedCount)
        sample = choice.sample.map { TokenSample(millionths: $0.millionths, seed: $0.seed) }
        limit = choice.limit.map { UInt64(max($0, 0)) } ?? .max
    }

    /// The rows that were read and not taken so far.
    ///
    /// Safe from any thread.
    var leftOut: UInt64 { leftCount.load(ordering: .relaxed) }

    /// The rows that were not taken, as far as their number tells something: where reading stops at the limit, it is by
    /// chance how many rows of the batch are behind that.
    var counts: Counts { endsEarly ? beforeLimit : all }

    /// True if there are rows, or may be some, that this run leaves to a later one.
    var leavesRows: Bool { endsEarly || all.left > 0 }

    /// True if there are rows, or may be some, that this run does not take.
    var passesOverRows: Bool { leavesRows || all.excluded > 0 }

    /// Marks the rows of a batch that this run does not take.
    ///
    /// Comes behind all that marks rows: what is a duplicate does not depend on the rows that are left to a later run.
    func mark(_ batch: RowBatch) {
        var left: UInt64 = 0
        for index in 0..<batch.rowCount {
            let isAtLimit = chosenCount >= limit
            let place = place(batch, index)
            if batch.verdict(ofRow: index) == .finished { continue }
            switch place {
            case .taken:
                takenCount += 1
                continue
            case .excluded:
                all.excluded += 1
                if !isAtLimit { beforeLimit.excluded += 1 }
            case .left:
                all.left += 1
                if !isAtLimit { beforeLimit.left += 1 }
            }
            if batch.verdicts.isEmpty {
                batch.verdicts.append(contentsOf: repeatElement(.none, count: batch.rowCount))
            }
            batch.verdicts[index] = .finished
            left += 1
        }
        if left > 0 { leftCount.add(left, ordering: .relaxed) }
    }

    /// Tells whether reading ends here, because as many rows were read as are wanted.
    /// - Parameter isMore: True if there are rows behind those that were read, as far as can be told without
    ///   a wait.
    /// - Returns: True if reading ends; the selection remembers it.
    func isOver(isMore: Bool) -> Bool {
        guard chosenCount >= limit, isBehindLimit || isMore else { return false }
        endsEarly = true
        return true
    }

    private func place(_ batch: RowBatch, _ index: Int) -> Place {
        if audience.isSeed(batch, index) { return .taken }
        guard audience.contains(batch, index) else { return .excluded }
        guard chosenCount < limit else {
            isBehindLimit = true
            return .left
        }
        guard isInSample(batch, index) else { return .left }
        chosenCount += 1
        return .taken
    }

    private func isInSample(_ batch: RowBatch, _ index: Int) -> Bool {
        guard let sample else { return true }
        let field = batch.field(row: index, slot: RowSchema.Known.token.slot)
        guard unsafe batch.rows[index].fault == .none, !field.isMissing, field.length > 0 else {
            // A row without a token stands for itself.
            return unsafe sample.contains(batch.rawRow(index))
        }
        return unsafe sample.contains(batch.value(field))
    }
}
