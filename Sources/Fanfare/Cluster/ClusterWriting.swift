import FanfareBase
import FanfareCore

/// The statements that bring the tables from one state of a model to the next.
struct ClusterWriting {
    let job: Int64
    let worker: WorkerID
    /// The name of the worker that asks.
    let name: String
    /// The path of its report, for people.
    var report = ""
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
            if index >= before.ranges.count {
                text += insert(range)
            } else if range != before.ranges[index] {
                text += update(range)
            }
        }
        for (index, grant) in after.grants.enumerated() {
            if index >= before.grants.count {
                text += insert(grant)
            } else if grant != before.grants[index] {
                text += update(grant)
            }
        }
        return text
    }

    private func update(_ job: ClusterJob) -> String {
        let holds = job.holds.map { "clock_timestamp() + interval '\($0.milliseconds) ms'" }
        let changedHolds =
            job.holds == before.job?.holds
            ? "" : ", holds = ARRAY[\(holds.joined(separator: ", "))]::timestamptz[]"
        return """
            UPDATE fanfare.jobs SET fingerprint = \(ClusterSQL.bits(job.terms.fingerprint)), \
            protocol = \(job.terms.protocolVersion), \
            rate = \(job.terms.rate.map { "\($0)" } ?? "NULL"), state = '\(job.state.rawValue)', \
            prover = \(ClusterSQL.worker(job.prover)), cutter = \(ClusterSQL.worker(job.cutter)), \
            cut_rows = \(ClusterSQL.count(job.cutRows)), is_all_cut = \(ClusterSQL.flag(job.isAllCut)), \
            is_paused = \(ClusterSQL.flag(job.isPaused)), \
            verdict = \(ClusterSQL.text(job.verdict?.text)), orders = \(job.orders), \
            outcome_epoch = \(job.outcomeEpoch), \
            ordinal = \(job.generation.ordinal), timeline = \(job.generation.timeline), \
            nonce = \(ClusterSQL.bits(job.generation.nonce)), is_open = \(ClusterSQL.flag(job.isOpen))\
            \(changedHolds) \
            WHERE job = \(self.job);

            """
    }

    private func save(_ worker: ClusterWorker, isNew: Bool) -> String {
        let values: [(String, String)] = [
            ("session", "\(worker.session)"), ("host", ClusterSQL.bits(worker.place.host)),
            ("boot", ClusterSQL.bits(worker.place.boot)),
            ("file", ClusterSQL.bits(worker.place.file)),
            ("nonce", ClusterSQL.bits(worker.nonce)), ("state", "'\(worker.state.rawValue)'"),
            ("beat", ClusterSQL.bits(worker.beat)), ("share", "\(worker.share)"),
            ("wants", "\(worker.wants)"), ("lines", ClusterSQL.count(worker.counts.lines)),
            ("outcomes", ClusterSQL.counts(worker.counts.outcomes)),
            ("counter", ClusterSQL.bits(worker.counter)),
            ("earlier_outcomes", ClusterSQL.counts(worker.earlierOutcomes)),
            ("has_other_input", ClusterSQL.flag(worker.hasOtherInput)),
        ]
        var own = values
        // The worker itself says the words for people.
        if worker.id == self.worker {
            own += [
                ("name", ClusterSQL.text(name)), ("report", ClusterSQL.text(report)),
                ("seen", "clock_timestamp()"),
            ]
        }
        let names = own.map(\.0).joined(separator: ", ")
        if isNew {
            return "INSERT INTO fanfare.workers (job, worker, \(names)) VALUES (\(job), "
                + "\(ClusterSQL.worker(worker.id)), "
                + own.map(\.1).joined(separator: ", ") + ");\n"
        }
        return "UPDATE fanfare.workers SET "
            + own.map { "\($0.0) = \($0.1)" }.joined(separator: ", ")
            + " WHERE job = \(job) AND worker = \(ClusterSQL.worker(worker.id));\n"
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

    private func insert(_ range: ClusterRange) -> String {
        """
        INSERT INTO fanfare.ranges (job, \(ClusterReading.rangeColumns)) VALUES (\(job), \
        \(ClusterSQL.bits(range.key.bits)), \(ClusterSQL.count(range.first)), \
        \(ClusterSQL.count(range.end)), \(ClusterSQL.count(range.claimed)), \
        \(ClusterSQL.count(range.granted)), \(ClusterSQL.count(range.lined)), \
        \(ClusterSQL.worker(range.owner)), \(range.session), \(ClusterSQL.bits(range.epoch)), \
        \(ClusterSQL.rows(range.only)), \(ClusterSQL.flag(range.isDone)), \(range.ordinal));

        """
    }

    private func update(_ range: ClusterRange) -> String {
        """
        UPDATE fanfare.ranges SET end_row = \(ClusterSQL.count(range.end)), \
        claimed = \(ClusterSQL.count(range.claimed)), granted = \(ClusterSQL.count(range.granted)), \
        lined = \(ClusterSQL.count(range.lined)), owner = \(ClusterSQL.worker(range.owner)), \
        session = \(range.session), epoch = \(ClusterSQL.bits(range.epoch)), \
        only_rows = \(ClusterSQL.rows(range.only)), is_done = \(ClusterSQL.flag(range.isDone)), \
        ordinal = \(range.ordinal) \
        WHERE job = \(job) AND key = \(ClusterSQL.bits(range.key.bits));

        """
    }

    private func insert(_ grant: ClusterGrant) -> String {
        """
        INSERT INTO fanfare.grants (job, \(ClusterReading.grantColumns)) VALUES (\(job), \
        \(ClusterSQL.bits(grant.key.range.bits)), \(ClusterSQL.bits(grant.key.epoch)), \
        \(ClusterSQL.rows(grant.rows)), \(ClusterSQL.worker(grant.worker)), \(grant.session), \
        \(ClusterSQL.count(grant.lined)), \(ClusterSQL.flag(grant.isInDoubt)), \
        \(ClusterSQL.flag(grant.isSettled)), \(grant.ordinal));

        """
    }

    private func update(_ grant: ClusterGrant) -> String {
        """
        UPDATE fanfare.grants SET rows = \(ClusterSQL.rows(grant.rows)), \
        worker = \(ClusterSQL.worker(grant.worker)), session = \(grant.session), \
        lined = \(ClusterSQL.count(grant.lined)), is_in_doubt = \(ClusterSQL.flag(grant.isInDoubt)), \
        is_settled = \(ClusterSQL.flag(grant.isSettled)), ordinal = \(grant.ordinal) \
        WHERE job = \(job) AND key = \(ClusterSQL.bits(grant.key.range.bits)) \
        AND epoch = \(ClusterSQL.bits(grant.key.epoch));

        """
    }
}
