import FanfareBase
package import FanfareCore
import FanfarePostgres

/// The reports of a job's workers, held against what the engine has granted to whom.
package struct ClusterAudit: Equatable, Sendable {
    /// Rows that a worker was granted, and that have no line in the reports.
    package struct Gap: Equatable, Sendable {
        /// The worker's name, and its report as it called it.
        package let worker: String
        package let report: String
        package let rows: UInt64
        /// The first of them, counted from 1.
        package let firstRow: UInt64
    }

    package let job: String
    package let isFinished: Bool
    /// The rows that were counted in the job's input, and those of them that have a line.
    package let jobRows: UInt64
    package let reportedRows: UInt64
    /// Lines of rows that had one before, but for those that a row may have twice: one by the worker that had it, and one
    /// by another that has written it off.
    package let doubledLines: UInt64
    /// One for each worker whose report is missing, or not whole.
    package var gaps: [Gap] = []
    /// Rows without a line that no worker was granted.
    package var notGranted: UInt64 = 0
    /// Reports whose rows have ids of other jobs.
    package var strangers: [ReportDigest.Job] = []

    /// True if each row of the input has a line in the reports.
    package var isWhole: Bool {
        isFinished && gaps.isEmpty && strangers.isEmpty && reportedRows == jobRows
            && doubledLines == 0
    }

    /// A worker, and the rows that it has or had.
    struct Holder {
        let id: WorkerID
        let name: String
        let report: String
        var rows = RowIntervals()
    }

    init(
        job: String, isFinished: Bool, jobRows: UInt64, holders: [Holder], reported: RowSet,
        doubledLines: UInt64 = 0, strangers: [ReportDigest.Job] = []
    ) {
        self.strangers = strangers
        self.doubledLines = doubledLines
        self.job = job
        self.isFinished = isFinished
        self.jobRows = jobRows
        reportedRows = reported.count
        // The engine counts rows from 0, and reports from 1.
        let missing = reported.missing(in: 1..<jobRows + 1).count
        var explained: UInt64 = 0
        for holder in holders {
            var (count, first): (UInt64, UInt64?) = (0, nil)
            for span in holder.rows.spans {
                let found = reported.missing(in: span.lowerBound + 1..<span.upperBound + 1)
                count += found.count
                first = first ?? found.first
            }
            guard let first else { continue }
            explained += count
            gaps.append(
                Gap(worker: holder.name, report: holder.report, rows: count, firstRow: first))
        }
        notGranted = missing - min(explained, missing)
    }

    /// A sentence for each fault; empty if there is none.
    package var faults: [String] {
        let reports = strangers.map { stranger in
            "\(stranger.file) is the report of another job than \(job): its row \(stranger.row) has an id of job "
                + JobIdentity(bits: stranger.identity).text
        }
        // Missing lines say nothing as long as lines of other jobs are among them.
        guard reports.isEmpty else { return reports }
        var faults = gaps.map { gap in
            "\(ClusterControl.shown(gap.worker)) has \(gap.rows) rows of \(job) that have no line here, the first one is row \(gap.firstRow): "
                + "its report (\(ClusterControl.shown(gap.report)) there) is missing, or not whole"
        }
        if notGranted > 0 {
            faults.append("\(notGranted) rows of \(job) were granted to no worker yet")
        }
        if reportedRows > jobRows {
            faults.append(
                "\(reportedRows) rows have a line, but \(job) has counted \(jobRows): there is a report of another job"
            )
        }
        if doubledLines > 0 {
            // Only ids of APNs name a job.
            faults.append(
                "\(doubledLines) lines are of rows that have another one: the report of another job than \(job) is among "
                    + "these files, or one of them twice")
        }
        if !isFinished && faults.isEmpty { faults.append("\(job) is not finished") }
        return faults
    }
}

extension ClusterControl {
    /// Holds the rows of some reports against those of a job.
    /// - Parameters:
    ///   - digest: The sums of the reports' lines, with the jobs that ids in them name.
    ///   - name: The job.
    /// - Returns: The result.
    /// - Throws: `FanfareError` with code `configuration` if the server has no such job, or cannot be used.
    package func audit(
        _ digest: ReportDigest, of name: String
    ) throws(FanfareError) -> ClusterAudit {
        let key = try key(of: name)
        let job = key.number
        let results = try run(
            """
            BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
            SELECT state = 'finished', cut_rows, identity FROM fanfare.jobs WHERE \(key.isRow);
            SELECT worker, left(name, \(Limits.clusterNameMax)), left(report, \(Limits.clusterPathMax))
            FROM fanfare.workers WHERE job = \(job) \(ClusterReading.workersEnd);
            SELECT \(ClusterReading.rangeColumns) FROM fanfare.ranges WHERE job = \(job);
            SELECT \(ClusterReading.grantColumns) FROM fanfare.grants WHERE job = \(job);
            COMMIT
            """)
        do throws(ClusterRow.Fault) {
            guard results.count == 6, let first = results[1].first else { throw ClusterRow.Fault() }
            var line = ClusterRow(first)
            let isFinished = try line.optionalText() == "t"
            let jobRows = try line.count()
            let identity = JobIdentity(bits: try line.bits()).bits
            var holders: [ClusterAudit.Holder] = []
            for values in try ClusterReading.workers(results[2]) {
                var row = ClusterRow(values)
                holders.append(
                    ClusterAudit.Holder(
                        id: try row.worker(), name: try row.text(), report: try row.text()))
            }
            for values in results[3] {
                let range = try ClusterReading.range(values)
                guard let owner = holders.firstIndex(where: { $0.id == range.owner }) else {
                    continue
                }
                holders[owner].rows.formUnion(range.grantedRows)
            }
            for values in results[4] {
                let grant = try ClusterReading.grant(values)
                guard let owner = holders.firstIndex(where: { $0.id == grant.worker }) else {
                    continue
                }
                holders[owner].rows.formUnion(grant.rows)
            }
            return ClusterAudit(
                job: name, isFinished: isFinished, jobRows: jobRows, holders: holders,
                reported: digest.rows, doubledLines: digest.doubledLines,
                strangers: (digest.jobs ?? []).filter { $0.identity != identity })
        } catch {
            throw Self.strange
        }
    }
}
