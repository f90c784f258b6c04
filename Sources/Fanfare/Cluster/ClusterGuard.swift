import FanfareBase
import FanfareCore

/// The statements by which a server compares what an answer depends on with what was read, under the lock of the job's row.
///
/// If anything has changed, they fail with a division by zero, and nothing behind them is carried out.
struct ClusterGuard {
    let job: ClusterJobKey
    let dependence: ClusterDependence
    let read: ClusterModel.State
    /// The digests that were read, in the order of `digests`.
    let digests: [String?]

    /// The states of a statement that fails because records have changed: ours, and a record of the same name.
    static let conflicts = ["22012", "23505"]

    /// Ends with a semicolon.
    var statements: String {
        var row = job.isRow
        var conditions: [String] = []
        for condition in dependence.conditions {
            if case .job(let part) = condition {
                row += read.job.map { " AND " + Self.isSame(Self.columns(of: $0, part)) } ?? ""
            } else {
                conditions.append(text(condition))
            }
        }
        let all = conditions.isEmpty ? "true" : conditions.joined(separator: " AND ")
        return """
            SELECT 1 / count(*) FROM (SELECT FROM fanfare.jobs WHERE \(row) FOR UPDATE) AS locked;
            SELECT 1 / coalesce((\(all)), false)::int;

            """
    }

    private func text(_ condition: ClusterDependence.Condition) -> String {
        switch condition {
        case .job: return "true"
        case .worker(let id, let part):
            let worker = read.workers.first { $0.id == id }
            return exists(
                "workers", [("worker", ClusterSQL.worker(id))],
                worker.map { Self.columns(of: $0, part) })
        case .range(let key):
            let range = read.ranges.first { $0.key == key }
            return exists("ranges", ClusterWriting.keys(of: key), range.map(ClusterWriting.columns))
        case .grant(let key):
            let grant = read.grants.first { $0.key == key }
            return exists("grants", ClusterWriting.keys(of: key), grant.map(ClusterWriting.columns))
        case .room(let worker):
            let sum = ClusterDependence.sharesBesides(worker, read)
            return "coalesce((SELECT sum(share) FROM fanfare.workers WHERE job = \(job.number) "
                + "AND worker <> \(ClusterSQL.worker(worker))), 0) <= \(sum)"
        case .states, .open, .allGrants:
            // Those that were read are the ones that the answer depends on, in their order.
            let place = dependence.conditions.filter(Self.hasDigest).firstIndex(of: condition)
            let value = place.flatMap { digests.indices.contains($0) ? digests[$0] : nil }
            return
                "\(Self.digest(condition, ofJob: job.number) ?? "''") = \(ClusterSQL.text(value))"
        case .othersOpen(let ranges, let grants):
            let isOpen = ClusterDependence.hasOpen(read, besides: ranges, grants)
            return "(\(othersOpen(ranges, grants))) = \(ClusterSQL.flag(isOpen))"
        }
    }

    /// True of a record that is as it was; or of a name that no record has, if none had it.
    private func exists(
        _ table: String, _ keys: ClusterWriting.Columns, _ columns: ClusterWriting.Columns?
    ) -> String {
        let record =
            "EXISTS (SELECT FROM fanfare.\(table) WHERE job = \(job.number)"
            + ClusterSQL.conditions(keys)
        return columns.map { record + " AND " + Self.isSame($0) + ")" } ?? "NOT \(record))"
    }

    private static func isSame(_ columns: ClusterWriting.Columns) -> String {
        "(" + ClusterSQL.list(columns) { $0 += $1.name } + ") IS NOT DISTINCT FROM ("
            + ClusterSQL.list(columns) { $0 += $1.value } + ")"
    }

    private func othersOpen(_ ranges: [RangeKey], _ grants: [GrantKey]) -> String {
        let keys = ranges.map { ClusterSQL.bits($0.bits) }.joined(separator: ", ")
        let names = grants.map {
            "(\(ClusterSQL.bits($0.range.bits)), \(ClusterSQL.bits($0.epoch)))"
        }.joined(separator: ", ")
        return "EXISTS (SELECT FROM fanfare.ranges WHERE job = \(job.number) AND NOT is_done"
            + (keys.isEmpty ? "" : " AND key NOT IN (\(keys))") + ") OR "
            + "EXISTS (SELECT FROM fanfare.grants WHERE job = \(job.number) AND NOT is_settled"
            + (names.isEmpty ? "" : " AND (key, epoch) NOT IN (\(names))") + ")"
    }

    private static func columns(
        of job: ClusterJob, _ part: ClusterDependence.JobPart
    ) -> ClusterWriting.Columns {
        switch part {
        case .whole: ClusterWriting.columns(of: job)
        case .orders: ClusterWriting.givingColumns(of: job) + ClusterWriting.otherColumns(of: job)
        case .gives:
            ClusterWriting.givingColumns(of: job) + ClusterWriting.cutColumns(of: job).prefix(1)
        }
    }

    private static func columns(
        of worker: ClusterWorker, _ part: ClusterDependence.WorkerPart
    ) -> ClusterWriting.Columns {
        switch part {
        case .whole: ClusterWriting.columns(of: worker)
        case .session: [ClusterWriting.session(of: worker)]
        case .life: ClusterWriting.life(of: worker)
        }
    }

    // MARK: Digests

    /// The digests that a request of a kind may depend on: read with its records, and compared with the same ones later.
    static func digests(of request: ClusterRequest, ofJob job: Int64) -> [String] {
        switch request.operation {
        case .beat(let beat):
            digests(
                ofJob: job,
                read: (beat.isLeaving ? [.states] : []) + [.open(of: request.worker)])
        case .cut: digests(ofJob: job, read: [.allGrants])
        case .join, .reassert, .survey, .take, .grant, .settle, .giveBack, .decide: []
        }
    }

    private static func digests(
        ofJob job: Int64, read conditions: [ClusterDependence.Condition]
    ) -> [String] {
        conditions.compactMap { digest($0, ofJob: job) }
    }

    private static func hasDigest(_ condition: ClusterDependence.Condition) -> Bool {
        switch condition {
        case .states, .open, .allGrants: true
        case .job, .worker, .range, .grant, .room, .othersOpen: false
        }
    }

    /// A digest of many records as one value.
    private static func digest(
        _ condition: ClusterDependence.Condition, ofJob job: Int64
    ) -> String? {
        func digest(_ value: String, _ table: String, _ records: String) -> String {
            "coalesce((SELECT hashtextextended(string_agg(\(value), ',' ORDER BY place), 0) "
                + "FROM fanfare.\(table) AS entry WHERE job = \(job)\(records)), 0)"
        }
        switch condition {
        case .states: return digest("state", "workers", "")
        case .open(let worker):
            let own = ClusterSQL.worker(worker)
            return "concat_ws(' ', "
                + digest("entry::text", "ranges", " AND owner = \(own) AND NOT is_done") + ", "
                + digest("entry::text", "grants", " AND worker = \(own) AND NOT is_settled") + ")"
        case .allGrants: return digest("entry::text", "grants", "")
        case .job, .worker, .range, .grant, .room, .othersOpen: return nil
        }
    }
}
