import FanfareBase
import FanfareCore
import FanfarePostgres
import FanfareSystem

/// The way of a process into a job of several workers: it finds the job before its files are opened, and joins when
/// they are.
struct ClusterEntrance {
    private let options: ClusterOptions
    private let engine: ClusterEngine
    private let hadCheckpoint: Bool
    private let file: ClusterFolderFile
    /// Sentences for people: about a server that may forget what it has promised, and about a rate that does not count.
    let warnings: [String]
    /// The reason for which a worker that comes back cannot join; `nil` if it can.
    ///
    /// It writes lines for what earlier processes of its folder may have sent, and ends.
    let refusal: FanfareError?

    /// Finds the job on the server, or has it be made when its files are open; nothing happens for a job of its own.
    /// - Throws: `FanfareError` with code `configuration`, or `stopped` if the server has lost the job.
    init?(_ configuration: inout Configuration) throws(FanfareError) {
        guard let options = configuration.cluster else { return nil }
        try Self.check(configuration)
        let report = configuration.report
        let hadCheckpoint = FileDescriptor.exists(report.path + CheckpointFile.suffix)
        let file = ClusterFolderFile(besideReport: report.path)
        // A worker that comes back goes on with its folder, without another word.
        configuration.report.resumes = !report.overwrites
        // An order may give the job a rate.
        configuration.engine.rateMayChange = true
        let engine = ClusterEngine(options.address, workerName: options.worker, report: report.path)
        engine.naming = configuration.naming
        // No job is made in place of the one that the folder is a part of: its rows may have been sent.
        let isBack = !report.overwrites && FileDescriptor.exists(report.path)
        let earlier = try isBack || hadCheckpoint && !report.overwrites ? file.read()?.job : nil
        var generator = SystemRandomNumberGenerator()
        let identity = generator.next() & 0x0FFF_FFFF_FFFF_FFFF
        let (entry, now) = try told({ FanfareError($0) }) { () throws(PostgresError) in
            try engine.find(
                options.job, deadline: MachineClock.now.advanced(by: .seconds(15)))
        }
        refusal = try Self.refusal(of: entry, options.job, report.path, earlier, engine)
        if let refusal {
            // One that was done has nothing to add.
            guard let earlier, hadCheckpoint else { throw refusal }
            configuration.cluster?.identity = earlier
            configuration.cluster?.began = now
            warnings = []
            (self.options, self.engine, self.hadCheckpoint) = (options, engine, hadCheckpoint)
            self.file = file
            return
        }
        let found =
            entry ?? ClusterEngine.Entry(identity: identity, began: now, isFinished: false)
        configuration.cluster?.beginning =
            entry == nil
            ? Self.beginning(of: options.job, on: engine, as: found) : nil
        configuration.cluster?.identity = found.identity
        configuration.cluster?.began = found.began
        if found.isFinished && !hadCheckpoint {
            throw try Self.isFinished(configuration, options, engine, found.fingerprint)
        }
        let standbys = engine.standbysBehind(
            deadline: MachineClock.now.advanced(by: .seconds(5)))
        let rate = try Self.rate(configuration)
        warnings = [
            Self.warning(standbys: standbys),
            found.fingerprint != nil
                ? Self.warning(rate: rate, of: options.job, with: found.rate) : nil,
        ].compactMap(\.self)
        self.options = options
        self.engine = engine
        self.hadCheckpoint = hadCheckpoint
        self.file = file
    }

    /// Returns the reason for which a worker cannot join the job that the server has under a name; `nil` if it can.
    /// - Parameters:
    ///   - entry: The job there; `nil` if there is none.
    ///   - job: The name.
    ///   - report: The worker's report.
    ///   - earlier: The identity of the job that its folder is a part of; `nil` if it was in none.
    ///   - engine: The server.
    /// - Returns: The reason.
    /// - Throws: `FanfareError` if the server cannot be asked.
    private static func refusal(
        of entry: ClusterEngine.Entry?, _ job: String, _ report: String, _ earlier: UInt64?,
        _ engine: ClusterEngine
    ) throws(FanfareError) -> FanfareError? {
        guard let earlier else { return entry?.isRemoved == true ? .jobIsRemoved(job) : nil }
        if let entry, entry.identity == earlier { return nil }
        let name = try told({ FanfareError($0) }) { () throws(PostgresError) in
            try engine.name(
                ofJob: earlier, deadline: MachineClock.now.advanced(by: .seconds(15)))
        }
        if let name { return isOfAnotherJob(report, job, is: ClusterControl.shown(name)) }
        guard let entry else { return .jobIsLost(job, report: report) }
        return entry.isRemoved ? .jobIsRemoved(job) : isOfAnotherJob(report, job)
    }

    /// The making of a job that was not there when a worker looked for it.
    private static func beginning(
        of job: String, on engine: ClusterEngine, as entry: ClusterEngine.Entry
    ) -> ClusterBeginning {
        ClusterBeginning { () throws(FanfareError) in
            let found = try told({ FanfareError($0) }) { () throws(PostgresError) in
                try engine.enter(
                    job, as: entry.identity, began: entry.began,
                    deadline: MachineClock.now.advanced(by: .seconds(15)))
            }
            return found?.identity == entry.identity
        }
    }

    /// The warning of a number of standbys that the server does not wait for.
    static func warning(standbys: Int) -> String? {
        guard standbys > 0 else { return nil }
        let subject = standbys == 1 ? "a standby" : "\(standbys) standbys"
        return "the cluster's server has \(subject), and waits for none before it promises rows "
            + "(synchronous_standby_names is empty): if one takes over, rows may be sent twice"
    }

    /// The warning of a rate that does not count.
    /// - Parameters:
    ///   - rate: The rate that this worker was given, in millionths of a start per second.
    ///   - job: The job's name.
    ///   - present: The rate of all workers together.
    /// - Returns: The warning; `nil` if the rate is that of the job, or none was given.
    static func warning(rate: Int64?, of job: String, with present: Int64?) -> String? {
        guard let rate, rate != present else { return nil }
        let whole = present.map { units in
            let whole = units / ShareRule.unitsPerStart
            let isWhole = units % ShareRule.unitsPerStart == 0
            let rate = isWhole ? "\(whole)" : "\(Double(units) / Double(ShareRule.unitsPerStart))"
            return "a rate of \(rate)/s"
        }
        return
            "\(job) has \(whole ?? "no rate") for all of its workers together, and the one that is given here does not "
            + "count; fanfare cluster rate changes it for all"
    }

    /// The rate in millionths of a start per second; `nil` for none.
    private static func rate(_ configuration: Configuration) throws(FanfareError) -> Int64? {
        try PreparedJob.pace(configuration).map { pace in
            Int64(
                clamping: UInt128(pace.count) * 1_000_000_000 * UInt128(ShareRule.unitsPerStart)
                    / UInt128(pace.period))
        }
    }

    /// Makes the worker of a job whose files are open.
    func join(_ opening: JobOpening) throws(FanfareError) -> ClusterWorkerJob {
        let inputs = try ClusterInputs(opening.plan.source)
        let path = opening.plan.configuration.report.path
        let place = try told(\.outputError) { () throws(FileError) in
            let identity = try FileDescriptor.identity(of: path + CheckpointFile.suffix)
            return ClusterPlace(
                host: Self.host, boot: Machine.boot,
                file: identity.0 &* 0x9E37_79B9_7F4A_7C15 ^ identity.1)
        }
        var generator = SystemRandomNumberGenerator()
        let bits = UInt128(generator.next() as UInt64) << 64 | UInt128(generator.next() as UInt64)
        var folder = ClusterFolder(worker: WorkerID(bits: bits))
        if hadCheckpoint, let resumption = opening.resumption {
            if let found = try file.read(ofJob: opening.plan.identity.bits) {
                folder = found
            } else if resumption.tally.finished > 0 {
                throw Self.isNoWorkers(path)
            }
        }
        guard opening.plan.identity.bits == opening.plan.configuration.cluster?.identity else {
            throw Self.isOfAnotherJob(path, options.job)
        }
        folder.job = opening.plan.identity.bits
        let settings = try Self.settings(
            of: opening.plan, options, laneSettings: opening.laneSettings)
        engine.settings = settings.text
        let terms = ClusterTerms(
            fingerprint: try JobFingerprint(opening.plan).digest(cutRows: options.cutRows),
            protocolVersion: ClusterTerms.ownProtocol,
            rate: try Self.rate(opening.plan.configuration), policy: settings.policy)
        let member = ClusterMember(
            folder: folder, place: place, terms: terms,
            protocols: ClusterTerms.ownProtocol...ClusterTerms.ownProtocol,
            patience: options.patience, seed: generator.next())
        let desk = ClusterDesk(
            options, engine, file: file, member: member,
            lineCount: opening.resumption?.tally.finished ?? 0)
        opening.plan.source.granted = ClusterRows(
            inputs, desk, meter: opening.plan.source.meter)
        return ClusterWorkerJob(desk: desk, inputs: inputs, reportPath: path)
    }

    /// Returns the end of a worker that comes to a finished job and has no rows of it: no error, if it is the same job.
    private static func isFinished(
        _ configuration: Configuration, _ options: ClusterOptions, _ engine: ClusterEngine,
        _ fingerprint: UInt64?
    ) throws(FanfareError) -> FanfareError {
        let plan = try JobOpening.newPlan(configuration)
        guard try JobFingerprint(plan).digest(cutRows: options.cutRows) != fingerprint else {
            return FanfareError(
                .finished, "the job \(options.job) is finished: nothing is left to send")
        }
        engine.settings = try Self.settings(of: plan, options, laneSettings: []).text
        let differences = try told({ FanfareError($0) }) { () throws(PostgresError) in
            try engine.differences(
                ofPolicy: false, deadline: MachineClock.now.advanced(by: .seconds(15)))
        }
        return FanfareError(
            .configuration,
            "the job \(options.job) is finished, and had other inputs or settings than this one"
                + (differences.map { " (" + $0 + ")" } ?? "") + ": give this one another name")
    }

    private static func settings(
        of plan: PreparedJob, _ options: ClusterOptions, laneSettings: [LaneSettings]
    ) throws(FanfareError) -> SharedSettings {
        SharedSettings(
            try JobFingerprint(plan), cutRows: options.cutRows,
            policy: SharedSettings.policy(
                of: plan.configuration, suppressed: plan.tokenFilter?.suppressedSum,
                projects:
                    laneSettings
                    .compactMap { ($0.connection.service as? FCM)?.settings.project }.distinct))
    }

    private static func isOfAnotherJob(
        _ path: String, _ job: String, is name: String
    ) -> FanfareError {
        FanfareError(
            .configuration,
            "\(path) is the report of a worker of \(name), and not of \(job): give \(.clusterJob) that name, or name another "
                + "report with \(.reportPath, any: "FILE")")
    }

    private static func isOfAnotherJob(_ path: String, _ job: String) -> FanfareError {
        FanfareError(
            .configuration,
            "\(path) is the report of another job than the one that the server calls \(job). "
                + "\(.reportPath, any: "FILE") names another one; but if it is of \(job), the server has lost that job, and "
                + "a worker has begun it anew: stop that one before rows are sent twice")
    }

    private static var host: UInt64 {
        for path in ["/etc/machine-id", "/proc/sys/kernel/hostname"] {
            let bytes = (try? FileDescriptor.reading(path).bytes(256, at: 0)) ?? []
            if !bytes.isEmpty { return Checksum.of(bytes) }
        }
        return 0
    }

    // MARK: What is refused

    /// Returns the error about a report with lines that has no memory of a worker beside it.
    static func isNoWorkers(_ path: String) -> FanfareError {
        FanfareError(
            .configuration,
            "\(path) is the report of a job on one machine that is not finished; "
                + "\(.reportPath, any: "FILE") names another one")
    }

    private static func check(_ configuration: Configuration) throws(FanfareError) {
        let report = configuration.report
        let engine = configuration.engine
        let isOrdinaryReport =
            JobOpening.canBeResumed(report.path) && !ReportTable.isNamed(report.path)
            && report.splitBytes == nil
        let refusals: [(Bool, Statement)] = [
            (
                !isOrdinaryReport,
                "a worker of several needs a report that is one file of CSV or NDJSON, compressed or not"
            ),
            (
                report.isOrdered,
                "a worker of several has only a part of the rows: fanfare report puts the merged reports in order"
            ),
            (
                configuration.window != nil,
                "several workers cannot share a job whose rows wait for their hours; send it from one machine"
            ),
            (
                configuration.seeds != nil,
                "several workers cannot share a job with a seed list; send the seeds first, from one machine"
            ),
            (
                configuration.rows.deduplication != nil,
                "several workers cannot find each other's duplicates; remove them from the rows first"
            ),
            (
                engine.delivery == .atLeastOnce,
                "several workers send each row at most once; \(.delivery, Delivery.atLeastOnce) is for one machine"
            ),
            (
                engine.burst != nil || engine.ramp != .zero
                    || configuration.routes.contains { $0.rate != nil },
                "several workers share the rate of the whole job, without a burst, a rise, or a rate for each provider"
            ),
        ]
        for (applies, text) in refusals where applies {
            throw FanfareError(.configuration, text)
        }
        guard !configuration.rows.choice.isAll else { return }
        throw FanfareError(
            .configuration,
            "several workers cannot share a job that leaves rows out; write the chosen rows to a file first"
        )
    }
}
