import FanfareBase
import FanfareCore
import Synchronization

/// Finds the rows that a run leaves out, and where it needs to read no further.
///
/// A row that is left out is as one that was never read: it gets no line and no mark. So the run that carries
/// the job on finds it new, with any choice of its own.
///
/// For the reader's thread alone, but for `leftOut`, and for the one that asks after that thread has been
/// joined.
final class RowSelection: @unchecked Sendable {
    /// A condition with the places of its columns.
    private typealias Condition = [(slot: Int, alternative: ReportFilter.Alternative)]

    private let conditions: [Condition]
    private let sample: TokenSample?
    private let limit: UInt64
    /// The rows of a seed list, which are taken in any case.
    private let seedCount: UInt64
    /// The rows behind those that fit and are in the sample, those of earlier runs included.
    private var chosenCount: UInt64 = 0
    /// The rows that this run takes: they have no line yet.
    private(set) var takenCount: UInt64 = 0
    /// The rows before the limit that do not fit, or are not in the sample.
    private var unfitCount: UInt64 = 0
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
        conditions = choice.conditions.map { condition in
            condition.filter.alternatives.compactMap { alternative in
                schema.slot(named: alternative.column).map { ($0, alternative) }
            }
        }
        sample = choice.sample.map { TokenSample(millionths: $0.millionths, seed: $0.seed) }
        limit = choice.limit.map { UInt64(max($0, 0)) } ?? .max
        self.seedCount = seedCount
    }

    /// The rows that were read and left out so far.
    ///
    /// Safe from any thread.
    var leftOut: UInt64 { leftCount.load(ordering: .relaxed) }

    /// The rows that were left out as far as the number tells something: where reading stops at the limit, it
    /// is by chance how many rows of the batch are behind that.
    var leftOutBeforeEnd: UInt64 { endsEarly ? unfitCount : leftOut }

    /// True if there are rows, or may be some, that this run leaves to a later one.
    var leavesRows: Bool { endsEarly || leftOut > 0 }

    /// Marks the rows of a batch that this run leaves out.
    ///
    /// Comes behind all that marks rows: what is a duplicate does not depend on the rows that are left out.
    func mark(_ batch: RowBatch) {
        var left: UInt64 = 0
        for index in 0..<batch.rowCount {
            let isTaken = takes(batch, index)
            if batch.verdict(ofRow: index) == .finished { continue }
            if isTaken {
                takenCount += 1
                continue
            }
            if batch.verdicts.isEmpty {
                batch.verdicts.append(contentsOf: repeatElement(.none, count: batch.rowCount))
            }
            batch.verdicts[index] = .finished
            left += 1
            if !isBehindLimit { unfitCount += 1 }
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

    private func takes(_ batch: RowBatch, _ index: Int) -> Bool {
        if batch.firstRow + UInt64(index) <= seedCount { return true }
        guard chosenCount < limit else {
            isBehindLimit = true
            return false
        }
        guard fits(batch, index), isInSample(batch, index) else { return false }
        chosenCount += 1
        return true
    }

    private func fits(_ batch: RowBatch, _ index: Int) -> Bool {
        guard !conditions.isEmpty else { return true }
        // The values of a row that cannot be read are not known.
        guard unsafe batch.rows[index].fault == .none else { return false }
        return conditions.allSatisfy { condition in
            condition.contains { slot, alternative in
                let field = batch.field(row: index, slot: slot)
                let value = unsafe field.isMissing ? .empty : batch.value(field)
                return alternative.patterns.contains { unsafe $0.matches(value) }
                    != alternative.isNegated
            }
        }
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
