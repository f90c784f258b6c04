import FanfareBase
package import FanfareCore
import FanfarePostgres

/// The jobs of a server: which there are, and how one goes.
extension ClusterControl {
    /// A job in a list of all.
    package struct JobLine: Equatable, Sendable {
        package let name: String
        /// Nothing if no worker has joined yet.
        package let state: ClusterJobState?
        package let isPaused: Bool
        /// The rows that were counted so far, and whether these are all.
        package let rows: UInt64
        package let isAllCounted: Bool
        /// The time since it was made.
        package let ageSeconds: Double
        /// Its workers, and those of them that live.
        package let workers: UInt64
        package let alive: UInt64
        /// The time since the server heard of one of them.
        package let silentSeconds: Double?

        package init(
            name: String, state: ClusterJobState?, isPaused: Bool, rows: UInt64,
            isAllCounted: Bool, ageSeconds: Double, workers: UInt64, alive: UInt64,
            silentSeconds: Double?
        ) {
            self.name = name
            // One that no worker is left to stop is stopped.
            self.state = state == .stopping && alive == 0 ? .stopped : state
            self.isPaused = isPaused && state != .finished
            (self.rows, self.isAllCounted, self.ageSeconds) = (rows, isAllCounted, ageSeconds)
            (self.workers, self.alive, self.silentSeconds) = (workers, alive, silentSeconds)
        }
    }

    /// Returns all jobs, the newest first, and the number of those that there is no room for.
    package func jobs() throws(FanfareError) -> (lines: [JobLine], leftOut: Int) {
        try checkVersion()
        let silence = "clock_timestamp() - max(w.seen)"
        let results = try run(
            """
            SELECT left(j.name, \(Limits.clusterNameMax)), j.state, j.is_paused, j.cut_rows, j.is_all_cut,
            extract(epoch FROM clock_timestamp() - j.created)::float8, count(w.worker),
            count(w.worker) FILTER (WHERE w.state = 'active' AND
            w.seen > clock_timestamp() - interval '\(Int(Self.patience)) s'),
            extract(epoch FROM \(silence))::float8
            FROM fanfare.jobs j LEFT JOIN fanfare.workers w USING (job)
            WHERE \(Self.isThere("j.state"))
            GROUP BY j.job ORDER BY j.job DESC LIMIT \(Limits.clusterJobsListed);
            SELECT count(*) FROM fanfare.jobs WHERE \(Self.isThere("state"))
            """)
        do throws(ClusterRow.Fault) {
            guard results.count == 2, let count = results[1].first else { throw ClusterRow.Fault() }
            var lines: [JobLine] = []
            for values in results[0] { lines.append(try Self.line(values)) }
            var row = ClusterRow(count)
            return (lines, max(0, Int(try row.count()) - lines.count))
        } catch {
            throw Self.strange
        }
    }

    /// True of the state of a job that was not removed.
    private static func isThere(_ state: String) -> String {
        "\(state) IS DISTINCT FROM '\(ClusterSchema.removed)'"
    }

    private static func line(_ values: [String?]) throws(ClusterRow.Fault) -> JobLine {
        var row = ClusterRow(values)
        let name = try row.text()
        var state: ClusterJobState?
        if let word = try row.optionalText() {
            guard let known = ClusterJobState(rawValue: word) else { throw ClusterRow.Fault() }
            state = known
        }
        return JobLine(
            name: name, state: state, isPaused: try row.flag(), rows: try row.count(),
            isAllCounted: try row.flag(), ageSeconds: try row.seconds(), workers: try row.count(),
            alive: try row.count(), silentSeconds: try row.optionalSeconds())
    }

    /// A job that was removed.
    package struct Removal: Equatable, Sendable {
        package let rows: UInt64
        /// For each worker its name and the place of its report, for people.
        package let reports: [String]
        /// True if the name is free: without a worker nothing was sent.
        package var isNameFree: Bool
    }

    /// Removes a job: all that the server knows of it, but for its name.
    ///
    /// While the name is taken no worker that is started again begins the job anew: one that has got no rows has nothing by
    /// which it could know that there was a job.
    /// - Parameters:
    ///   - name: The job.
    ///   - isUnfinishedToo: True to remove one that is not finished.
    ///   - freesName: True to free the name as well, also that of a job which was removed before.
    /// - Returns: The content that was removed.
    /// - Throws: `FanfareError` with code `configuration` if a worker was heard of a moment ago, if the job is not finished,
    ///   or if the user may not do so.
    package func remove(
        _ name: String, isUnfinishedToo: Bool, freesName: Bool = false
    ) throws(FanfareError) -> Removal {
        let key = try key(of: name, isRemovedToo: freesName, for: .removal)
        let results = try run(
            """
            \(ClusterSQL.beginHolding)
            SELECT coalesce(state, ''), cut_rows FROM fanfare.jobs WHERE \(key.isRow) FOR UPDATE;
            \(ClusterHoldings.selectHolders(ofJob: key.number))
            """, for: .removal)
        do throws(FanfareError) {
            var removal = try Self.removal(of: name, results, isUnfinishedToo: isUnfinishedToo)
            if freesName { removal.isNameFree = true }
            // The record goes with all that hangs on it. The name comes back without an identity that a worker knows.
            let keeping =
                removal.isNameFree
                ? ""
                : """
                INSERT INTO fanfare.jobs (name, identity, state) VALUES (\(PostgresConnection.literal(name)), \
                0, '\(ClusterSchema.removed)');
                """
            _ = try told({ FanfareError($0, by: .removal) }) { () throws(PostgresError) in
                try engine.run(
                    "DELETE FROM fanfare.jobs WHERE \(key.isRow); \(keeping) COMMIT",
                    deadline: deadline)
            }
            return removal
        } catch {
            // The connection is gone if the server has refused.
            _ = try? run("ROLLBACK")
            throw error
        }
    }

    static func removal(
        of name: String, _ results: PostgresConnection.Results, isUnfinishedToo: Bool
    ) throws(FanfareError) -> Removal {
        let (state, rows): (String, UInt64)
        var holders: [ClusterHolder] = []
        do throws(ClusterRow.Fault) {
            guard results.count == 5, let first = results[3].first else { throw ClusterRow.Fault() }
            var line = ClusterRow(first)
            (state, rows) = (try line.text(), try line.count())
            holders = try ClusterHoldings.holders(results[4])
        } catch {
            throw Self.strange
        }
        let alive = holders.filter { $0.state != .left && $0.silentSeconds < patience }
        guard alive.isEmpty else {
            let names = alive.map { shown($0.label) }.joined(separator: ", ")
            let silent = alive.map(\.silentSeconds).min() ?? 0
            let remedy =
                state == "finished"
                ? "\(name) is finished, and can be removed \(Int(patience)) s after the last word of a worker"
                : "let the job end, or fanfare cluster stop it, and wait for \(Int(patience)) s"
            throw FanfareError(
                .configuration,
                message:
                    "\(names) of \(name) \(alive.count == 1 ? "was" : "were") heard of \(Int(silent)) s ago: \(remedy)"
            )
        }
        // One that no worker has joined has sent nothing.
        guard ["finished", "", ClusterSchema.removed].contains(state) || isUnfinishedToo else {
            throw FanfareError(
                .configuration,
                "\(name) is not finished, and only the server knows which rows were granted to whom; "
                    + "\(.removesUnfinishedJobs) removes it nevertheless")
        }
        return Removal(
            rows: rows, reports: holders.map { "\(shown($0.label)): \($0.place)" },
            isNameFree: state.isEmpty && holders.isEmpty)
    }
}
