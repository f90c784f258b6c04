import FanfareBase

/// The sums of the lines of one or more reports, taken for those of one job.
package struct ReportDigest: Sendable {
    /// The version of `json()`.
    ///
    /// Members may be added under the same version.
    package static let schema = "fanfare.report/1"

    /// One file that was read.
    package struct File: Equatable, Sendable {
        package var name: String
        /// The lines that are whole.
        package var lines: UInt64
        /// The fault at its end, if it is not whole: a sentence without a full stop.
        package var torn: String?

        /// Describes a file.
        package init(name: String, lines: UInt64, torn: String? = nil) {
            self.name = name
            self.lines = lines
            self.torn = torn
        }
    }

    /// A job that the ids of a report's rows name.
    package struct Job: Equatable, Sendable {
        package var file: String
        package var identity: UInt64
        /// The first row with such an id.
        package var row: UInt64

        package init(file: String, identity: UInt64, row: UInt64) {
            self.file = file
            self.identity = identity
            self.row = row
        }
    }

    package var files: [File] = []
    /// The jobs that ids name, each with the first row that has one; `nil` unless they were asked for.
    package var jobs: [Job]?
    /// The rows of each report; none unless they were asked for.
    package var parts: [ReportRows] = []
    package var tally = Tally()
    /// The latencies of the last attempts of rows that had an answer.
    package private(set) var latency = LatencyHistogram()
    package private(set) var rows = RowSet()
    /// Lines for rows that have another one, without those that a row may have: one of the worker that had it, and one that
    /// says that this worker or its report was lost.
    package private(set) var doubledLines: UInt64 = 0
    /// The rows that were written off, and those that have both lines.
    private var lostRows = RowSet()
    private var returnedRows = RowSet()
    /// UNIX time of the first and the last attempt that is known, in milliseconds.
    ///
    /// A line knows its row's last attempt only.
    package private(set) var sent: ClosedRange<Int64>?
    /// UNIX time of the last answer, in milliseconds.
    package private(set) var ended: Int64?
    /// The number of rows by their number of attempts; the last place takes all higher numbers.
    package private(set) var rowsByAttempts = [UInt64](repeating: 0, count: Limits.attemptsMax + 1)
    /// The number of rows that ended with each status; place 0 for those without an answer.
    package private(set) var rowsByStatus = [UInt64](repeating: 0, count: 1000)
    /// The outcomes by the values of a column; `nil` unless they were asked for.
    package var groups: OutcomeGroups?
    /// The events by time; `nil` unless they were asked for.
    package var series: TimeSeries?

    /// Creates a digest of nothing.
    /// - Parameter keepsSeries: True if it keeps the events by time.
    package init(keepsSeries: Bool = false) {
        if keepsSeries { series = TimeSeries() }
    }

    /// Records a line.
    /// - Parameters:
    ///   - line: The line.
    ///   - counts: False if it gives way to another one of its row, and is in none of the sums.
    package mutating func record(_ line: ReportLine, counts: Bool = true) {
        noteRow(of: line)
        guard counts else { return }
        tally.rowsRead += 1
        unsafe tally.record(
            line.outcome, status: line.status, reason: line.reason, index: line.index,
            attempts: line.attempts)
        rowsByAttempts[min(Int(line.attempts), Limits.attemptsMax)] += 1
        rowsByStatus[min(Int(line.status), 999)] += 1
        if line.status != 0 { latency.record(nanoseconds: line.latencyNanoseconds) }
        guard let moment = line.sentAtMilliseconds else { return }
        sent =
            sent.map { min($0.lowerBound, moment)...max($0.upperBound, moment) }
            ?? moment...moment
        let end = moment + line.latencyNanoseconds / 1_000_000
        ended = max(ended ?? end, end)
        series?.record(line, endedAt: end)
    }

    private mutating func noteRow(of line: ReportLine) {
        let isWrittenOff = line.isWrittenOff
        let wasWrittenOff = lostRows.contains(line.row)
        if isWrittenOff { _ = lostRows.insert(line.row) }
        guard !rows.insert(line.row) else { return }
        if isWrittenOff == wasWrittenOff || !returnedRows.insert(line.row) { doubledLines += 1 }
    }

    /// Notes the job that the id of a row names.
    package mutating func record(id: String, ofRow row: UInt64, in file: String) {
        guard let bits = JobIdentity.bits(of: id, ofRow: row), let known = jobs,
            known.count < Limits.reportJobsMax,
            // One report for each job is enough to say which does not belong here.
            !known.contains(where: { $0.identity == bits })
        else { return }
        jobs?.append(Job(file: file, identity: bits, row: row))
    }

    /// Lines in the sums for rows that have another one in them.
    package var repeatedLines: UInt64 { tally.rowsRead - min(tally.rowsRead, rows.count) }

    /// Row numbers up to the highest one that have no line: those of a job that is not finished.
    package var missingRows: UInt64 { rows.highest - rows.count }

    /// The time from the first attempt that is known to the last answer.
    package var durationMilliseconds: Int64? {
        guard let sent, let ended else { return nil }
        return ended - sent.lowerBound
    }

    /// Rows that were sent, per second of the duration; `nil` where there is no duration.
    package var rowsPerSecond: Double? {
        guard let milliseconds = durationMilliseconds, milliseconds > 0 else { return nil }
        return Double(tally.finished - rowsByAttempts[0]) * 1000 / Double(milliseconds)
    }
}
