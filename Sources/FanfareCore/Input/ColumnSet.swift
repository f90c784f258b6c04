/// A set of the columns that Fanfare itself understands.
package struct ColumnSet: Equatable, Sendable {
    private var bits: UInt16 = 0

    /// Makes an empty set.
    package init() {}

    /// Adds a column.
    package mutating func insert(_ column: RowSchema.Known) {
        bits |= 1 << UInt16(truncatingIfNeeded: column.slot)
    }

    /// True if a column is in the set.
    package func contains(_ column: RowSchema.Known) -> Bool {
        bits >> UInt16(truncatingIfNeeded: column.slot) & 1 == 1
    }
}
