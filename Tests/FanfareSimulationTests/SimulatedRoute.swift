import FanfareBase

@testable import Fanfare
@testable import FanfareCore

/// The parts that a lane, one of several, has from its job.
final class SimulatedRoute {
    /// The rows that are for its provider, with their numbers in the job, and how many the job has.
    let ownRows: [PlannedRow]
    let rowCount: Int
    let disk: SimulatedDisk
    let preparation: PreparationSettings
    /// The source of rows in the present process.
    var rows: RowQueue?
    var submit: (ReportBlock) -> Void = { _ in }
    var isReportBehind: () -> Bool = { false }
    var lastAnswerOfOthers: () -> Instant? = { nil }
    /// The number of times that a batch has come back or was lent, which the reader hears of.
    private(set) var moves = 0

    /// - Parameters:
    ///   - ownRows: The rows that are for its provider.
    ///   - rowCount: The number that the job has.
    ///   - disk: The job's.
    ///   - preparation: The preparation of its rows.
    init(
        ownRows: [PlannedRow], of rowCount: Int, disk: SimulatedDisk,
        preparation: PreparationSettings
    ) {
        self.ownRows = ownRows
        self.rowCount = rowCount
        self.disk = disk
        self.preparation = preparation
    }

    func nextBatch() -> RowBatch? {
        guard let batch = rows?.nextBatch() else { return nil }
        moves += 1
        return batch
    }

    func handBack(_ batch: RowBatch) { rows?.handBack(batch) }

    func recycle(_ batch: RowBatch) {
        moves += 1
        rows?.recycle(batch)
    }

    func lend() {
        moves += 1
        rows?.lend()
    }

    func discard(_ batch: RowBatch) {
        moves += 1
        rows?.discard(batch)
    }
}
