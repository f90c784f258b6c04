import FanfareBase
package import FanfareCore

/// The reports of a job's workers, held against what the engine has granted to whom.
package struct ClusterAudit: Equatable, Sendable {
    /// Rows that a worker was granted, and that have no line in the reports.
    package struct Gap: Equatable, Sendable {
        /// The worker, as every command calls it, and where its report is, as it called it.
        package let worker: String
        package let report: String
        /// The word by which a command names it.
        package var word: String
        /// True if it may be at work.
        package var isAlive = false
        package let rows: UInt64
        /// The first of them, counted from 1.
        package let firstRow: UInt64
        /// Those of them of which the worker had told that its report has their lines.
        package let toldRows: UInt64
        package let firstToldRow: UInt64?
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
    /// Rows that no worker was granted.
    package let neverGranted: UInt64
    /// Rows without a line that a worker had, and the server does not say which one.
    package let unexplained: UInt64
    /// Reports whose rows have ids of other jobs.
    package var strangers: [ReportDigest.Job] = []
    /// Reports that have lines of the same rows, and reports that have two of one.
    package var overlaps: [ReportOverlap] = []
    package var repeats: [ReportRows.Repeat] = []

    /// True if each row of the input has a line in the reports.
    package var isWhole: Bool {
        isFinished && gaps.isEmpty && strangers.isEmpty && reportedRows == jobRows
            && doubledLines == 0
    }

    init(
        job: String, isFinished: Bool, jobRows: UInt64, holders: [ClusterHolder],
        neverGranted: UInt64 = 0, reported: RowSet, doubledLines: UInt64 = 0,
        strangers: [ReportDigest.Job] = []
    ) {
        self.strangers = strangers
        self.doubledLines = doubledLines
        self.job = job
        self.isFinished = isFinished
        self.jobRows = jobRows
        self.neverGranted = neverGranted
        reportedRows = reported.count
        // The engine counts rows from 0, and reports from 1.
        let missing = reported.missing(in: 1..<jobRows + 1).count
        var explained = neverGranted
        for holder in holders {
            let all = holder.rows.missing(in: reported)
            guard let first = all.first else { continue }
            let told = holder.toldRows.missing(in: reported)
            explained += all.count
            gaps.append(
                Gap(
                    worker: holder.label, report: holder.place, word: holder.word,
                    isAlive: holder.isAlive, rows: all.count, firstRow: first,
                    toldRows: told.count, firstToldRow: told.first))
        }
        unexplained = missing - min(explained, missing)
    }

    /// A sentence for each fault; empty if there is none.
    package var faults: [String] {
        let reports = strangers.map { stranger in
            "\(stranger.file) is the report of another job than \(job): its row \(stranger.row) has an id of job "
                + JobIdentity(bits: stranger.identity).text
        }
        // Missing lines say nothing as long as lines of other jobs are among them.
        guard reports.isEmpty else { return reports }
        var faults = gaps.flatMap { text(of: $0) }
        if unexplained > 0 {
            faults.append(
                "\(unexplained) rows of \(job) have no line here. A worker had them that was written off, and the server "
                    + "does not say which one: they were sent, or may have been")
        }
        if neverGranted > 0 {
            faults.append("\(neverGranted) rows of \(job) were granted to no worker yet")
        }
        if reportedRows > jobRows {
            faults.append(
                "\(reportedRows) rows have a line, but \(job) has counted \(jobRows): there is a report of another job"
            )
        }
        faults += doubles
        if !isFinished && faults.isEmpty { faults.append("\(job) is not finished") }
        return faults
    }

    private func text(of gap: Gap) -> [String] {
        let worker = ClusterControl.shown(gap.worker)
        var texts: [String] = []
        if let first = gap.firstToldRow {
            texts.append(
                "\(worker) has told that its report has lines of \(gap.toldRows) rows of \(job) that have none here, the "
                    + "first one is row \(first): its report (\(gap.report)) is missing, or not whole"
                    + (gap.isAlive ? "; it is at work, so collect it when that is done" : "")
            )
        }
        let others = gap.rows - gap.toldRows
        if others > 0 {
            let first = gap.toldRows == 0 ? ", the first one is row \(gap.firstRow)" : ""
            texts.append(
                "\(worker) was granted \(others) \(texts.isEmpty ? "" : "more ")rows of \(job) that have no line here\(first): "
                    + (gap.isAlive
                        ? "it is at work on them"
                        : "they may have been sent, and get their lines when it comes back or is written off")
                    + " (\(gap.report))"
            )
        }
        return texts
    }

    /// The sentences about rows with two lines.
    private var doubles: [String] {
        guard doubledLines > 0 else { return [] }
        let faults = repeats.map { part in
            "\(part.file) has \(part.lines) lines of rows that it has another line of, the first one is row \(part.row)"
        }
        let pairs = overlaps.map { overlap in
            let (first, second) = (overlap.first, overlap.second)
            let remark =
                switch overlap.kind {
                case .same: "one is a copy of the other, or of another job: leave it out"
                case .inFirst:
                    "\(second) is a copy of a part of \(first), or of another job: leave it out"
                case .inSecond:
                    "\(first) is a copy of a part of \(second), or of another job: leave it out"
                case .partial:
                    "compare sent_at in two lines of a row. If each has a time of its own, the row was sent twice, and so it "
                        + "stays; if the times are the same, a folder was copied, or one of them is of another job"
                }
            return
                "\(first) and \(second) both have lines of \(overlap.rows) rows, from row \(overlap.span.lowerBound) to "
                + "\(overlap.span.upperBound): \(remark)"
        }
        let all = faults + pairs
        return all.isEmpty ? ["\(doubledLines) lines are of rows that have another one"] : all
    }
}

extension RowIntervals {
    /// The rows of the set, counted from 0, that have no line in reports, which count from 1: their number, and the first one
    /// as reports count it.
    func missing(in reported: RowSet) -> (count: UInt64, first: UInt64?) {
        var (count, first): (UInt64, UInt64?) = (0, nil)
        for span in spans {
            let found = reported.missing(in: span.lowerBound + 1..<span.upperBound + 1)
            count += found.count
            first = first ?? found.first
        }
        return (count, first)
    }
}
