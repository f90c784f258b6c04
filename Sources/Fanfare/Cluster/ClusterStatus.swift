import FanfareBase
package import FanfareCore
import FanfarePostgres

extension ClusterControl {
    /// A worker of a job, for people.
    package struct WorkerStatus: Equatable, Sendable {
        /// As it stands in the tables, and as commands call it.
        package let name: String
        package var label: String
        package let state: ClusterWorker.State
        package let rows: UInt64
        /// The part of the rate that it may use, in millionths of a start per second.
        package let share: Int64
        /// The seconds since its last beat, by the server's clock.
        package let silentSeconds: Double
        /// Its report, and the machine, as it calls them; empty if it has not said so.
        package var report = ""
        package var machine = ""
        /// The rows of its report by their outcome, as it has told last.
        package var outcomes: [UInt64] = []
        package var rowsPerSecond: UInt64 = 0
        /// The seconds after which it writes off the rows of lost workers; `nil` while it has other work.
        package var writesOffSeconds: Double?
        /// The time that its requests take.
        package var requestMilliseconds: UInt64 = 0
        /// The rows that it was granted, and that have no line as far as the server knows, if it does not live.
        package var doubtfulRows: UInt64 = 0

        package init(
            name: String, label: String, state: ClusterWorker.State, rows: UInt64, share: Int64,
            silentSeconds: Double
        ) {
            (self.name, self.label, self.state) = (name, label, state)
            (self.rows, self.share, self.silentSeconds) = (rows, share, silentSeconds)
        }

        /// True if it has beaten within the others' patience, by the server's clock: other workers may believe otherwise, and
        /// none of them may be there.
        package var isAlive: Bool { state == .active && silentSeconds < ClusterControl.patience }

        /// True if it lives, and is so far from the server that more of its rows are in doubt when it dies.
        package var isFar: Bool {
            isAlive
                && requestMilliseconds >= UInt64(Limits.clusterFarStep.wholeNanoseconds / 1_000_000)
        }
    }

    /// The seconds of silence after which a worker counts as lost.
    package static let patience = Double(ClusterPatience().others.components.seconds)

    /// The whole of a job.
    package struct Status: Equatable, Sendable {
        package let name: String
        /// Nothing if no worker has joined yet.
        package let job: ClusterJob?
        package let workers: [WorkerStatus]
        /// Rows that no worker was granted yet, of those that are counted.
        package let waitingRows: UInt64
        /// Rows that live workers were granted, and that have no line yet.
        package let grantedRows: UInt64
        /// Rows without a line of workers that do not live, and those for which another worker writes lines.
        package let doubtfulRows: UInt64
        /// The one who has stopped the job, and the reason.
        package var stop: ClusterStopWords?

        package init(
            name: String, job: ClusterJob?, workers: [WorkerStatus], waitingRows: UInt64,
            grantedRows: UInt64, doubtfulRows: UInt64
        ) {
            (self.name, self.job, self.workers) = (name, job, workers)
            self.waitingRows = waitingRows
            (self.grantedRows, self.doubtfulRows) = (grantedRows, doubtfulRows)
        }

        /// The rows with an outcome: all that were counted, without the others.
        ///
        /// So the four numbers always add up.
        package var finishedRows: UInt64 {
            let counted = job?.cutRows ?? 0
            return [waitingRows, grantedRows, doubtfulRows].reduce(counted) { $0 - min($1, $0) }
        }

        /// The number of workers that live.
        package var aliveCount: Int { workers.count(where: \.isAlive) }

        /// The state of the job: one that no worker is left to stop is stopped.
        package var state: ClusterJobState? {
            job?.state == .stopping && aliveCount == 0 ? .stopped : job?.state
        }

        package var isPaused: Bool { job?.isPaused == true && job?.state != .finished }

        /// The rows of all reports by their outcome, as workers have told last.
        ///
        /// A row that was written off, and whose worker came back, has two lines, and that one counts which says more.
        package var outcomes: OutcomeCounts {
            var sums = OutcomeCounts()
            for worker in workers { sums += OutcomeCounts(inOrder: worker.outcomes[...]) }
            if job?.state == .finished {
                let doubled = sums.all - min(finishedRows, sums.all)
                sums[.unknown] -= min(doubled, sums[.unknown])
            }
            return sums
        }

        /// The rows that live workers get through in a second.
        package var rowsPerSecond: UInt64 {
            job?.state == .finished || isPaused
                ? 0 : workers.reduce(0) { $0 + ($1.isAlive ? $1.rowsPerSecond : 0) }
        }

        /// True if live workers have rows to send, nothing keeps them from it, and no row gets an outcome.
        ///
        /// At less than two rows a second a whole number tells no speed.
        package var getsNoAnswers: Bool {
            guard let job, job.isOpen, !isPaused, [.proving, .running].contains(state) else {
                return false
            }
            let isSlow = job.terms.rate.map { $0 < 2 * ShareRule.unitsPerStart } ?? false
            return rowsPerSecond == 0 && grantedRows > 0 && aliveCount > 0 && !isSlow
                && job.holds.allSatisfy { $0 == .none }
        }

        /// The seconds until all rows have an outcome, at the present speed; `nil` if nothing tells.
        package var secondsLeft: UInt64? {
            guard let job, job.isAllCut, rowsPerSecond > 0 else { return nil }
            let rows = job.cutRows - min(finishedRows, job.cutRows)
            return (rows + rowsPerSecond - 1) / rowsPerSecond
        }

        /// The seconds until rows of lost workers are written off; `nil` if other work is left, or no worker to do so.
        package var writesOffSeconds: Double? {
            workers.filter(\.isAlive).compactMap(\.writesOffSeconds).min()
        }
    }

    package func status(of name: String) throws(FanfareError) -> Status {
        let key = try key(of: name)
        let job = key.number
        let results = try run(
            """
            SELECT \(ClusterReading.jobColumns) FROM fanfare.jobs WHERE \(key.isRow);
            SELECT left(name, \(Limits.clusterNameMax)), state, lines, share,
            extract(epoch FROM clock_timestamp() - seen)::float8,
            worker, left(report, \(Limits.clusterPathMax)), left(machine, \(Limits.clusterNameMax)), totals,
            speed, extract(epoch FROM writes_off - clock_timestamp())::float8, step_ms
            FROM fanfare.workers WHERE job = \(job) \(ClusterReading.workersEnd);
            SELECT \(ClusterReading.rangeColumns) FROM fanfare.ranges
            WHERE job = \(job) AND NOT is_done;
            SELECT \(ClusterReading.grantColumns) FROM fanfare.grants
            WHERE job = \(job) AND NOT is_settled;
            SELECT stopped_by, left(stop_reason, \(Limits.clusterReasonMax)) FROM fanfare.jobs
            WHERE \(key.isRow) AND verdict IS NOT NULL
            """)
        do throws(ClusterRow.Fault) {
            return try Self.status(named: name, results)
        } catch {
            throw Self.strange
        }
    }

    /// Reads what the server says of a job, its workers, its open ranges, its open grants, and who has stopped it.
    static func status(
        named name: String, _ results: PostgresConnection.Results
    ) throws(ClusterRow.Fault) -> Status {
        guard results.count == 5, let first = results[0].first else { throw ClusterRow.Fault() }
        var (workers, ids) = try Self.workers(results[1])
        var (waiting, granted, doubtful) = (UInt64(0), UInt64(0), UInt64(0))
        func count(_ rows: RowIntervals, of worker: WorkerID?, below lined: UInt64, isInDoubt: Bool)
        {
            // Those below have their lines.
            let open = rows.subtracting(RowIntervals(0..<lined))
            let place = ids.firstIndex { $0.id == worker }
            let isGone = place.map { !workers[$0].isAlive } ?? false
            if isGone || isInDoubt { add(open, to: &doubtful) } else { add(open, to: &granted) }
            if isGone, let place { add(open, to: &workers[place].doubtfulRows) }
        }
        for values in results[2] {
            let range = try ClusterReading.range(values)
            add(range.restRows, to: &waiting)
            guard range.owner != nil else { continue }
            count(range.grantedRows, of: range.owner, below: range.lined, isInDoubt: false)
        }
        for values in results[3] {
            let grant = try ClusterReading.grant(values)
            count(grant.rows, of: grant.worker, below: grant.lined, isInDoubt: grant.isInDoubt)
        }
        var status = Status(
            name: name, job: try ClusterReading.job(first), workers: workers,
            waitingRows: waiting, grantedRows: granted, doubtfulRows: doubtful)
        if let words = results[4].first {
            var row = ClusterRow(words)
            status.stop = ClusterStopWords(
                of: try row.optionalWorker(), among: ids, reason: try row.optionalText())
        }
        return status
    }

    private static func workers(
        _ rows: [[String?]]
    ) throws(ClusterRow.Fault) -> ([WorkerStatus], [(id: WorkerID, name: String)]) {
        var workers: [WorkerStatus] = []
        var ids: [(id: WorkerID, name: String)] = []
        for values in try ClusterReading.workers(rows) {
            var row = ClusterRow(values)
            let (name, state): (String, ClusterWorker.State) = (try row.text(), try row.word())
            let (lines, share, silent) = (try row.count(), try row.rate(), try row.seconds())
            ids.append((try row.worker(), name))
            var worker = WorkerStatus(
                name: name, label: name, state: state, rows: lines, share: share,
                silentSeconds: silent)
            (worker.report, worker.machine) = (try row.text(), try row.text())
            worker.outcomes = try row.counts()
            worker.rowsPerSecond = try row.count()
            worker.writesOffSeconds = try row.optionalSeconds()
            worker.requestMilliseconds = try row.count()
            workers.append(worker)
        }
        for (place, label) in ClusterNames(ids).labels.enumerated() { workers[place].label = label }
        return (workers, ids)
    }

    /// Adds rows to a sum, of records that may be wrong and more than a sum can have.
    static func add(_ rows: RowIntervals, to sum: inout UInt64) {
        sum = min(sum, .max - Limits.clusterCountMax) + rows.count
    }
}
