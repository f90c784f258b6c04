import FanfareBase
import FanfareCore
import FanfarePostgres
import FanfareSystem

// What to know before you change this:
// - The operations have one meaning, that of `ClusterModel`: the records that a request is about are read, the model
//   answers, and what has changed is written. The simulation proves the model.
// - No lock is held over a round trip: the write compares what the answer depends on (`ClusterDependence`) under the lock of
//   the job's row. Only requests that depend on all records, and those that met changes twice, are read under it.
// - A record that a request is about has to be among those that are read: see `reading`.
// - An answer counts only when the commit is acknowledged. On any failure the connection is closed; nothing is canceled.

/// The engine behind a job of several workers: a PostgreSQL server.
///
/// It crosses threads unchecked, since one thread at a time uses it: the one that opens a job, and then the worker's own.
final class ClusterEngine: @unchecked Sendable {
    private let address: String
    private var connection: PostgresConnection?
    /// The place of the server, among several of the address, with which the next connection begins.
    private var firstServer = 0
    /// The job, once it is known.
    private var job: ClusterJobKey?
    /// The words of this worker for people.
    private let name: String
    /// The path of its report from the root: who reads it does not know its folder.
    let report: String
    /// Its settings, as `SharedSettings` writes them; to be set before it joins.
    var settings = ""
    /// The time that its requests take, for people.
    var stepTime = Duration.zero
    /// Called between a read without a lock and its write, by tests that write something meanwhile.
    var afterSnapshot: (() -> Void)?
    /// The writes that have met records that had changed.
    private(set) var conflictCount = 0
    /// The reason for which this worker stops the job, for people.
    var stopReason: Statement?
    /// The way in which that one names settings.
    var naming = Naming.members

    /// - Parameters:
    ///   - address: The server, as libpq takes it.
    ///   - name: The name of the worker for people.
    ///   - report: The path of its report, for people; empty if it has none.
    init(_ address: String, workerName name: String = "", report: String = "") {
        self.address = address
        self.name = name
        self.report = report.isEmpty ? "" : FileDescriptor.spelledOut(report)
    }

    /// Ends the connection; the next request makes another one.
    func close() { connection = nil }

    /// Runs statements; a connection on which that fails is closed.
    func run(
        _ statements: String, deadline: Instant
    ) throws(PostgresError) -> PostgresConnection.Results {
        do throws(PostgresError) {
            let present: PostgresConnection
            if let connection {
                present = connection
            } else {
                present = try PostgresConnection(
                    address, beginningWith: &firstServer, deadline: deadline)
                connection = present
            }
            return try present.run(statements, deadline: deadline)
        } catch {
            close()
            throw error
        }
    }

    // MARK: The job

    /// The job's facts that no operation changes.
    struct Entry: Equatable, Sendable {
        var identity: UInt64
        /// The moment at which it was made, in UNIX seconds of the server's.
        var began: Int64
        /// True if each of its rows has an outcome.
        var isFinished: Bool
        /// True if it was removed, and nothing but its name is left.
        var isRemoved = false
        /// The rate of all workers together, in millionths of a start per second; `nil` for none, and before one has joined.
        var rate: Int64?
        /// The digest of its inputs and settings; `nil` before a worker has joined.
        var fingerprint: UInt64?
    }

    /// Looks for a job by its name, and makes none.
    /// - Returns: The content of the job, `nil` if there is none; and the server's time, in UNIX seconds.
    /// - Throws: `PostgresError` if the server does not answer in time, or refuses.
    func find(
        _ name: String, deadline: Instant
    ) throws(PostgresError) -> (entry: Entry?, now: Int64) {
        let entry = try enter(name, as: nil, deadline: deadline)
        let results = try run(
            "SELECT extract(epoch FROM clock_timestamp())::bigint", deadline: deadline)
        do throws(ClusterRow.Fault) {
            var row = ClusterRow(results.first?.first ?? [])
            return (entry, Int64(try row.count()))
        } catch {
            throw Self.strange
        }
    }

    /// Finds a job by its name, or makes it.
    /// - Parameters:
    ///   - name: The name.
    ///   - identity: The identity of a new job; `nil` if none is to be made.
    ///   - began: The moment at which a new job was made, in UNIX seconds of the server's; `nil` for the present.
    ///   - deadline: The time at which the search is given up.
    /// - Returns: The content of the job; `nil` if there is none, and none is to be made.
    /// - Throws: `PostgresError` if the server does not answer in time, or refuses.
    func enter(
        _ name: String, as identity: UInt64?, began: Int64? = nil, deadline: Instant
    ) throws(PostgresError) -> Entry? {
        try checkServer(deadline: deadline)
        let label = PostgresConnection.literal(name)
        let make =
            identity.map {
                """
                BEGIN; \(ClusterSQL.promise)
                INSERT INTO fanfare.jobs (name, identity, created)
                SELECT \(label), \(ClusterSQL.bits($0)), \(began.map { "to_timestamp(\($0))" } ?? "now()")
                WHERE NOT EXISTS (SELECT FROM fanfare.jobs WHERE name = \(label))
                ON CONFLICT (name) DO NOTHING; COMMIT;
                """
            } ?? ""
        let results = try run(
            """
            \(make)
            SELECT job, identity, extract(epoch FROM created)::bigint,
            coalesce(state, '') = 'finished', coalesce(state, '') = '\(ClusterSchema.removed)', rate, fingerprint
            FROM fanfare.jobs WHERE name = \(label)
            """, deadline: deadline)
        guard let rows = results.last, identity == nil || !rows.isEmpty else { throw Self.strange }
        guard let found = rows.first else { return nil }
        do throws(ClusterRow.Fault) {
            var row = ClusterRow(found)
            let key = ClusterJobKey(number: try row.number(), identity: try row.bits())
            job = key
            return Entry(
                identity: key.identity, began: Int64(try row.count()), isFinished: try row.flag(),
                isRemoved: try row.flag(), rate: try row.optionalRate(),
                fingerprint: try row.optionalNumber().map { UInt64(bitPattern: $0) })
        } catch {
            throw Self.strange
        }
    }

    /// Returns the name of the job with an identity; `nil` if the server has none.
    func name(
        ofJob identity: UInt64, deadline: Instant
    ) throws(PostgresError) -> String? {
        let rows = try run(
            """
            SELECT left(name, \(Limits.clusterNameMax)) FROM fanfare.jobs
            WHERE identity = \(ClusterSQL.bits(identity))
            """, deadline: deadline
        ).first
        return rows?.first?.first ?? nil
    }

    /// Looks whether the server has tables that this program knows, and keeps what it acknowledges.
    private func checkServer(deadline: Instant) throws(PostgresError) {
        try checkVersion(deadline: deadline)
        let results = try run(
            "SELECT pg_is_in_recovery(), current_setting('fsync')", deadline: deadline)
        let (isStandby, fsync): (Bool, String)
        do throws(ClusterRow.Fault) {
            var line = ClusterRow(results.first?.first ?? [])
            (isStandby, fsync) = (try line.flag(), try line.text())
        } catch {
            throw Self.strange
        }
        guard !isStandby else {
            throw PostgresError(.connection, "the server is a standby, and cannot write")
        }
        guard fsync == "on" else {
            throw PostgresError(
                .statement,
                "the server runs with fsync = off, so it may forget which rows it has granted")
        }
    }

    /// Looks whether the tables are those of this program, before anything else is read or written.
    func checkVersion(deadline: Instant) throws(PostgresError) {
        let results = try run("SELECT version FROM fanfare.meta", deadline: deadline)
        let version: Int64
        do throws(ClusterRow.Fault) {
            var line = ClusterRow(results.first?.first ?? [])
            version = try line.number()
        } catch {
            throw Self.strange
        }
        if let fault = ClusterSchema.fault(ofVersion: version) {
            throw PostgresError(.statement, fault)
        }
    }

    /// The number of standbys that follow the server, if it waits for none of them; 0 if it does not say.
    ///
    /// Any user sees the processes that send to standbys, which have no database; those of backups are none.
    func standbysBehind(deadline: Instant) -> Int {
        let results = try? run(
            """
            SELECT count(*) FROM pg_stat_replication r JOIN pg_stat_activity a USING (pid)
            WHERE a.datid IS NULL AND a.application_name NOT IN ('pg_basebackup', 'pg_receivewal')
            AND current_setting('synchronous_standby_names') = ''
            """, deadline: deadline)
        var line = ClusterRow(results?.first?.first ?? [])
        return (try? line.count()).map { Int($0) } ?? 0
    }

    private static var strange: PostgresError {
        PostgresError(.statement, "its tables are not those of this version of Fanfare")
    }

    // MARK: Requests

    /// Answers a request, as one transaction.
    func transact(
        _ request: ClusterRequest, deadline: Instant
    ) throws(PostgresError) -> ClusterAnswer {
        guard let job else { throw Self.strange }
        // A write that was refused has left its transaction open.
        var opening = ""
        if ClusterDependence.isEnough(for: request) {
            for _ in 0..<Self.conflictsMax {
                let reading = ClusterReading(job: job, request: request)
                guard let found = try snapshot(reading, opening, deadline: deadline) else {
                    return lost()
                }
                var model = found.model
                let answer = model.transact(request)
                guard model.durability != .none else { return answer }
                opening = ""
                guard
                    let dependence = ClusterDependence(
                        of: request, read: found.model.state, written: model.state)
                else { break }
                let guarding = ClusterGuard(
                    job: job, dependence: dependence, read: found.model.state,
                    digests: found.digests)
                afterSnapshot?()
                let isWritten = try write(
                    "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0;\n"
                        + guarding.statements
                        + statements(of: request, from: found.model, to: model, job),
                    deadline: deadline)
                if isWritten { return answer }
                conflictCount += 1
                opening = "ROLLBACK; "
            }
        }
        if !opening.isEmpty { _ = try run("ROLLBACK", deadline: deadline) }
        return try transactLocked(request, of: job, deadline: deadline)
    }

    /// The tries without a lock: then another one is made that no other worker can come before.
    private static let conflictsMax = 2

    private func lost() -> ClusterAnswer {
        close()
        return ClusterAnswer(generation: nil, body: .refused(.jobIsUnknown))
    }

    /// The same under the lock of the job's row, from the read to the write.
    private func transactLocked(
        _ request: ClusterRequest, of job: ClusterJobKey, deadline: Instant
    ) throws(PostgresError) -> ClusterAnswer {
        guard let read = try model(for: request, of: job, deadline: deadline) else { return lost() }
        var model = read
        let answer = model.transact(request)
        guard model.durability != .none else {
            _ = try run("ROLLBACK", deadline: deadline)
            return answer
        }
        _ = try run(statements(of: request, from: read, to: model, job), deadline: deadline)
        return answer
    }

    /// The statements that write what a request has changed, and commit.
    private func statements(
        of request: ClusterRequest, from read: ClusterModel, to model: ClusterModel,
        _ job: ClusterJobKey
    ) -> String {
        var writing = ClusterWriting(
            job: job.number, worker: request.worker, name: name, report: report,
            machine: Machine.hostName, settings: settings, stopReason: stopReason?.text(naming),
            before: read.state, after: model.state)
        writing.stepMilliseconds = stepTime.wholeNanoseconds / 1_000_000
        // A beat alone may be lost: no worker waits for it.
        let promise =
            model.durability == .soon
            ? "SET LOCAL synchronous_commit = off; " : ClusterSQL.promise
        return promise + writing.statements + "COMMIT"
    }

    /// Writes, if all is as it was read.
    /// - Returns: False if it is not: the transaction is still to be ended then.
    private func write(_ statements: String, deadline: Instant) throws(PostgresError) -> Bool {
        guard let connection else { throw Self.strange }
        do throws(PostgresError) {
            _ = try connection.run(statements, deadline: deadline)
            return true
        } catch {
            if ClusterGuard.conflicts.contains(error.state) { return false }
            close()
            throw error
        }
    }

    /// Reads the records that a request is about, without a lock.
    /// - Returns: The records; `nil` if the server has no such job.
    private func snapshot(
        _ reading: ClusterReading, _ opening: String, deadline: Instant
    ) throws(PostgresError) -> (model: ClusterModel, digests: [String?])? {
        var results: PostgresConnection.Results
        do throws(PostgresError) {
            results = try run(opening + reading.snapshot, deadline: deadline)
        } catch {
            if error.saysThatNothingIsThere { return nil }
            throw error
        }
        if !opening.isEmpty { results.removeFirst() }
        do throws(ClusterRow.Fault) {
            return try reading.model(ofSnapshot: results)
        } catch {
            close()
            throw Self.strange
        }
    }

    /// Begins the transaction of a request.
    /// - Returns: The records that the request is about; `nil` if the server has no such job.
    private func model(
        for request: ClusterRequest, of job: ClusterJobKey, deadline: Instant
    ) throws(PostgresError) -> ClusterModel? {
        let reading = ClusterReading(job: job, request: request)
        let results: PostgresConnection.Results
        do throws(PostgresError) {
            results = try run(reading.statements, deadline: deadline)
        } catch {
            if error.saysThatNothingIsThere { return nil }
            throw error
        }
        do throws(ClusterRow.Fault) {
            return try reading.model(results)
        } catch {
            close()
            throw Self.strange
        }
    }

    /// Returns what differs between this worker and those that have joined before.
    /// - Parameters:
    ///   - isPolicy: True for the settings on which the workers may agree anew, false for all others.
    ///   - deadline: The time at which the search is given up.
    /// - Returns: The differences; `nil` if none has a name.
    /// - Throws: `PostgresError` if the server does not answer in time, or refuses.
    func differences(
        ofPolicy isPolicy: Bool, deadline: Instant
    ) throws(PostgresError) -> Statement? {
        guard let job else { throw Self.strange }
        let rows = try run(
            "SELECT left(settings, \(Limits.clusterSettingsMax)) FROM fanfare.jobs WHERE \(job.isRow)",
            deadline: deadline
        ).first
        guard let text = rows?.first?.first ?? nil else { return nil }
        return SharedSettings(text: settings)
            .differences(from: SharedSettings(text: text), ofPolicy: isPolicy)
    }

    /// Notes the outcomes of a worker's report, for people, if no later process of its folder has joined.
    func tell(_ outcomes: [UInt64], of worker: WorkerID, session: Int, deadline: Instant) {
        guard let job else { return }
        _ = try? run(
            """
            UPDATE fanfare.workers SET totals = \(ClusterSQL.counts(outcomes)), speed = 0, writes_off = NULL
            WHERE job = (SELECT job FROM fanfare.jobs WHERE \(job.isRow))
            AND worker = \(ClusterSQL.worker(worker)) AND session = \(session)
            """, deadline: deadline)
    }

    /// Returns who has stopped the job, and why, for people; `nil` if it goes on.
    func stopWords(deadline: Instant) throws(PostgresError) -> ClusterStopWords? {
        guard let job else { throw Self.strange }
        let results = try run(
            """
            SELECT stopped_by, left(stop_reason, \(Limits.clusterReasonMax)) FROM fanfare.jobs
            WHERE \(job.isRow) AND verdict IS NOT NULL;
            SELECT worker, left(name, \(Limits.clusterNameMax)) FROM fanfare.workers
            WHERE job = \(job.number) \(ClusterReading.workersEnd)
            """, deadline: deadline)
        do throws(ClusterRow.Fault) {
            guard results.count == 2 else { throw ClusterRow.Fault() }
            guard let first = results[0].first else { return nil }
            var row = ClusterRow(first)
            let (worker, reason) = (try row.optionalWorker(), try row.optionalText())
            var names: [(id: WorkerID, name: String)] = []
            for values in try ClusterReading.workers(results[1]) {
                var row = ClusterRow(values)
                names.append((try row.worker(), try row.text()))
            }
            return ClusterStopWords(of: worker, among: names, reason: reason)
        } catch {
            throw Self.strange
        }
    }

    /// Returns the place of a worker's report as its present process calls it, for people; `nil` if the server has no
    /// such worker.
    func place(of worker: WorkerID, deadline: Instant) throws(PostgresError) -> String? {
        guard let job else { throw Self.strange }
        let results = try run(
            """
            SELECT left(report, \(Limits.clusterPathMax)), left(machine, \(Limits.clusterNameMax))
            FROM fanfare.workers WHERE job = (SELECT job FROM fanfare.jobs WHERE \(job.isRow))
            AND worker = \(ClusterSQL.worker(worker))
            """, deadline: deadline)
        guard let values = results.first?.first else { return nil }
        do throws(ClusterRow.Fault) {
            var row = ClusterRow(values)
            var holder = ClusterHolder(id: worker, label: "", report: try row.text())
            holder.machine = try row.text()
            return holder.place
        } catch {
            throw Self.strange
        }
    }

    /// Returns the cut that a row lies in, counted from 0, and some that follow it; none if the row is not cut.
    func cuts(
        from row: UInt64, deadline: Instant
    ) throws(PostgresError) -> [ClusterCut] {
        guard let job else { throw Self.strange }
        return try cuts(
            """
            end_row > \(ClusterSQL.count(row)) AND first_row >= (
            SELECT max(first_row) FROM fanfare.cuts
            WHERE job = \(job.number) AND first_row <= \(ClusterSQL.count(row)))
            ORDER BY first_row LIMIT \(Limits.clusterCutsKept)
            """, of: job, deadline)
    }

    /// Returns the last cut; `nil` if there is none.
    func lastCut(deadline: Instant) throws(PostgresError) -> ClusterCut? {
        guard let job else { throw Self.strange }
        return try cuts("true ORDER BY first_row DESC LIMIT 1", of: job, deadline).first
    }

    private func cuts(
        _ condition: String, of job: ClusterJobKey, _ deadline: Instant
    ) throws(PostgresError) -> [ClusterCut] {
        let results = try run(
            """
            SELECT \(ClusterReading.cutColumns) FROM fanfare.cuts
            WHERE job = (SELECT job FROM fanfare.jobs WHERE \(job.isRow)) AND \(condition)
            """, deadline: deadline)
        var cuts: [ClusterCut] = []
        do throws(ClusterRow.Fault) {
            for values in results.first ?? [] { cuts.append(try ClusterReading.cut(values)) }
        } catch {
            throw Self.strange
        }
        return cuts
    }
}
