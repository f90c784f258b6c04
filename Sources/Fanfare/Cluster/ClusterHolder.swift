import FanfareBase
package import FanfareCore
import FanfarePostgres

/// A worker, and the rows that it has or had.
struct ClusterHolder: Equatable, Sendable {
    let id: WorkerID
    var name = ""
    /// The word by which commands call it.
    let label: String
    /// Its report, and the machine, as it called them.
    let report: String
    var machine = ""
    var state = ClusterWorker.State.active
    /// The seconds since the server has heard of it.
    var silentSeconds: Double = 0
    /// The rows that it was granted.
    var rows = RowIntervals()
    /// Those of them of which it has told that its report has their lines.
    var toldRows = RowIntervals()

    /// The word by which a command names it: its label, or its bits if that cannot be printed as it is.
    var word: String { ClusterControl.shown(label) == label ? label : id.text }

    /// True if it may be at work: the server has heard of it a moment ago.
    var isAlive: Bool {
        state != .left && Int64(silentSeconds) < ClusterPatience().others.components.seconds
    }

    /// The place of its report, for people.
    var place: String {
        let path = ClusterControl.shown(report)
        return machine.isEmpty ? "\(path) there" : "\(path) on \(ClusterControl.shown(machine))"
    }
}

/// A job on a server, and who has which of its rows.
struct ClusterHoldings: Equatable, Sendable {
    let isFinished: Bool
    let jobRows: UInt64
    let identity: UInt64
    var holders: [ClusterHolder] = []
    /// Rows of ranges that no worker was granted.
    var neverGranted: UInt64 = 0

    init(isFinished: Bool, jobRows: UInt64, identity: UInt64) {
        (self.isFinished, self.jobRows, self.identity) = (isFinished, jobRows, identity)
    }

    static func statements(_ key: ClusterJobKey) -> String {
        let job = key.number
        return """
            BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
            SELECT state = 'finished', cut_rows, identity FROM fanfare.jobs WHERE \(key.isRow);
            \(selectHolders(ofJob: job));
            SELECT \(ClusterReading.rangeColumns) FROM fanfare.ranges WHERE job = \(job);
            SELECT \(ClusterReading.grantColumns) FROM fanfare.grants WHERE job = \(job);
            COMMIT
            """
    }

    init(_ results: PostgresConnection.Results) throws(ClusterRow.Fault) {
        guard results.count == 6, let first = results[1].first else { throw ClusterRow.Fault() }
        var line = ClusterRow(first)
        isFinished = try line.optionalText() == "t"
        jobRows = try line.count()
        identity = JobIdentity(bits: try line.bits()).bits
        holders = try Self.holders(results[2])
        for values in results[3] {
            let range = try ClusterReading.range(values)
            if !range.isDone { ClusterControl.add(range.restRows, to: &neverGranted) }
            note(
                range.grantedRows, of: range.owner, lined: range.lined, isSettled: range.isDone)
        }
        for values in results[4] {
            let grant = try ClusterReading.grant(values)
            note(grant.rows, of: grant.worker, lined: grant.lined, isSettled: grant.isSettled)
        }
    }

    /// Reads the workers of a job, for `holders`; ends without a semicolon.
    static func selectHolders(ofJob job: Int64) -> String {
        """
        SELECT worker, left(name, \(Limits.clusterNameMax)), left(report, \(Limits.clusterPathMax)),
        left(machine, \(Limits.clusterNameMax)), state,
        extract(epoch FROM clock_timestamp() - seen)::float8
        FROM fanfare.workers WHERE job = \(job) \(ClusterReading.workersEnd)
        """
    }

    /// Makes workers of what `selectHolders` has read.
    static func holders(_ rows: [[String?]]) throws(ClusterRow.Fault) -> [ClusterHolder] {
        var names: [(id: WorkerID, name: String)] = []
        for values in try ClusterReading.workers(rows) {
            var row = ClusterRow(values)
            names.append((try row.worker(), try row.text()))
        }
        var holders: [ClusterHolder] = []
        for (values, label) in zip(rows, ClusterNames(names).labels) {
            var row = ClusterRow(values)
            let (id, name) = (try row.worker(), try row.text())
            var holder = ClusterHolder(id: id, label: label, report: try row.text())
            holder.name = name
            holder.machine = try row.text()
            holder.state = try row.word()
            holder.silentSeconds = try row.seconds()
            holders.append(holder)
        }
        return holders
    }

    private mutating func note(
        _ rows: RowIntervals, of worker: WorkerID?, lined: UInt64, isSettled: Bool
    ) {
        guard let place = holders.firstIndex(where: { $0.id == worker }) else { return }
        holders[place].rows.formUnion(rows)
        holders[place].toldRows.formUnion(isSettled ? rows : rows.intersection(0..<lined))
    }
}

extension ClusterControl {
    /// Returns who has which rows of a job.
    func holdings(of key: ClusterJobKey) throws(FanfareError) -> ClusterHoldings {
        let results = try run(ClusterHoldings.statements(key))
        do throws(ClusterRow.Fault) {
            return try ClusterHoldings(results)
        } catch {
            throw Self.strange
        }
    }

    /// Holds the rows of some reports against those of a job.
    /// - Parameters:
    ///   - digest: The sums of the reports' lines, with the jobs that ids in them name, and the rows of each report.
    ///   - name: The job.
    /// - Returns: The result.
    /// - Throws: `FanfareError` with code `configuration` if the server has no such job, or cannot be used.
    package func audit(
        _ digest: ReportDigest, of name: String
    ) throws(FanfareError) -> ClusterAudit {
        let found = try holdings(of: try key(of: name))
        var audit = ClusterAudit(
            job: name, isFinished: found.isFinished, jobRows: found.jobRows, holders: found.holders,
            neverGranted: found.neverGranted, reported: digest.rows,
            doubledLines: digest.doubledLines, strangers: found.strangers(in: digest))
        if audit.doubledLines > 0 {
            audit.overlaps = digest.overlaps
            audit.repeats = digest.parts.compactMap(\.repeats)
        }
        return audit
    }
}

extension ClusterHoldings {
    /// The reports whose rows have ids of other jobs.
    func strangers(in digest: ReportDigest) -> [ReportDigest.Job] {
        (digest.jobs ?? []).filter { $0.identity != identity }
    }
}
