import FanfareBase
package import FanfareCore
import FanfarePostgres
import FanfareSystem

/// A job of several workers as an operator asks about it, and steers it.
package final class ClusterControl {
    /// A worker of a job, for people.
    package struct WorkerStatus: Equatable, Sendable {
        /// As it stands in the tables.
        package let name: String
        package let state: ClusterWorker.State
        package let rows: UInt64
        /// The part of the rate that it may use, in millionths of a start per second.
        package let share: Int64
        /// The seconds since its last beat, by the server's clock.
        package let silentSeconds: Double
    }

    /// The whole of a job.
    package struct Status: Equatable, Sendable {
        package let name: String
        /// Nothing if no worker has joined yet.
        package let job: ClusterJob?
        package let workers: [WorkerStatus]
        /// Rows that no worker was granted yet, of those that are cut.
        package let waitingRows: UInt64
        /// Rows that workers were granted and have not settled, but for those of lost workers.
        package let grantedRows: UInt64
        /// Rows of workers that are lost, without a line.
        package let doubtfulRows: UInt64
    }

    private let engine: ClusterEngine

    package init(_ address: String) { engine = ClusterEngine(address) }

    private var deadline: Instant { MachineClock.now.advanced(by: .seconds(15)) }

    func run(_ statements: String) throws(FanfareError) -> PostgresConnection.Results {
        try told({ FanfareError($0) }) { () throws(PostgresError) in
            try engine.run(statements, deadline: deadline)
        }
    }

    /// Looks at the version of the tables, before anything else is asked of them.
    private func checkVersion() throws(FanfareError) {
        try told({ FanfareError($0) }) { () throws(PostgresError) in
            try engine.checkVersion(deadline: deadline)
        }
    }

    /// Makes the tables and roles, as far as they are not there yet, or brings earlier ones to this version.
    package func makeTables() throws(FanfareError) {
        _ = try told({ FanfareError($0, makesTables: true) }) { () throws(PostgresError) in
            try engine.run("BEGIN; \(ClusterSchema.text) COMMIT", deadline: deadline)
        }
    }

    /// Returns a name that a worker has written into the tables, as it may stand in a line for people.
    package static func shown(_ name: String) -> String {
        TerminalText.reported(name, bytesMax: nameBytesShownMax)
    }

    private static let nameBytesShownMax = 255

    /// The names of all jobs, the newest first, for people.
    package func jobs() throws(FanfareError) -> [String] {
        try checkVersion()
        let length = Limits.clusterNameMax
        let rows = try run(
            "SELECT left(name, \(length)) FROM fanfare.jobs ORDER BY job DESC LIMIT 100")
        return rows.first?.compactMap { values in
            var row = ClusterRow(values)
            return (try? row.text()).map(Self.shown)
        } ?? []
    }

    package func status(of name: String) throws(FanfareError) -> Status {
        let key = try key(of: name)
        let job = key.number
        let results = try run(
            """
            SELECT \(ClusterReading.jobColumns) FROM fanfare.jobs WHERE \(key.isRow);
            SELECT left(name, \(Limits.clusterNameMax)), state, lines, share,
            extract(epoch FROM clock_timestamp() - seen)::float8,
            worker FROM fanfare.workers WHERE job = \(job) \(ClusterReading.workersEnd);
            SELECT \(ClusterReading.rangeColumns) FROM fanfare.ranges
            WHERE job = \(job) AND NOT is_done;
            SELECT \(ClusterReading.grantColumns) FROM fanfare.grants
            WHERE job = \(job) AND NOT is_settled
            """)
        do throws(ClusterRow.Fault) {
            return try Self.status(named: name, results)
        } catch {
            throw Self.strange
        }
    }

    /// Reads what the server says of a job, its workers, its open ranges and its open grants.
    static func status(
        named name: String, _ results: PostgresConnection.Results
    ) throws(ClusterRow.Fault) -> Status {
        guard results.count == 4, let first = results[0].first else { throw ClusterRow.Fault() }
        var workers: [WorkerStatus] = []
        // The rows that these were granted are in doubt, and counted as that only.
        var lost: [WorkerID] = []
        for values in try ClusterReading.workers(results[1]) {
            var row = ClusterRow(values)
            let worker = WorkerStatus(
                name: try row.text(), state: try row.word(), rows: try row.count(),
                share: try row.rate(), silentSeconds: try row.seconds())
            let id = try row.worker()
            workers.append(worker)
            if worker.state != .active { lost.append(id) }
        }
        var (waiting, granted, doubtful) = (UInt64(0), UInt64(0), UInt64(0))
        for values in results[2] {
            let range = try ClusterReading.range(values)
            add(range.restRows, to: &waiting)
            let rows = range.grantedRows
            if let owner = range.owner, lost.contains(owner) {
                add(rows.subtracting(RowIntervals(0..<range.lined)), to: &doubtful)
            } else {
                add(rows, to: &granted)
            }
        }
        for values in results[3] {
            let grant = try ClusterReading.grant(values)
            if lost.contains(grant.worker) {
                add(grant.rows.subtracting(RowIntervals(0..<grant.lined)), to: &doubtful)
            } else {
                add(grant.rows, to: &granted)
            }
        }
        return Status(
            name: name, job: try ClusterReading.job(first), workers: workers,
            waitingRows: waiting, grantedRows: granted, doubtfulRows: doubtful)
    }

    /// Adds rows to a sum, of records that may be wrong and more than a sum can have.
    static func add(_ rows: RowIntervals, to sum: inout UInt64) {
        sum = min(sum, .max - Limits.clusterCountMax) + rows.count
    }

    /// Has the others write the lines of a worker that never comes back.
    /// - Parameters:
    ///   - text: The worker's name or its number, as `status` shows them.
    ///   - name: The job.
    /// - Throws: `FanfareError` with code `configuration` if there is none of that name, or if it was heard of a moment ago.
    package func giveUp(_ text: String, of name: String) throws(FanfareError) {
        let job = try key(of: name).number
        let label = PostgresConnection.literal(text)
        let found = try run(
            """
            SELECT worker, state, extract(epoch FROM clock_timestamp() - seen)::float8
            FROM fanfare.workers WHERE job = \(job) AND (name = \(label) OR worker::text = \(label))
            \(ClusterReading.workersEnd);
            SELECT FROM fanfare.jobs WHERE job = \(job) AND state = 'finished'
            """)
        guard found.count == 2, found[1].isEmpty else {
            throw FanfareError(
                .configuration,
                message: "\(name) is finished: no row of it waits for a worker")
        }
        var workers: [(id: WorkerID, state: ClusterWorker.State, silent: Int64)] = []
        do throws(ClusterRow.Fault) {
            for values in found.first ?? [] {
                var row = ClusterRow(values)
                workers.append((try row.worker(), try row.word(), Int64(try row.seconds())))
            }
        } catch {
            throw Self.strange
        }
        guard let worker = workers.first else {
            throw FanfareError(
                .configuration,
                message: "\(name) has no worker \(text); fanfare cluster status names them")
        }
        guard workers.count == 1 else {
            let numbers = workers.map(\.id.text).joined(separator: ", ")
            throw FanfareError(
                .configuration,
                message:
                    "\(workers.count) workers of \(name) are called \(text); name one by its number: "
                    + numbers)
        }
        let patience = ClusterPatience().others.components.seconds
        switch worker.state {
        case .left:
            throw FanfareError(
                .configuration,
                message: "\(text) has left \(name) and given back what it did not send")
        case .active where worker.silent < patience:
            throw FanfareError(
                .configuration,
                message: "\(text) was heard of \(worker.silent) s ago; stop it first, and wait for "
                    + "\(patience) s")
        case .active, .lost, .givenUp: break
        }
        _ = try order([.giveUp(worker.id)], to: name)
    }

    static let strange = FanfareError(
        .configuration, "the cluster's tables are not those of this version of Fanfare")

    /// Gives an order to all workers of a job; each hears of it with its next beat.
    package func order(
        _ decisions: [ClusterDecision], to name: String
    ) throws(FanfareError) -> ClusterJob {
        let key = try key(of: name)
        let results = try run(
            """
            BEGIN; SET LOCAL statement_timeout = 0;
            SELECT \(ClusterReading.jobColumns) FROM fanfare.jobs WHERE \(key.isRow) FOR UPDATE;
            SELECT \(ClusterReading.workerColumns) FROM fanfare.workers
            WHERE job = \(key.number) \(ClusterReading.workersEnd)
            """)
        let found: ClusterJob?
        var state = ClusterModel.State()
        do throws(ClusterRow.Fault) {
            guard results.count == 4, let values = results[2].first else {
                throw ClusterRow.Fault()
            }
            found = try ClusterReading.job(values)
            for values in try ClusterReading.workers(results[3]) {
                state.workers.append(try ClusterReading.worker(values))
            }
        } catch {
            throw Self.strange
        }
        guard let job = found else {
            throw FanfareError(
                .configuration, message: "no worker has joined the job \(name) yet")
        }
        if decisions.contains(.renewPolicy), job.state != .stopping, job.state != .stopped {
            throw FanfareError(
                .configuration,
                "\(name) is \(job.state.rawValue), and its workers have agreed on what they do: \(.renewedPolicy) is for a "
                    + "job that was stopped")
        }
        state.job = job
        var model = ClusterModel(state, timeline: job.generation.timeline)
        for decision in decisions { model.order(decision) }
        let writing = ClusterWriting(
            job: key.number, worker: WorkerID(bits: 0), name: "", before: state, after: model.state)
        _ = try run(ClusterSQL.promise + writing.statements + "COMMIT")
        return model.state.job ?? job
    }

    func key(of name: String) throws(FanfareError) -> ClusterJobKey {
        try checkVersion()
        let results = try run(
            "SELECT job, identity FROM fanfare.jobs WHERE name = \(PostgresConnection.literal(name))"
        )
        guard let values = results.first?.first else {
            let known = try jobs().prefix(5).joined(separator: ", ")
            throw FanfareError(
                .configuration,
                message: "there is no job \(name); "
                    + (known.isEmpty ? "there is none at all" : "there are \(known)"))
        }
        do throws(ClusterRow.Fault) {
            var row = ClusterRow(values)
            return ClusterJobKey(number: try row.number(), identity: try row.bits())
        } catch {
            throw Self.strange
        }
    }
}
