import FanfareBase
import FanfareCore
import FanfareSystem

/// Carrying on with an unfinished job.
extension JobOpening {
    static func resume(_ configuration: Configuration) throws(FanfareError) -> JobOpening {
        let path = configuration.report.path
        guard FileDescriptor.exists(path + CheckpointFile.suffix) else {
            return try beginFirst(configuration)
        }
        let opened = try openCheckpoint(of: path)
        guard let record = opened.record, let earlier = JobFingerprint(json: opened.fingerprint)
        else { return try beginAgain(configuration, opened) }
        if configuration.cluster == nil { try checkIsNoWorkers(path, earlier) }
        let plan = try PreparedJob(
            configuration, identity: JobIdentity(bits: earlier.jobBits), started: earlier.started,
            headBytes: Int(clamping: earlier.head.bytes))
        for case .sqlite(let database, let selection) in configuration.inputs {
            guard let word = selection.changing else { continue }
            throw FanfareError(
                .configuration,
                "\(.resumes) needs the same rows in the same order, and the query of \(database) "
                    + "has \(word). Go on with another \(.reportPath) and a query that leaves out "
                    + "the rows with a line in \(path); rows in flight at the end have none")
        }
        let fingerprint = try JobFingerprint(plan)
        let changed = ChangedInputs(fingerprint, since: earlier, configuration)
        if let difference = fingerprint.difference(from: earlier, changedFrom: changed?.first) {
            throw isAnotherJob(configuration, difference)
        }
        let laneSettings = try plan.laneSettings()
        try plan.surveyQuotes()
        return try carryOn(plan, laneSettings, opened, record, changed)
    }

    /// Checks that a report is not that of a worker, since the others may have sent the rows that it has no line for.
    private static func checkIsNoWorkers(
        _ path: String, _ earlier: JobFingerprint
    ) throws(FanfareError) {
        let file = ClusterFolderFile(besideReport: path)
        let isWorkers = try told(\.inputFileError) { () throws(FileError) in
            try file.mayBelong(toJob: earlier.jobBits)
        }
        if isWorkers { throw isWorkersReport(path) }
    }

    /// Returns the error of a job on one machine about the report of a worker.
    static func isWorkersReport(_ path: String) -> FanfareError {
        FanfareError(
            .configuration,
            "\(path) is the report of a worker of several machines, and the others may have sent the rows that it "
                + "has no line for. Go on with \(.cluster) and \(.clusterJob) of the job that it is a part of; "
                + "\(.overwrites) sends everything again, also what the others have sent")
    }

    /// Without a checkpoint a job is finished, or it has never begun: then its files have no line.
    private static func beginFirst(
        _ configuration: Configuration
    ) throws(FanfareError) -> JobOpening {
        let path = configuration.report.path
        var configuration = configuration
        configuration.report.resumes = false
        guard FileDescriptor.exists(path) else { return try open(configuration) }
        try ReportOrdering.prove(configuration.report)
        let plan = try newPlan(configuration)
        if let spec = try begun(plan) {
            guard spec.kind == .report else { throw OutputFiles.alreadyThere(spec.path, spec.kind) }
            throw FanfareError(
                .configuration,
                "there is nothing to resume: \(path) has no checkpoint beside it, as a job leaves it that "
                    + "is done. \(.overwrites) sends everything again, "
                    + "\(.reportPath, any: "FILE") keeps it")
        }
        return try begin(
            plan, try plan.laneSettings(), try openCheckpoint(of: path), overwrites: true,
            hadCheckpoint: false)
    }

    /// The first file that has more than the beginning of its header, the report first.
    ///
    /// One that was cut off anywhere while it was begun has not.
    private static func begun(_ plan: PreparedJob) throws(FanfareError) -> OutputSpec? {
        if plan.configuration.report.overwrites { return nil }
        for spec in plan.outputs {
            if try spec.hasLines { return spec }
            _ = try spec.split?.parts.stale(overwrites: false)
        }
        return nil
    }

    /// A run that ended before it could send anything has left nothing to carry on.
    private static func beginAgain(
        _ configuration: Configuration, _ opened: consuming OpenedCheckpoint
    ) throws(FanfareError) -> JobOpening {
        guard !opened.isForeign else {
            throw FanfareError(
                .configuration,
                "\(opened.path) was made by another version of Fanfare, which can carry the job on; "
                    + "\(.overwrites) starts it anew, \(.reportPath, any: "FILE") keeps it")
        }
        guard !opened.hasBegun else { throw isDamaged(opened.path, configuration.report) }
        try ReportOrdering.prove(configuration.report)
        let plan = try newPlan(configuration)
        // Another job's report: this one ended before it had so much as looked at it.
        if let spec = try begun(plan) {
            throw FanfareError(
                .configuration,
                "\(opened.path) belongs to a job that never began, and \(spec.path) to another one; "
                    + "\(.overwrites) replaces it, \(spec.kind.setting, any: "FILE") names "
                    + "another one")
        }
        let laneSettings = try plan.laneSettings()
        // A report is begun when its checkpoint is ready: a kill leaves no less than that beside it. One without
        // a header is there before, and is no different then.
        if !configuration.report.overwrites,
            let report = plan.outputs.first(where: { $0.kind == .report }),
            try report.hasBeginning
        {
            let isUnfinished = opened.isUnfinished
            guard opened.isReady || report.beginsEmpty && isUnfinished else {
                throw isDamaged(opened.path, configuration.report)
            }
            // The checkpoint is about to be made anew: killed then, it is not ready, and nothing was sent.
            try empty(report.path)
        }
        var opening = try begin(
            plan, laneSettings, opened, overwrites: true, hadCheckpoint: true)
        opening.notices = [
            "the run before ended before it could send anything for "
                + "\(configuration.report.path), so the job begins"
        ]
        return opening
    }

    private static func isDamaged(_ path: String, _ report: ReportOptions) -> FanfareError {
        FanfareError(
            .configuration,
            "\(path) is damaged, so it cannot say which rows were sent; what "
                + "\(report.path) has no line for may have been sent or not")
    }

    private static func carryOn(
        _ plan: PreparedJob, _ laneSettings: [LaneSettings], _ opened: consuming OpenedCheckpoint,
        _ record: CheckpointRecord, _ changed: ChangedInputs?
    ) throws(FanfareError) -> JobOpening {
        let report = plan.configuration.report
        if !record.isBeingOrdered { try ReportOrdering.prove(report) }
        let found = try found(plan, record, opened)
        let granted =
            try found.recovery.doubt == .granted ? granted(plan, found.scan) : RowIntervals()
        var nextRecord = record
        if let changed { try take(changed, plan, found, into: &opened, &nextRecord) }
        let files = try OutputFiles(plan.outputs, continuingAt: found.recovery.lengths)
        // The first record of this run says no more whose the copy is.
        if record.isBeingOrdered { try ReportOrdering.removeCopy(of: report.path) }
        do throws(FileError) {
            let checkpoint = try CheckpointFile(
                opened, record: nextRecord, isDurable: report.durability == .full)
            let journal = ReportJournal(files, checkpoint: checkpoint)
            return JobOpening(
                plan: plan, laneSettings: laneSettings, journal: journal,
                resumption: try journal.carryOn(found, granted: granted),
                isRecovery: !record.isAtRest,
                notices: (changed?.notices ?? []) + notices(ofDoubt: granted, found.scan))
        } catch {
            throw FanfareError(.output, message: error.sentence)
        }
    }

    /// Removes the bytes that a run that never began has left in its report.
    private static func empty(_ path: String) throws(FanfareError) {
        let isOurs = try told(\.outputError) { () throws(FileError) in
            let file = try OutputFile(path, mayExist: true)
            let isOurs = try file.first.tryLock()
            if isOurs { try file.cut(toLength: 0) }
            return isOurs
        }
        guard isOurs else { throw OutputFiles.isTaken(path, .report) }
    }

    /// Reads the files back.
    private static func found(
        _ plan: PreparedJob, _ record: CheckpointRecord, _ opened: borrowing OpenedCheckpoint
    ) throws(FanfareError) -> FoundJournal {
        let damagedRows = try told(\.inputFileError) { () throws(FileError) in
            try opened.damagedRows(in: record)
        }
        let findings = Recovery.Findings(
            record: record, boot: Machine.boot,
            mayRepeat: plan.configuration.mayRepeat, damagedRows: damagedRows,
            isRecordLost: opened.isRecordLost,
            isWorkers: plan.configuration.cluster?.identity == plan.identity.bits)
        do throws(FoundJournal.Obstacle) {
            return try FoundJournal(
                plan.outputs, on: FileSystem(), format: plan.preparation.report,
                variants: plan.configuration.variantNames, findings)
        } catch {
            throw Self.error(error, plan.configuration)
        }
    }

    /// Says how many rows of a worker are in doubt because the machine was started anew.
    private static func notices(ofDoubt granted: RowIntervals, _ scan: ReportScan) -> [Statement] {
        let count = granted.spans.reduce(0) { $0 + scan.rows.missing(in: $1).count }
        guard count > 0 else { return [] }
        return [
            "the machine was started anew, and \(count) rows that this worker was granted may have been sent before: "
                + "they get lines that say unknown, and no worker sends them"
        ]
    }

    /// The rows, counted from 1, that a worker's folder was granted and that are not settled.
    ///
    /// The folder is written before its process joins, so one without it has sent nothing.
    private static func granted(
        _ plan: PreparedJob, _ scan: ReportScan
    ) throws(FanfareError) -> RowIntervals {
        let path = plan.configuration.report.path
        let file = ClusterFolderFile(besideReport: path)
        if let folder = try file.read(ofJob: plan.identity.bits) {
            return folder.heldRows.counted(from: 1)
        }
        guard scan.tally.finished == 0 else { throw ClusterEntrance.isNoWorkers(path) }
        return RowIntervals()
    }

    private static func error(
        _ obstacle: FoundJournal.Obstacle, _ configuration: Configuration
    ) -> FanfareError {
        let report = configuration.report
        return switch obstacle {
        case .unreadable(let error): error
        case .refused(let refusal):
            switch refusal {
            case .reportShortened, .sideFileShortened:
                FanfareError(.configuration, message(refusal, report)).onward(from: configuration)
            case .machineRestarted, .marksDamaged, .recordLost:
                FanfareError(
                    .configuration,
                    message(refusal, report)
                        + remedy(refusal, isShared: configuration.cluster != nil))
            }
        case .changed:
            FanfareError(
                .configuration,
                "\(report.path) is not as the job has left it: it was changed since, so what its "
                    + "lines say of rows cannot be relied on")
        case .line(let file, let number, let text):
            FanfareError(
                .configuration, "\(file) is not as the job has left it: line \(number): \(text)")
        }
    }

    private static func message(_ refusal: Recovery.Refusal, _ report: ReportOptions) -> Statement {
        switch refusal {
        case .reportShortened(let size, let covered):
            "\(report.path) has \(size) bytes, and the job has written \(covered): lines are "
                + "missing, and with them the knowledge of what was sent. If it was moved away, move "
                + "it back; if not, the job cannot be carried on. "
                + FileChange.newJob(report: report.path)
                + "; those whose lines are missing would get it again"
        case .sideFileShortened:
            "a file beside \(report.path) is shorter than the job has left it: lines are missing. If "
                + "it was moved away, move it back; if not, the job cannot be carried on. "
                + FileChange.newJob(report: report.path)
        case .machineRestarted:
            "the machine was started anew since the job ended without a word, and what it wrote "
                + "last may be lost: rows may have been sent that \(report.path) knows nothing of. "
        case .marksDamaged(let rows):
            "\(report.path)\(CheckpointFile.suffix) is damaged where it says which of rows "
                + "\(rows.lowerBound) to \(rows.upperBound) were sent, and maybe elsewhere: rows may have "
                + "been sent that \(report.path) knows nothing of. "
        case .recordLost:
            "\(report.path)\(CheckpointFile.suffix) is damaged, and what it said last is lost: rows may "
                + "have been sent that \(report.path) knows nothing of. "
        }
    }

    /// The way on from a doubt that nothing can clear.
    private static func remedy(_ refusal: Recovery.Refusal, isShared: Bool) -> Statement {
        // A shared job sends each row at most once.
        guard !isShared else {
            return
                "Have the others write the rows of this worker off (fanfare cluster write-off), and start it with another "
                + "\(.reportPath)"
        }
        let remedy: Statement =
            "\(.delivery, Delivery.atLeastOnce) carries on and may send those again"
        guard case .machineRestarted = refusal else { return remedy }
        return remedy + " (\(.durability, Durability.full) avoids the doubt)"
    }
}
