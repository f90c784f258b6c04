/// The point at which an unfinished job goes on, as far as its files are concerned.
///
/// A checkpoint's last record and the files decide. The report itself is the log of finished rows:
/// each of its lines names one. So the record only has to tell which of its bytes can be believed.
package struct Recovery: Equatable, Sendable {
    /// The lengths to which the files are cut.
    package var lengths: OutputLengths
    /// Lines of the report that must be there and right; behind them the first one that is not whole
    /// ends it.
    package var certainReportBytes: Int
    /// The source of the rows that are in doubt.
    package var doubt: Doubt

    /// The source that knows which rows without a line may have been sent.
    package enum Doubt: Equatable, Sendable {
        /// The marks: the system has kept them.
        case marks
        /// Nothing for certain: every row up to this one.
        case everyRow(through: UInt64)
        /// The memory of a worker's folder: every row that it was granted.
        ///
        /// A row's number says nothing there, since the rows before it may be other workers'.
        case granted
    }

    /// The reason why a job cannot be carried on.
    package enum Refusal: Error, Equatable, Sendable {
        /// The report has lost lines that were in it.
        case reportShortened(size: Int, covered: Int)
        /// A file beside the report has lost lines.
        case sideFileShortened
        /// The machine has lost bytes that were not yet on its disk.
        case machineRestarted
        /// The marks no longer tell which of these rows were sent, and others may be wrong, too.
        case marksDamaged(rows: ClosedRange<UInt64>)
        /// A record is gone, and with it the news of rows that were sent.
        case recordLost
    }

    /// The state that a resumption finds.
    package struct Findings: Sendable {
        package var record: CheckpointRecord
        /// The machine's start now; see `CheckpointRecord.boot`.
        package var boot: UInt64
        /// The sizes of the files now.
        package var sizes: OutputLengths
        /// True if the job writes other files than the report.
        package var hasSideFiles: Bool
        /// True if the report is compressed, so that no line can be told from a torn write.
        package var isReportCompressed: Bool
        /// True if a row may be sent twice: `--delivery at-least-once`.
        package var mayRepeat: Bool
        /// The first rows whose marks are damaged or gone; `nil` if all are right.
        package var damagedRows: ClosedRange<UInt64>?
        /// True if there was another record, which may have been newer.
        package var isRecordLost: Bool
        /// True if the report is that of a worker of several, whose folder says which rows it was granted.
        package var isWorkers: Bool

        /// Collects the findings.
        package init(
            record: CheckpointRecord, boot: UInt64, sizes: OutputLengths = OutputLengths(),
            hasSideFiles: Bool = false, isReportCompressed: Bool = false, mayRepeat: Bool,
            damagedRows: ClosedRange<UInt64>? = nil, isRecordLost: Bool = false,
            isWorkers: Bool = false
        ) {
            self.record = record
            self.boot = boot
            self.sizes = sizes
            self.hasSideFiles = hasSideFiles
            self.isReportCompressed = isReportCompressed
            self.mayRepeat = mayRepeat
            self.damagedRows = damagedRows
            self.isRecordLost = isRecordLost
            self.isWorkers = isWorkers
        }
    }

    /// Decides where to go on.
    package static func decide(_ findings: Findings) -> Result<Recovery, Refusal> {
        let decision = byRecord(findings)
        guard case .success(var recovery) = decision,
            let damage = Self.damage(findings, recovery.doubt)
        else { return decision }
        guard findings.mayRepeat else { return .failure(damage) }
        // Every row without a line is sent again.
        recovery.doubt = .everyRow(through: 0)
        return .success(recovery)
    }

    private static func damage(_ findings: Findings, _ doubt: Doubt) -> Refusal? {
        // The folder says more than any record: nothing of these is asked for.
        if doubt == .granted { return nil }
        if findings.isRecordLost { return .recordLost }
        guard doubt == .marks, let rows = findings.damagedRows else { return nil }
        return .marksDamaged(rows: rows)
    }

    private static func byRecord(_ findings: Findings) -> Result<Recovery, Refusal> {
        let record = findings.record
        if record.isBeingReplaced { return afterReplacing(findings) }
        if record.boot == findings.boot || record.isAtRest { return afterProcess(findings) }
        if findings.isWorkers { return afterRestartOfWorkers(findings) }
        if record.isDurable {
            return checked(
                findings,
                Recovery(
                    lengths: record.covered, certainReportBytes: record.covered.report,
                    doubt: .everyRow(through: record.reservation)))
        }
        guard findings.mayRepeat else { return .failure(.machineRestarted) }
        // The best there is: what of the files has survived, and everything else again.
        return .success(
            Recovery(
                lengths: survived(findings, of: record.covered), certainReportBytes: 0,
                doubt: .everyRow(through: 0)))
    }

    /// Recovers from a restart of the machine, for a worker of several: its folder was on the disk before any row of a
    /// grant was sent.
    ///
    /// Whole lines count. The disk had those that the server was told of, and the rows of all others are in doubt.
    private static func afterRestartOfWorkers(
        _ findings: Findings
    ) -> Result<Recovery, Refusal> {
        let (record, size) = (findings.record, findings.sizes.report)
        // Its header was on the disk before anything was sent, so it was moved away.
        if size == 0 && record.covered.report > 0 {
            return .failure(.reportShortened(size: size, covered: record.covered.report))
        }
        // The disk may have confirmed lines behind those that the last record covers, and the server has heard so.
        let isWhole = size >= record.intended.report
        return checked(
            findings,
            Recovery(
                lengths: survived(findings, of: isWhole ? record.intended : record.covered),
                certainReportBytes: record.isDurable ? record.covered.report : 0, doubt: .granted))
    }

    /// The bytes of the files beside the report that may have survived, and all of the report.
    private static func survived(_ findings: Findings, of lengths: OutputLengths) -> OutputLengths {
        let sizes = findings.sizes
        return OutputLengths(
            retryRows: min(sizes.retryRows, lengths.retryRows),
            unregistered: min(sizes.unregistered, lengths.unregistered), report: sizes.report)
    }

    /// Recovers from a replacement of the report, which is as the job has left it, or in order: all
    /// of either is there.
    private static func afterReplacing(_ findings: Findings) -> Result<Recovery, Refusal> {
        let (record, size) = (findings.record, findings.sizes.report)
        guard [record.covered.report, record.intended.report].contains(size) else {
            return .failure(.reportShortened(size: size, covered: record.covered.report))
        }
        var lengths = record.covered
        lengths.report = size
        return checked(
            findings, Recovery(lengths: lengths, certainReportBytes: size, doubt: .marks))
    }

    /// Recovers from the end of the process alone: all bytes that it wrote are there.
    private static func afterProcess(_ findings: Findings) -> Result<Recovery, Refusal> {
        let (record, size) = (findings.record, findings.sizes.report)
        var lengths = record.covered
        if size >= record.intended.report {
            lengths = record.intended
        } else if !findings.hasSideFiles && !findings.isReportCompressed {
            // Torn in the middle of a write: its whole lines count.
            lengths.report = size
        }
        // Otherwise the lines of a torn write are given up, since what belongs to them in the other
        // files cannot be told apart, or nothing comes out of a torn member; their rows are in doubt.
        return checked(
            findings,
            Recovery(
                lengths: lengths, certainReportBytes: record.covered.report, doubt: .marks))
    }

    private static func checked(
        _ findings: Findings, _ recovery: Recovery
    ) -> Result<Recovery, Refusal> {
        let (sizes, lengths) = (findings.sizes, recovery.lengths)
        if sizes.report < recovery.certainReportBytes {
            return .failure(
                .reportShortened(size: sizes.report, covered: recovery.certainReportBytes))
        }
        if sizes.unregistered < lengths.unregistered || sizes.retryRows < lengths.retryRows {
            return .failure(.sideFileShortened)
        }
        return .success(recovery)
    }
}
