import FanfareBase
import FanfareCore
import FanfareSystem
import Synchronization

/// The output files and the thread that writes them.
///
/// Lanes hand over blocks of whole lines and never wait for the disk: when it is slow they stop
/// starting requests (`isBehind`), and the lines of requests in flight still find room. A rehearsal
/// has nothing in flight, and waits.
final class ReportSink: Sendable {
    private let empty: Handoff<ReportBlock>
    private let full: Handoff<ReportBlock>
    private let behindCount: Int
    /// The blocks that find room; with more of them `submit` waits.
    let queueMax: Int
    private let journal: ReportJournal<FileSystem>
    private let ordering: ReportOrdering?
    private let seeds: SeedGate?
    /// The receiver of outcomes as they come, if there is one.
    private let outcomes: OutcomeFeed?
    private let control: JobControl
    private let cluster: ClusterDesk?
    private let lost = Mutex(UnreportedRows())
    private let changed = Mutex(false)

    /// Prepares to write files that are open.
    /// - Parameters:
    ///   - journal: The files, and the checkpoint to carry the job on from, if there is one.
    ///   - lanes: The threads that hand over blocks.
    ///   - ordering: The ordering of the report at the end, if it has to be ordered.
    ///   - seeds: The gate that waits for the outcomes of a seed list.
    ///   - waits: True if those threads have nothing better to do than to wait for the disk.
    ///   - outcomes: Receives outcomes once they are written, and those that could not be.
    ///   - cluster: Hears of rows with a line, in a job of several workers.
    ///   - control: The control that stops the job when the files cannot be written.
    init(
        _ journal: ReportJournal<FileSystem>, lanes: Int,
        ordering: ReportOrdering? = nil, seeds: SeedGate? = nil, waits: Bool = false,
        outcomes: OutcomeFeed? = nil, cluster: ClusterDesk? = nil, control: JobControl
    ) {
        self.cluster = cluster
        self.seeds = seeds
        self.outcomes = outcomes
        self.journal = journal
        self.ordering = ordering
        self.control = control
        behindCount = Limits.reportBlockCount(lanes: lanes)
        empty = Handoff(capacity: behindCount)
        // With lanes that do not wait it is never full in practice: requests stop when it
        // `isBehind`, and the number of requests in flight is bounded.
        queueMax = waits ? behindCount : Limits.reportQueueMax
        full = Handoff(capacity: queueMax)
        journal.files.awaitReaders { !control.isAborted }
    }

    // MARK: Lanes

    /// A block for lines of rows of one route.
    func emptyBlock(ofRoute route: Int = 0) -> ReportBlock {
        let block = empty.tryPop() ?? ReportBlock()
        block.route = route
        return block
    }

    /// Hands a block to the writer.
    func submit(_ block: ReportBlock) {
        _ = full.push(block)
    }

    /// More blocks wait than the writer should be behind.
    var isBehind: Bool { full.count >= behindCount }

    // MARK: Writer

    /// Writes blocks until `close`; runs on the writer's thread.
    func run() {
        while let block = full.pop() {
            // Before a write behind the end of a file that was cut makes it as long as it should be.
            if let change = change() { control.stop(change) }
            // Lanes that stopped because of `isBehind` may have nothing else that would wake them.
            if full.count == behindCount - 1 { control.wakeLanes() }
            if lost.withLock({ $0.isEmpty }) {
                write(block)
                seeds?.reported(block)
            } else {
                lost.withLock { $0.add(block.rows[...]) }
            }
            outcomes?.push(block.outcomes)
            block.reset()
            _ = empty.tryPush(block)
        }
    }

    /// Returns the change that others have made to a file, if any.
    /// - Parameter isOver: True if all rows have their lines, so that the checkpoint is of no use.
    /// - Returns: The reason to stop the job.
    private func change(isOver: Bool = false) -> JobStop? {
        // A block that could not be written is known already.
        guard lost.withLock({ $0.isEmpty }) else { return nil }
        switch journal.change(isOver: isOver) {
        case nil: return nil
        case .unknown(let error): return JobStop(.inputOutput, Statement(error.sentence))
        case .changed(let change, let isReport):
            changed.withLock { $0 = true }
            guard journal.checkpoint != nil, let report = journal.files.reportPath else {
                return JobStop(.inputOutput, Statement(change.text))
            }
            let advice = change.advice(report: report, isReport: isReport)
            return JobStop(.inputOutput, Statement(change.text) + "; " + advice)
        }
    }

    /// True if the job can be carried on, as far as its files are unchanged; read it after `rest`
    /// or `finish`.
    ///
    /// A file that was cut may have its length again, with a hole in it: so a change counts once it
    /// has been seen.
    var isResumable: Bool { journal.checkpoint != nil && !changed.withLock { $0 } }

    /// No more blocks will come.
    func close() {
        full.close()
    }

    private func write(_ block: ReportBlock) {
        let appended = journal.write(block)
        cluster?.written(block.rows[..<appended.rowCount], ofRoute: block.route)
        guard let failure = appended.failure else { return }
        lost.withLock { $0.add(block.rows[appended.rowCount...]) }
        control.stop(JobStop(.inputOutput, text: failure))
    }

    /// The parts of the report; after `run` has returned.
    var reportParts: Int { journal.files.report?.part ?? 1 }

    // MARK: The end

    /// Leaves the files so that the job can be carried on; call it after `run` has returned.
    ///
    /// It puts a report that cannot be carried on in order as far as it goes.
    /// - Parameter isOver: True if all rows have their lines.
    /// - Returns: The reason for a failure, if there is one.
    func rest(isOver: Bool = false) -> JobStop? {
        guard journal.checkpoint != nil else { return order(lineCount: nil) }
        do throws(FileError) {
            return try journal.rest { change(isOver: isOver) }
        } catch {
            return JobStop(.inputOutput, Statement(error.sentence))
        }
    }

    /// Leaves nothing behind of a job without results; after `run` has returned.
    /// - Returns: False if the checkpoint is still there.
    func discard() -> Bool { journal.discard() }

    /// The job is over, and may be carried on; after `rest` or `finish`.
    func letGo() { journal.letGo() }

    /// Completes the files of a job that has nothing left to carry on; call it after `run` has
    /// returned.
    /// - Parameter lineCount: The number of rows of the job.
    /// - Returns: The failure, if there is one; the report is complete all the same.
    func finish(lineCount: UInt64) -> JobStop? {
        if ordering != nil, journal.checkpoint != nil {
            // With a copy or without one, the job is at rest.
            if let failure = rest(isOver: true) { return failure }
        }
        if let change = change(isOver: true) { return change }
        if let failure = order(lineCount: lineCount) { return failure }
        do throws(FileError) {
            try journal.end()
            return nil
        } catch {
            return JobStop(.inputOutput, Statement(error.sentence))
        }
    }

    private func order(lineCount: UInt64?) -> JobStop? {
        guard let ordering, journal.files.report != nil else { return nil }
        control.order(true)
        defer { control.order(false) }
        do throws(FanfareError) {
            try journal.order(by: ordering, lineCount: lineCount)
            return nil
        } catch {
            return failed(error)
        }
    }

    private func failed(_ error: FanfareError) -> JobStop {
        if control.isInterruptedAnew, let stop = control.stop { return stop }
        let name = journal.files.destination?.name ?? journal.files.reportPath ?? ""
        return JobStop(
            .inputOutput,
            journal.files.destination == nil
                ? "\(name) has the lines of all rows, but not in order: \(error.statement)"
                : "the lines of \(name) cannot be put in order: \(error.statement)")
    }

    /// Rows that have an outcome which the report does not show.
    var unreported: UnreportedRows { lost.withLock { $0 } }
}

/// The rows whose lines could not be written, as ranges.
struct UnreportedRows: Sendable {
    private(set) var count = 0
    private var rows: [UInt64] = []

    var isEmpty: Bool { count == 0 }

    mutating func add(_ more: ArraySlice<UInt64>) {
        count += more.count
        rows += more
    }

    /// The row numbers as text: `17-19, 23`.
    var description: String {
        var ranges: [ClosedRange<UInt64>] = []
        for row in rows.sorted() {
            if let last = ranges.last, last.upperBound + 1 == row {
                ranges[ranges.count - 1] = last.lowerBound...row
            } else {
                ranges.append(row...row)
            }
        }
        return ranges.map {
            $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
        }
        .joined(separator: ", ")
    }
}
