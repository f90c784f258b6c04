import FanfareBase
package import FanfareCore
import FanfarePostgres
import FanfareSystem

/// A job of several workers as an operator asks about it, and steers it.
package final class ClusterControl {
    let engine: ClusterEngine

    package init(_ address: String) { engine = ClusterEngine(address) }

    var deadline: Instant { MachineClock.now.advanced(by: .seconds(15)) }

    func run(
        _ statements: String, for work: ClusterWork = .looking
    ) throws(FanfareError) -> PostgresConnection.Results {
        try told({ FanfareError($0, by: work) }) { () throws(PostgresError) in
            try engine.run(statements, deadline: deadline)
        }
    }

    /// Looks at the version of the tables, before anything else is asked of them.
    func checkVersion(for work: ClusterWork = .looking) throws(FanfareError) {
        try told({ FanfareError($0, by: work) }) { () throws(PostgresError) in
            try engine.checkVersion(deadline: deadline)
        }
    }

    /// Makes the tables and roles, as far as they are not there yet, or brings earlier ones to this version.
    package func makeTables() throws(FanfareError) {
        _ = try told({ FanfareError($0, by: .tables) }) { () throws(PostgresError) in
            try engine.run("BEGIN; \(ClusterSchema.text) COMMIT", deadline: deadline)
        }
    }

    /// Returns a name that a worker has written into the tables, as it may stand in a line for people.
    package static func shown(_ name: String) -> String {
        TerminalText.reported(name, bytesMax: nameBytesShownMax)
    }

    private static let nameBytesShownMax = 255

    /// Has the others write the lines of a worker that never comes back.
    /// - Parameters:
    ///   - text: The worker's name or its number, as `status` shows them.
    ///   - name: The job.
    /// - Throws: `FanfareError` with code `configuration` if there is none of that name, or if it was heard of a moment ago.
    package func giveUp(_ text: String, of name: String) throws(FanfareError) {
        let job = try key(of: name, for: .job).number
        let found = try run(
            """
            SELECT worker, left(name, \(Limits.clusterNameMax)), state,
            extract(epoch FROM clock_timestamp() - seen)::float8
            FROM fanfare.workers WHERE job = \(job) \(ClusterReading.workersEnd);
            SELECT FROM fanfare.jobs WHERE job = \(job) AND state = 'finished'
            """)
        guard found.count == 2, found[1].isEmpty else {
            throw FanfareError(
                .configuration,
                message: "\(name) is finished: no row of it waits for a worker")
        }
        var names: [(id: WorkerID, name: String)] = []
        var lives: [(state: ClusterWorker.State, silent: Int64)] = []
        do throws(ClusterRow.Fault) {
            for values in try ClusterReading.workers(found[0]) {
                var row = ClusterRow(values)
                names.append((try row.worker(), try row.text()))
                lives.append((try row.word(), Int64(try row.seconds())))
            }
        } catch {
            throw Self.strange
        }
        let place = try ClusterNames(names).place(of: text, in: name)
        let worker = lives[place]
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
        try order([.giveUp(names[place].id)], to: name)
    }

    static let strange = FanfareError(
        .configuration, "the cluster's tables are not those of this version of Fanfare")

    /// Gives an order to all workers of a job; each hears of it with its next beat.
    package func order(
        _ decisions: [ClusterDecision], to name: String
    ) throws(FanfareError) {
        let key = try key(of: name, for: .job)
        let results = try run(
            """
            \(ClusterSQL.beginHolding)
            SELECT \(ClusterReading.jobColumns) FROM fanfare.jobs WHERE \(key.isRow) FOR UPDATE;
            SELECT \(ClusterReading.workerColumns) FROM fanfare.workers
            WHERE job = \(key.number) \(ClusterReading.workersEnd)
            """, for: .job)
        let found: ClusterJob?
        var state = ClusterModel.State()
        do throws(ClusterRow.Fault) {
            guard results.count == 5, let values = results[3].first else {
                throw ClusterRow.Fault()
            }
            found = try ClusterReading.job(values)
            for values in try ClusterReading.workers(results[4]) {
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
            job: key.number, worker: ClusterWriting.person, name: "", before: state,
            after: model.state)
        _ = try run(ClusterSQL.promise + writing.statements + "COMMIT", for: .job)
    }

    /// Finds a job by its name.
    /// - Parameters:
    ///   - name: The name.
    ///   - isRemovedToo: True if it may have been removed before.
    ///   - work: The work that it is for, which takes rights of its own.
    /// - Returns: The name by which statements call it.
    /// - Throws: `FanfareError` with code `configuration` if there is none.
    func key(
        of name: String, isRemovedToo: Bool = false, for work: ClusterWork = .looking
    ) throws(FanfareError) -> ClusterJobKey {
        try checkVersion(for: work)
        let results = try run(
            """
            SELECT job, identity, coalesce(state, '') = '\(ClusterSchema.removed)' FROM fanfare.jobs
            WHERE name = \(PostgresConnection.literal(name))
            """, for: work)
        guard let values = results.first?.first else {
            let known = try jobs()
            let names = known.lines.prefix(5).map { Self.shown($0.name) }.joined(separator: ", ")
            let more = known.lines.count + known.leftOut - min(5, known.lines.count)
            throw FanfareError(
                .configuration,
                message: "there is no job \(name); "
                    + (names.isEmpty
                        ? "there is none at all"
                        : "there are \(names)" + (more > 0 ? ", and \(more) more" : "")))
        }
        let (key, isRemoved): (ClusterJobKey, Bool)
        do throws(ClusterRow.Fault) {
            var row = ClusterRow(values)
            key = ClusterJobKey(number: try row.number(), identity: try row.bits())
            isRemoved = try row.flag()
        } catch {
            throw Self.strange
        }
        guard !isRemoved || isRemovedToo else {
            throw FanfareError(
                .configuration,
                "\(name) was removed, and nothing but its name is there: \(.freesName) of fanfare cluster remove frees it"
            )
        }
        return key
    }
}
