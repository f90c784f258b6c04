import FanfareBase
import FanfareCore

/// The statements that bring the tables from one state of a model to the next.
struct ClusterWriting {
    let job: Int64
    let worker: WorkerID
    /// The name of the worker that asks.
    let name: String
    /// The path of its report, and its machine, for people.
    var report = ""
    var machine = ""
    /// The settings of the worker, as `SharedSettings` writes them.
    var settings = ""
    /// The reason for which the worker stops the job, for people; `nil` if the verdict says all, or for an operator's order.
    var stopReason: String?
    /// The time that its requests take, for people.
    var stepMilliseconds: Int64 = 0
    let before: ClusterModel.State
    let after: ClusterModel.State

    /// Ends with a semicolon if there is any.
    var statements: String {
        var text = ""
        if let job = after.job, job != before.job { text += update(job) }
        for worker in after.workers where !before.workers.contains(worker) {
            text += save(worker, isNew: !before.workers.contains { $0.id == worker.id })
        }
        for cut in after.cuts.dropFirst(before.cuts.count) { text += insert(cut) }
        // No record ever goes, and new ones come behind the others.
        for (index, range) in after.ranges.enumerated() {
            let isNew = index >= before.ranges.count
            if isNew || range != before.ranges[index] { text += save(range, isNew: isNew) }
        }
        for (index, grant) in after.grants.enumerated() {
            let isNew = index >= before.grants.count
            if isNew || grant != before.grants[index] { text += save(grant, isNew: isNew) }
        }
        return text
    }

    private func update(_ job: ClusterJob) -> String {
        let holds = job.holds.map { "clock_timestamp() + interval '\($0.milliseconds) ms'" }
        let changedHolds =
            job.holds == before.job?.holds
            ? "" : ", holds = ARRAY[\(holds.joined(separator: ", "))]::timestamptz[]"
        // The worker whose policy counts says what is in it, and for a job that it has made all of its settings.
        let isAgreed = job.terms.policy != before.job?.terms.policy && job.terms.policy != nil
        let agreement =
            before.job == nil || isAgreed ? ", settings = \(ClusterSQL.text(settings))" : ""
        return """
            UPDATE fanfare.jobs SET \(ClusterSQL.assignments(Self.columns(of: job)))\
            \(changedHolds)\(agreement)\(stopWords(job)) \
            WHERE job = \(self.job);

            """
    }

    /// Says who stops the job and why, or that it goes on.
    private func stopWords(_ job: ClusterJob) -> String {
        guard job.verdict != before.job?.verdict else { return "" }
        guard job.verdict != nil else { return ", stopped_by = NULL, stop_reason = NULL" }
        guard worker != Self.person else {
            return
                ", stopped_by = NULL, stop_reason = session_user || coalesce(' at ' || host(inet_client_addr()), '')"
        }
        return
            ", stopped_by = \(ClusterSQL.worker(worker)), stop_reason = \(ClusterSQL.text(stopReason))"
    }

    /// Stands where a worker does, for the person who gives an order.
    static let person = WorkerID(bits: 0)

    // MARK: Columns

    typealias Columns = [(name: String, value: String)]

    /// The columns of a job's record, but for the ends of holds, which a clock changes.
    static func columns(of job: ClusterJob) -> Columns {
        givingColumns(of: job) + otherColumns(of: job) + cutColumns(of: job)
    }

    /// Those that say whether rows are given now, but for `cutColumns`.
    static func givingColumns(of job: ClusterJob) -> Columns {
        [
            ("state", "'\(job.state.rawValue)'"), ("prover", ClusterSQL.worker(job.prover)),
            ("ordinal", "\(job.generation.ordinal)"), ("timeline", "\(job.generation.timeline)"),
            ("nonce", ClusterSQL.bits(job.generation.nonce)),
            ("is_open", ClusterSQL.flag(job.isOpen)),
        ]
    }

    static func otherColumns(of job: ClusterJob) -> Columns {
        [
            ("fingerprint", ClusterSQL.bits(job.terms.fingerprint)),
            ("protocol", "\(job.terms.protocolVersion)"),
            ("rate", job.terms.rate.map { "\($0)" } ?? "NULL"),
            ("cutter", ClusterSQL.worker(job.cutter)),
            ("is_paused", ClusterSQL.flag(job.isPaused)),
            ("verdict", ClusterSQL.text(job.verdict?.text)), ("orders", "\(job.orders)"),
            ("outcome_epoch", "\(job.outcomeEpoch)"),
            ("policy", job.terms.policy.map { ClusterSQL.bits($0) } ?? "NULL"),
        ]
    }

    /// Those that say what is cut.
    static func cutColumns(of job: ClusterJob) -> Columns {
        [
            ("is_all_cut", ClusterSQL.flag(job.isAllCut)),
            ("cut_rows", ClusterSQL.count(job.cutRows)),
        ]
    }

    /// The columns of a worker's record, but for words that only people read.
    static func columns(of worker: ClusterWorker) -> Columns {
        [session(of: worker)] + life(of: worker) + [
            ("host", ClusterSQL.bits(worker.place.host)),
            ("boot", ClusterSQL.bits(worker.place.boot)),
            ("file", ClusterSQL.bits(worker.place.file)),
            ("nonce", ClusterSQL.bits(worker.nonce)), ("share", "\(worker.share)"),
            ("wants", "\(worker.wants)"), ("lines", ClusterSQL.count(worker.counts.lines)),
            ("outcomes", ClusterSQL.counts(worker.counts.outcomes)),
            ("counter", ClusterSQL.bits(worker.counter)),
            ("earlier_outcomes", ClusterSQL.counts(worker.earlierOutcomes)),
            ("has_other_input", ClusterSQL.flag(worker.hasOtherInput)),
        ]
    }

    static func session(of worker: ClusterWorker) -> Columns.Element {
        ("session", "\(worker.session)")
    }

    /// The signs of a worker's life.
    static func life(of worker: ClusterWorker) -> Columns {
        [("state", "'\(worker.state.rawValue)'"), ("beat", ClusterSQL.count(worker.beat))]
    }

    /// The columns of a range's record that may change.
    static func columns(of range: ClusterRange) -> Columns {
        [
            ("end_row", ClusterSQL.count(range.end)), ("claimed", ClusterSQL.count(range.claimed)),
            ("granted", ClusterSQL.count(range.granted)), ("lined", ClusterSQL.count(range.lined)),
            ("owner", ClusterSQL.worker(range.owner)), ("session", "\(range.session)"),
            ("epoch", ClusterSQL.bits(range.epoch)), ("only_rows", ClusterSQL.rows(range.only)),
            ("is_done", ClusterSQL.flag(range.isDone)), ("ordinal", "\(range.ordinal)"),
        ]
    }

    /// The columns of a closed grant's record that may change.
    static func columns(of grant: ClusterGrant) -> Columns {
        [
            ("rows", ClusterSQL.rows(grant.rows)), ("worker", ClusterSQL.worker(grant.worker)),
            ("session", "\(grant.session)"), ("lined", ClusterSQL.count(grant.lined)),
            ("is_in_doubt", ClusterSQL.flag(grant.isInDoubt)),
            ("is_settled", ClusterSQL.flag(grant.isSettled)), ("ordinal", "\(grant.ordinal)"),
        ]
    }

    static func keys(of range: RangeKey) -> Columns { [("key", ClusterSQL.bits(range.bits))] }

    static func keys(of grant: GrantKey) -> Columns {
        keys(of: grant.range) + [("epoch", ClusterSQL.bits(grant.epoch))]
    }

    // MARK: Records

    private func save(_ worker: ClusterWorker, isNew: Bool) -> String {
        var values = Self.columns(of: worker)
        // The worker itself says the words for people.
        if worker.id == self.worker {
            values += [
                ("name", ClusterSQL.text(name)), ("report", ClusterSQL.text(report)),
                ("machine", ClusterSQL.text(machine)), ("seen", "clock_timestamp()"),
                ("step_ms", "\(stepMilliseconds)"),
            ]
            if let figures = worker.figures { values += Self.columns(of: figures) }
        }
        return save(
            "workers", keys: [("worker", ClusterSQL.worker(worker.id))], values, isNew: isNew)
    }

    private static func columns(of figures: ClusterFigures) -> Columns {
        [
            ("totals", ClusterSQL.counts(figures.outcomes)),
            ("speed", ClusterSQL.count(figures.rowsPerSecond)),
            (
                "writes_off",
                figures.writesOffAfterMilliseconds.map {
                    "clock_timestamp() + interval '\($0) ms'"
                } ?? "NULL"
            ),
        ]
    }

    private func insert(_ cut: ClusterCut) -> String {
        """
        INSERT INTO fanfare.cuts (job, \(ClusterReading.cutColumns)) VALUES (\(job), \
        \(ClusterSQL.count(cut.firstRow)), \(ClusterSQL.count(cut.endRow)), \(cut.sum), \
        \(ClusterSQL.flag(cut.isLast)), \(cut.place.input), \(ClusterSQL.count(cut.place.offset)), \
        \(ClusterSQL.count(cut.place.line)), \(ClusterSQL.count(cut.byteCount)), \
        \(ClusterSQL.count(cut.lineCount)));

        """
    }

    private func save(_ range: ClusterRange, isNew: Bool) -> String {
        save(
            "ranges", keys: Self.keys(of: range.key),
            fixed: [("first_row", ClusterSQL.count(range.first))], Self.columns(of: range),
            isNew: isNew)
    }

    private func save(_ grant: ClusterGrant, isNew: Bool) -> String {
        save("grants", keys: Self.keys(of: grant.key), Self.columns(of: grant), isNew: isNew)
    }

    /// Inserts a record, or updates what may change of it.
    ///
    /// The roles may update no column that is fixed.
    private func save(
        _ table: String, keys: Columns, fixed: Columns = [], _ values: Columns, isNew: Bool
    ) -> String {
        if isNew {
            let all = keys + fixed + values
            return "INSERT INTO fanfare.\(table) (job, "
                + ClusterSQL.list(all) { $0 += $1.name } + ") VALUES (\(job), "
                + ClusterSQL.list(all) { $0 += $1.value } + ");\n"
        }
        return "UPDATE fanfare.\(table) SET " + ClusterSQL.assignments(values)
            + " WHERE job = \(job)" + ClusterSQL.conditions(keys) + ";\n"
    }
}
