import FanfareBase
import FanfareCore
import FanfareSystem

/// A job whose files are open: a new one, or the continuation of an unfinished one.
struct JobOpening {
    let plan: PreparedJob
    let laneSettings: [LaneSettings]
    let journal: ReportJournal<FileSystem>
    /// The results of earlier runs; `nil` for a new job.
    var resumption: Resumption?
    /// True if the run before has ended without a word.
    var isRecovery = false
    /// Notices for people about the continuation, in sentences.
    var notices: [Statement] = []

    /// Opens the files that a configuration requires.
    ///
    /// It changes nothing until it has made all checks that can fail.
    static func open(_ configuration: Configuration) throws(FanfareError) -> JobOpening {
        let report = configuration.report
        if canBeResumed(report.path) {
            try PreparedJob.checkOrder(configuration)
            return report.resumes ? try resume(configuration) : try begin(configuration)
        }
        guard !report.resumes else {
            let subject =
                switch report.path {
                case ReportOptions.noFile: "there is none"
                case "-": "standard output cannot"
                default: "\(report.path) cannot"
                }
            throw FanfareError(
                .configuration,
                "\(.resumes) needs a report that can be read again, and \(subject)")
        }
        let plan = try newPlan(configuration)
        return JobOpening(
            plan: plan, laneSettings: try plan.laneSettings(),
            journal: ReportJournal(
                try OutputFiles(
                    plan.outputs, overwrites: report.overwrites,
                    collectingIn: report.isOrdered ? OutputFiles.collectingFolder : nil)))
    }

    /// Another job may have the files, and carry this one on.
    func letGo() { journal.letGo() }

    /// Returns true if a report is, or will be, a file that can be read again.
    static func canBeResumed(_ path: String) -> Bool {
        guard path != ReportOptions.noFile, path != "-", !OutputFile.isDevice(path) else {
            return false
        }
        guard let status = try? FileDescriptor.status(of: path) else { return true }
        return status.isRegular
    }

    static func newPlan(_ configuration: Configuration) throws(FanfareError) -> PreparedJob {
        var generator = SystemRandomNumberGenerator()
        let bits = configuration.cluster?.identity ?? generator.next()
        var plan = try PreparedJob(configuration, identity: JobIdentity(bits: bits))
        try plan.surveyInputs()
        try plan.surveyRows()
        return plan
    }

    // MARK: A new job

    private static func begin(_ configuration: Configuration) throws(FanfareError) -> JobOpening {
        let report = configuration.report
        try ReportOrdering.prove(report)
        let checkpointPath = report.path + CheckpointFile.suffix
        let hadCheckpoint = FileDescriptor.exists(checkpointPath)
        let plan = try newPlan(configuration)
        let laneSettings = try plan.laneSettings()
        if !report.overwrites, FileDescriptor.exists(report.path) {
            guard hadCheckpoint else { throw OutputFiles.alreadyThere(report.path, .report) }
            let isWorkers = try told(\.inputFileError) { () throws(FileError) in
                try ClusterFolderFile(besideReport: report.path).isWorkers
            }
            if isWorkers { throw isWorkersReport(report.path) }
            throw FanfareError(
                .configuration,
                "\(report.path) is the report of a job that is not finished; \(.resumes) carries "
                    + "it on, \(.overwrites) starts it anew, \(.reportPath, any: "FILE") names "
                    + "another one")
        }
        return try begin(
            plan, laneSettings, try openCheckpoint(of: report.path), overwrites: report.overwrites,
            hadCheckpoint: hadCheckpoint)
    }

    /// Begins a job whose checkpoint is open and belongs to no other job that could be carried on.
    ///
    /// If that fails, it leaves nothing that a later run would take for a job that has begun.
    /// - Parameters:
    ///   - plan: The job.
    ///   - laneSettings: The settings of its lanes.
    ///   - opened: Its checkpoint.
    ///   - overwrites: True if its files may exist.
    ///   - hadCheckpoint: True if the checkpoint existed before.
    /// - Returns: The job's files, open.
    /// - Throws: `FanfareError` when one of them cannot be made.
    static func begin(
        _ plan: PreparedJob, _ laneSettings: [LaneSettings], _ opened: consuming OpenedCheckpoint,
        overwrites: Bool, hadCheckpoint: Bool
    ) throws(FanfareError) -> JobOpening {
        let path = opened.path
        var (files, isChanged): (OutputFiles?, Bool) = (nil, !hadCheckpoint)
        do throws(FanfareError) {
            let fingerprint = Array(try JobFingerprint(plan).json.utf8)
            guard fingerprint.count <= Limits.fingerprintBytesMax else {
                throw FanfareError(
                    .configuration,
                    "the names of \(plan.configuration.inputs.count) inputs are too much for one job"
                )
            }
            let leftover = try leftover(beside: plan.configuration)
            let made = try OutputFiles(plan.outputs, overwrites: overwrites) {
                () throws(FanfareError) in
                if let beginning = plan.configuration.cluster?.beginning {
                    _ = try ClusterInputs(plan.source)
                    try beginning.make()
                }
                // From here on the earlier content is gone.
                isChanged = true
                try told(\.outputError) { () throws(FileError) in
                    try leftover?.remove()
                    try opened.begin(
                        fingerprint,
                        layout: plan.configuration.hasFilesOnly ? .marks : .marksAndChecks)
                }
            }
            files = made
            return try begin(plan, laneSettings, opened, made)
        } catch {
            // There is an error to be told already.
            if !overwrites { files?.remove() }
            if isChanged { try? FileDescriptor.remove(path) }
            throw error
        }
    }

    /// The file that a worker has left beside the report of a job which begins; `nil` if there is none.
    ///
    /// It is about rows of another job: nothing may take them for rows of this one.
    /// - Throws: `FanfareError` if the job has a worker, and a file of the user's has the name of the worker's.
    private static func leftover(
        beside configuration: Configuration
    ) throws(FanfareError) -> ClusterFolderFile? {
        let file = ClusterFolderFile(besideReport: configuration.report.path)
        let isWorkers = try told(\.outputError) { () throws(FileError) in try file.isWorkers }
        if isWorkers { return file }
        guard configuration.cluster == nil || !FileDescriptor.exists(file.path) else {
            throw FanfareError(
                .configuration,
                "no worker has written \(file.path), and this one needs a file of that name beside its report: "
                    + "move it away; \(.reportPath, any: "FILE") names another report")
        }
        return nil
    }

    private static func begin(
        _ plan: PreparedJob, _ laneSettings: [LaneSettings], _ opened: consuming OpenedCheckpoint,
        _ files: OutputFiles
    ) throws(FanfareError) -> JobOpening {
        do throws(FileError) {
            let checkpoint = try CheckpointFile(
                opened, record: CheckpointRecord(),
                isDurable: plan.configuration.report.durability == .full)
            let journal = ReportJournal(files, checkpoint: checkpoint)
            try journal.begin()
            return JobOpening(plan: plan, laneSettings: laneSettings, journal: journal)
        } catch {
            throw FanfareError(.output, message: error.sentence)
        }
    }

    /// Opens and locks the checkpoint of a report.
    static func openCheckpoint(of report: String) throws(FanfareError) -> OpenedCheckpoint {
        do throws(FileError) {
            if let opened = try OpenedCheckpoint.open(report + CheckpointFile.suffix) {
                return opened
            }
        } catch {
            // The report is not there either.
            guard error.kind != .notFound else {
                throw FanfareError(.output, "\(report) cannot be created: \(error.reason)")
            }
            throw FanfareError(.output, message: error.sentence)
        }
        throw OutputFiles.isTaken(report, .report)
    }
}
