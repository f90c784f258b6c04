import FanfareBase
import FanfareCore
import FanfareSystem
import Synchronization

/// Holds rows back until those of the seed list have their outcomes, and the user wants to go on.
///
/// The writer's thread brings outcomes once they are in the report, the reader's thread waits.
final class SeedGate: Sendable {
    /// The next action of the reader.
    enum Order {
        /// Rows of the list are read, or all others.
        case read
        /// Outcomes are missing: look again in a moment.
        case wait
        /// The job is stopping.
        case stop
    }

    private struct State {
        var isOpen: Bool
        var finished: UInt64 = 0
        var result: SeedResult
        /// The moment when the rows may go on; set when all outcomes are there.
        var opens: Instant?
    }

    private let options: SeedOptions
    private let rowCount: UInt64
    private let control: JobControl
    private let state: Mutex<State>

    /// Creates a gate for a job whose first input is a seed list; the result is `nil` for another
    /// job.
    /// - Parameters:
    ///   - plan: The job.
    ///   - resumption: The results of earlier runs.
    ///   - control: The control that stops the job.
    /// - Throws: `FanfareError.Code.input` when the report of an earlier run cannot be read.
    init?(
        _ plan: PreparedJob, _ resumption: Resumption?, control: JobControl
    ) throws(FanfareError) {
        guard let options = plan.configuration.seeds, let list = plan.configuration.inputs.first
        else { return nil }
        self.options = options
        self.control = control
        rowCount = plan.seedCount
        let result = SeedResult(name: list.name, rowCount: rowCount)
        // A row behind the list has its line: an earlier run has gone on.
        let isOpen = (resumption?.finished.highest ?? 0) > rowCount
        state = Mutex(State(isOpen: isOpen, result: result))
        guard !isOpen, let resumption, resumption.tally.finished > 0 else { return }
        for spec in plan.outputs where spec.kind == .report {
            for (path, _) in FileSystem().parts(of: spec) { try add(.file(path)) }
        }
    }

    /// Counts the rows of a seed list.
    static func count(
        _ list: RowInput, _ options: RowOptions
    ) throws(FanfareError) -> UInt64 {
        let reader = try RowReader(list, InputSpec(options: options))
        let batch = RowBatch(slotCount: reader.head.schema.slotCount)
        while try reader.fill(batch), reader.rowCount <= Limits.seedRowsMax {}
        guard (1...Limits.seedRowsMax).contains(reader.rowCount) else {
            throw FanfareError(
                .configuration,
                reader.rowCount == 0
                    ? "the seed list \(list.name) has no rows"
                    : "the seed list \(list.name) has more than \(Limits.seedRowsMax) rows; it is "
                        + "for those who look at the notification before all others get it")
        }
        return reader.rowCount
    }

    /// True if all rows may be read.
    var isOpen: Bool { state.withLock { $0.isOpen } }

    // MARK: Writer

    /// A block of lines is in the report.
    func reported(_ block: ReportBlock) {
        guard !isOpen else { return }
        for outcome in block.outcomes.all {
            let isInvalid = outcome.outcome == .invalid
            add(
                outcome.row, outcome.outcome, outcome.status, token: outcome.token,
                reason: isInvalid ? ReportLineReader.kind(of: outcome.reason) : outcome.reason)
        }
    }

    /// Takes the lines of an earlier run's report.
    private func add(_ lines: RowInput) throws(FanfareError) {
        let reader = try ReportReader(lines)
        guard let token = reader.slot(of: "token") else { return }
        _ = try reader.read { line, position throws(FanfareError) in
            let text = unsafe position.batch.value(
                position.batch.field(row: position.index, slot: token))
            unsafe add(
                line.row, line.outcome, line.status, token: String(decoding: text, as: UTF8.self),
                reason: String(decoding: line.reason, as: UTF8.self))
        }
    }

    private func add(
        _ number: UInt64, _ outcome: Outcome, _ status: UInt16, token: String, reason: String
    ) {
        guard number <= rowCount else { return }
        let row = SeedResult.Row(
            number: number, token: TerminalText.shown(token, max: 8),
            outcome: outcome.name.description,
            reason: (status == 0 ? "" : "\(status) ")
                + TerminalText.shown(reason, max: Limits.seedReasonShownMax))
        state.withLock { state in
            state.finished += 1
            state.result.add(row, isAccepted: outcome == .accepted)
        }
    }

    // MARK: Reader

    /// Returns the action after a number of rows has been read.
    ///
    /// It waits for an answer if the user is asked.
    func order(rowsRead: UInt64) -> Order {
        guard control.stop == nil else { return .stop }
        let (isOpen, isComplete, result, opens) = state.withLock {
            ($0.isOpen, $0.finished >= rowCount, $0.result, $0.opens)
        }
        if isOpen || rowsRead < rowCount { return .read }
        guard isComplete else { return .wait }
        if let opens {
            guard MachineClock.now >= opens else { return .wait }
        } else if !isWanted(result) {
            return .stop
        } else if options.confirm == nil, options.wait > .zero {
            state.withLock { $0.opens = MachineClock.now.advanced(by: options.wait) }
            return .wait
        }
        state.withLock { $0.isOpen = true }
        control.log?.add("seeds_passed", .info)
        return .read
    }

    /// Asks, or decides by the outcomes.
    private func isWanted(_ result: SeedResult) -> Bool {
        options.show?(result)
        if let confirm = options.confirm {
            if confirm(result, { control.stop != nil }) { return control.stop == nil }
            control.stop(
                JobStop(.interrupted, "nothing but the seed list \(result.name) was sent"))
            return false
        }
        guard !result.isAccepted, !options.continuesAfterFailures else { return true }
        var stop = JobStop(
            .refused,
            "\(result.acceptedCount) of \(result.rowCount) rows of the seed list "
                + "\(result.name) were accepted, so no others were sent. If that is as it "
                + "should be, \(.resumes) with "
                + "\(.seedFailures, option: "continue", member: "true") goes on; with another "
                + "payload the job begins anew")
        stop.needsOtherCommand = true
        control.stop(stop)
        return false
    }
}

extension SeedResult {
    /// Takes a row in, in the order of the rows; of too many those are left out that were accepted.
    mutating func add(_ row: Row, isAccepted: Bool) {
        if isAccepted { acceptedCount += 1 }
        let index = rows.firstIndex { $0.number > row.number } ?? rows.endIndex
        rows.insert(row, at: index)
        guard rows.count > Limits.seedRowsShownMax else { return }
        let accepted = Outcome.accepted.name.description
        rows.remove(at: rows.lastIndex { $0.outcome == accepted } ?? rows.count - 1)
    }
}
