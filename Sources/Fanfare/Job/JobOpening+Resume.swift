import FanfareCore
import FanfareLoop

/// Carrying on with an unfinished job.
extension JobOpening {
    static func resume(_ configuration: Configuration) throws(FanfareError) -> JobOpening {
        let path = configuration.report.path
        guard FileDescriptor.exists(path + CheckpointFile.suffix) else {
            guard !FileDescriptor.exists(path) else {
                throw FanfareError(
                    .configuration,
                    "the job of \(path) is finished: it has no checkpoint, so there is nothing to "
                        + "resume. --overwrite sends everything again, --report FILE keeps it")
            }
            var configuration = configuration
            configuration.report.resumes = false
            return try open(configuration)
        }
        let opened = try openCheckpoint(of: path)
        guard let record = opened.record, let earlier = JobFingerprint(json: opened.fingerprint)
        else { return try beginAgain(configuration, opened) }
        let plan = try JobPlan(
            configuration, identity: JobIdentity(bits: earlier.jobBits), started: earlier.started,
            headBytes: Int(clamping: earlier.head.bytes))
        for case .sqlite(let database, let selection) in configuration.inputs {
            guard let word = selection.changing else { continue }
            throw FanfareError(
                .configuration,
                "--resume needs the same rows in the same order, and the query of \(database) has "
                    + "\(word). Go on with another --report and a query that leaves out who has a "
                    + "line in \(path); who was in flight at the end has none")
        }
        if let difference = try JobFingerprint(plan).difference(from: earlier) {
            throw FanfareError(
                .configuration,
                "--resume would not carry on the job that wrote \(path): \(difference). Go on with "
                    + "what it was then, or start anew with --overwrite")
        }
        let laneSettings = try plan.laneSettings()
        return try carryOn(plan, laneSettings, opened, record)
    }

    /// A run that ended before it could send anything has left nothing to carry on.
    private static func beginAgain(
        _ configuration: Configuration, _ opened: consuming OpenedCheckpoint
    ) throws(FanfareError) -> JobOpening {
        guard !opened.hasBegun else {
            throw FanfareError(
                .configuration,
                "\(opened.path) is damaged, so nobody can say which rows were sent; what "
                    + "\(configuration.report.path) has no line for may have been sent or not")
        }
        let plan = try newPlan(configuration)
        let path = configuration.report.path
        let size = (try? FileDescriptor.status(of: path).bytes) ?? 0
        let header = Array(plan.preparation.report.header.utf8)
        let beginning = unsafe header.withUnsafeBufferPointer {
            unsafe OutputFile.beginning($0, OutputFile.compression(ofPath: path))
        }
        // Another job's report: this one ended before it had so much as looked at it.
        guard size <= UInt64(beginning.count) else {
            throw FanfareError(
                .configuration,
                "\(opened.path) belongs to a job that never began, and \(path) to another one; "
                    + "--overwrite replaces it, --report FILE names another one")
        }
        return try begin(plan, try plan.laneSettings(), opened, overwrites: true)
    }

    private static func carryOn(
        _ plan: JobPlan, _ laneSettings: [LaneSettings], _ opened: consuming OpenedCheckpoint,
        _ record: CheckpointRecord
    ) throws(FanfareError) -> JobOpening {
        let report = plan.configuration.report
        var recovery = try recovery(plan, record)
        let compression = OutputFile.compression(ofPath: report.path)
        if case .everyRow = recovery.doubt, recovery.certainReportBytes == 0 {
            try cutToMembers(&recovery.lengths, of: plan.outputs)
        }
        let scan = try ReportScan(
            parts: plan.outputs.filter { $0.kind == .report }
                .flatMap { $0.parts(within: recovery.lengths.report) }.map { (.file($0), $1) },
            format: plan.preparation.report, compression: compression)
        if let fault = recovery.take(scan) {
            throw FanfareError(
                .configuration,
                "\(scan.faultName) is not as the job has left it: line \(fault.line): "
                    + fault.text)
        }
        let files = try OutputFiles(plan.outputs, continuingAt: recovery.lengths)
        do throws(FileError) {
            let checkpoint = try CheckpointFile(
                opened, record: record, isDurable: report.durability == .full)
            if case .everyRow(let last) = recovery.doubt {
                try checkpoint.replaceMarks(through: last) { scan.rows.contains($0) }
            }
            // Lines that are found may not have reached the disk, though they are certain now.
            try files.synchronize()
            try checkpoint.begin(at: files.lengths)
            let resumption = Resumption(
                scan, marks: checkpoint.marks, lastMarkedRow: checkpoint.lastMarkedRow)
            return JobOpening(
                plan: plan, laneSettings: laneSettings, files: files, checkpoint: checkpoint,
                resumption: resumption)
        } catch {
            throw FanfareError(.output, error.sentence)
        }
    }

    /// Nothing could be written on behind a member that is torn.
    private static func cutToMembers(
        _ lengths: inout OutputLengths, of outputs: [OutputSpec]
    ) throws(FanfareError) {
        for spec in outputs {
            guard let compression = OutputFile.compression(ofPath: spec.path),
                lengths[spec.kind] > 0
            else { continue }
            var whole = 0
            for (path, bytes) in spec.parts(within: lengths[spec.kind]) {
                let found = try ReportScan.wholeMembers(
                    of: .file(path), compression, within: bytes)
                whole += found
                if found < bytes { break }
            }
            lengths[spec.kind] = whole
        }
    }

    /// Where the job goes on, as far as its files are concerned.
    private static func recovery(
        _ plan: JobPlan, _ record: CheckpointRecord
    ) throws(FanfareError) -> Recovery {
        var sizes = OutputLengths()
        for spec in plan.outputs {
            sizes[spec.kind] = spec.parts(within: .max).reduce(0) { $0 + $1.bytes }
        }
        let findings = Recovery.Findings(
            record: record, boot: Machine.boot, sizes: sizes,
            hasSideFiles: plan.outputs.count > 1,
            isReportCompressed: OutputFile.compression(ofPath: plan.configuration.report.path)
                != nil,
            mayRepeat: plan.configuration.engine.mayRepeat)
        switch Recovery.decide(findings) {
        case .success(let recovery): return recovery
        case .failure(let refusal):
            throw FanfareError(.configuration, message(refusal, plan.configuration.report))
        }
    }

    private static func message(_ refusal: Recovery.Refusal, _ report: ReportOptions) -> String {
        switch refusal {
        case .reportShortened(let size, let covered):
            "\(report.path) has \(size) bytes, and the job has written \(covered): lines are "
                + "missing, and with them the knowledge of what was sent"
        case .sideFileShortened:
            "a file beside \(report.path) is shorter than the job has left it: lines are missing"
        case .machineRestarted:
            "the machine was started anew since the job ended without a word, and what it wrote "
                + "last may be lost: rows may have been sent that \(report.path) knows nothing of. "
                + "--delivery at-least-once carries on and may send those again "
                + "(--durability full avoids the doubt)"
        }
    }
}
