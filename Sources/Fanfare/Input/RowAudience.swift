import FanfareBase
import FanfareCore

/// The rows that a job is for: those that fit its conditions, and those of its seed list.
///
/// Of the others nothing is done: no run of the job sends to them, and none of them makes another row a duplicate.
struct RowAudience {
    /// A condition with the places of its columns.
    private typealias Condition = [(slot: Int, alternative: ReportFilter.Alternative)]

    private let conditions: [Condition]
    /// The rows of a seed list, which are sent in any case.
    private let seedCount: UInt64

    /// Prepares to find them.
    /// - Parameters:
    ///   - choice: The choice of rows.
    ///   - schema: The places of its columns.
    ///   - seedCount: The rows of a seed list.
    init(_ choice: RowChoice, _ schema: RowSchema, seedCount: UInt64) {
        conditions = choice.conditions.map { condition in
            condition.filter.alternatives.compactMap { alternative in
                schema.slot(named: alternative.column).map { ($0, alternative) }
            }
        }
        self.seedCount = seedCount
    }

    /// Returns true if a row is of the seed list.
    func isSeed(_ batch: RowBatch, _ index: Int) -> Bool {
        batch.firstRow + UInt64(index) <= seedCount
    }

    /// Returns true if the job is for a row.
    func contains(_ batch: RowBatch, _ index: Int) -> Bool {
        guard !conditions.isEmpty, !isSeed(batch, index) else { return true }
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
}
