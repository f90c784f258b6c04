/// A job that several workers share, as one of them knows it from its last beat.
package struct WholeJob: Equatable, Sendable {
    /// The rows that have a line in the report of a worker.
    package var finished: UInt64
    /// The rows that were counted in the input so far.
    package var rows: UInt64
    package var isAllCounted: Bool
    /// The workers that are there.
    package var workers: Int

    package init(finished: UInt64, rows: UInt64, isAllCounted: Bool, workers: Int) {
        self.finished = finished
        self.rows = rows
        self.isAllCounted = isAllCounted
        self.workers = workers
    }

    /// The finished share, from 0 to 1; `nil` as long as rows are counted.
    package var share: Double? {
        guard isAllCounted else { return nil }
        return rows == 0 ? 1 : min(1, Double(finished) / Double(rows))
    }
}
