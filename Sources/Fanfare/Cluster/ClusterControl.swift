import FanfareBase
package import FanfareCore
import FanfarePostgres
import FanfareSystem

/// A job of several workers as an operator asks about it, and steers it.
package final class ClusterControl {
    /// A worker of a job, for people.
    package struct WorkerStatus: Equatable, Sendable {
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
        /// Rows that workers were granted and have not settled.
        package let grantedRows: UInt64
        /// Rows of workers that are lost, without a line.
        package let doubtfulRows: UInt64
    }

    private let engine: ClusterEngine

    package init(_ address: String) { engine = ClusterEngine(address) }

    private var deadline: Instant { MachineClock.now.advanced(by: .seconds(15)) }

    private func run(_ statements: String) throws(FanfareError) -> PostgresConnection.Results {
        do throws(PostgresError) {
            return try engine.run(statements, deadline: deadline)
        } catch {
            throw FanfareError(error)
        }
    }

    /// Makes the tables and roles, as far as they are not there yet.
    package func makeTables() throws(FanfareError) {
        _ = try run("BEGIN; \(ClusterSchema.text) COMMIT")
    }

    /// The names of all jobs, the newest first.
    package func jobs() throws(FanfareError) -> [String] {
        try run("SELECT name FROM fanfare.jobs ORDER BY job DESC LIMIT 100").first?
            .compactMap { $0.first ?? nil } ?? []
    }

    package func status(of name: String) throws(FanfareError) -> Status {
        let job = try number(of: name)
        let results = try run(
            """
            SELECT \(ClusterReading.jobColumns) FROM fanfare.jobs WHERE job = \(job);
            SELECT name, state, lines, share, extract(epoch FROM clock_timestamp() - seen)::float8,
            worker FROM fanfare.workers WHERE job = \(job) ORDER BY place;
            SELECT \(ClusterReading.rangeColumns) FROM fanfare.ranges
            WHERE job = \(job) AND NOT is_done;
            SELECT \(ClusterReading.grantColumns) FROM fanfare.grants
            WHERE job = \(job) AND NOT is_settled
            """)
        do throws(ClusterRow.Fault) {
            guard results.count == 4, let first = results[0].first else { throw ClusterRow.Fault() }
            var workers: [WorkerStatus] = []
            var lost: [WorkerID] = []
            for values in results[1] {
                var row = ClusterRow(values)
                let worker = WorkerStatus(
                    name: try row.text(), state: try ClusterWorker.State(text: try row.text()),
                    rows: try row.count(), share: try row.number(),
                    silentSeconds: Double(try row.text()) ?? 0)
                let id = try row.worker()
                workers.append(worker)
                if worker.state != .active { lost.append(id) }
            }
            var (waiting, granted, doubtful) = (UInt64(0), UInt64(0), UInt64(0))
            for values in results[2] {
                let range = try ClusterReading.range(values)
                waiting += range.restRows.count
                granted += range.grantedRows.count
            }
            for values in results[3] {
                let grant = try ClusterReading.grant(values)
                granted += grant.rows.count
                if lost.contains(grant.worker) {
                    doubtful += grant.rows.subtracting(RowIntervals(0..<grant.lined)).count
                }
            }
            return Status(
                name: name, job: try ClusterReading.job(first), workers: workers,
                waitingRows: waiting, grantedRows: granted, doubtfulRows: doubtful)
        } catch {
            throw FanfareError(
                .configuration, "the cluster's tables are not those of this version of Fanfare")
        }
    }

    /// Gives an order to all workers of a job; each hears of it with its next beat.
    package func order(
        _ decisions: [ClusterDecision], to name: String
    ) throws(FanfareError) -> ClusterJob {
        let number = try number(of: name)
        let results = try run(
            """
            BEGIN; SET LOCAL statement_timeout = 0;
            SELECT \(ClusterReading.jobColumns) FROM fanfare.jobs WHERE job = \(number) FOR UPDATE
            """)
        let found: ClusterJob?
        do throws(ClusterRow.Fault) {
            guard results.count == 3, let values = results[2].first else {
                throw ClusterRow.Fault()
            }
            found = try ClusterReading.job(values)
        } catch {
            throw FanfareError(
                .configuration, "the cluster's tables are not those of this version of Fanfare")
        }
        guard let job = found else {
            throw FanfareError(
                .configuration, message: "no worker has joined the job \(name) yet")
        }
        var state = ClusterModel.State()
        state.job = job
        var model = ClusterModel(state, timeline: job.generation.timeline)
        for decision in decisions { model.order(decision) }
        let writing = ClusterWriting(
            job: number, worker: WorkerID(bits: 0), name: "", before: state, after: model.state)
        _ = try run(writing.statements + "COMMIT")
        return model.state.job ?? job
    }

    private func number(of name: String) throws(FanfareError) -> Int64 {
        let results = try run(
            "SELECT job FROM fanfare.jobs WHERE name = \(PostgresConnection.literal(name))")
        guard let text = results.first?.first?.first ?? nil, let number = Int64(text) else {
            let known = try jobs().prefix(5).joined(separator: ", ")
            throw FanfareError(
                .configuration,
                message: "there is no job \(name); "
                    + (known.isEmpty ? "there is none at all" : "there are \(known)"))
        }
        return number
    }
}
