import FanfareCore
import Testing

@testable import Fanfare

/// The reports of several workers against the job on their server.
@Suite struct ClusterAuditTests {
    private func audit(
        _ reported: [ClosedRange<UInt64>], isFinished: Bool = true,
        told: RowIntervals = RowIntervals(10..<15)
    ) -> ClusterAudit {
        var rows = RowSet()
        for span in reported { for row in span { _ = rows.insert(row) } }
        // Rows 1 to 10 and 16 to 20 are of web1, 11 to 15 of web2; the engine counts from 0.
        var first = RowIntervals(0..<10)
        first.insert(15..<20)
        return ClusterAudit(
            job: "july", isFinished: isFinished, jobRows: 20,
            holders: [
                Self.holder(1, "web1", "a.csv", rows: first, told: first),
                Self.holder(
                    2, "web2", "b.csv", machine: "m2", rows: RowIntervals(10..<15),
                    told: told),
            ], reported: rows)
    }

    private static func holder(
        _ id: UInt128, _ name: String, _ report: String, machine: String = "", rows: RowIntervals,
        told: RowIntervals
    ) -> ClusterHolder {
        var holder = ClusterHolder(id: WorkerID(bits: id), label: name, report: report)
        holder.machine = machine
        holder.silentSeconds = 15
        (holder.rows, holder.toldRows) = (rows, told)
        return holder
    }

    @Test func `reports that have each row are whole`() {
        let audit = audit([1...20])
        #expect(audit.isWhole && audit.faults.isEmpty)
    }

    @Test func `a missing report is named, with its worker`() {
        let audit = audit([1...10, 16...20])
        #expect(!audit.isWhole)
        #expect(
            audit.gaps == [
                .init(
                    worker: "web2", report: "b.csv on m2", word: "web2", rows: 5, firstRow: 11,
                    toldRows: 5,
                    firstToldRow: 11)
            ])
        #expect(
            audit.faults == [
                "web2 has told that its report has lines of 5 rows of july that have none here, the first one is row 11: "
                    + "its report (b.csv on m2) is missing, or not whole"
            ])
    }

    @Test func `rows of which a worker has not told a line may have been sent`() {
        let some = audit([1...10, 16...20], isFinished: false, told: RowIntervals(10..<12))
        #expect(
            some.faults == [
                "web2 has told that its report has lines of 2 rows of july that have none here, the first one is row 11: "
                    + "its report (b.csv on m2) is missing, or not whole",
                "web2 was granted 3 more rows of july that have no line here: they may have been sent, and get their "
                    + "lines when it comes back or is written off (b.csv on m2)",
            ])
        let none = audit([1...10, 16...20], isFinished: false, told: RowIntervals())
        #expect(
            none.faults == [
                "web2 was granted 5 rows of july that have no line here, the first one is row 11: they may have been "
                    + "sent, and get their lines when it comes back or is written off (b.csv on m2)"
            ])
    }

    @Test func `a worker that lives is at work on its rows`() {
        var holder = Self.holder(
            2, "-w\u{1B}", "b.csv", machine: "m2", rows: RowIntervals(10..<15),
            told: RowIntervals(10..<12))
        func audit() -> ClusterAudit {
            ClusterAudit(
                job: "july", isFinished: false, jobRows: 20, holders: [holder],
                reported: rows([1...10, 16...20]))
        }
        holder.silentSeconds = 14.9
        #expect(
            audit().faults == [
                "-w\u{FFFD} has told that its report has lines of 2 rows of july that have none here, the first one is row "
                    + "11: its report (b.csv on m2) is missing, or not whole; it is at work, so collect it when that is done",
                "-w\u{FFFD} was granted 3 more rows of july that have no line here: it is at work on them (b.csv on m2)",
            ])
        #expect(audit().gaps[0].isAlive)
        // A name that a terminal must not get is no word for a command.
        #expect(audit().gaps[0].word == WorkerID(bits: 2).text)
        holder.state = .left
        #expect(!audit().gaps[0].isAlive)
    }

    /// Tables of before the engine kept so do not say it.
    @Test func `rows that some worker had are never called granted to none`() {
        let audit = ClusterAudit(
            job: "july", isFinished: true, jobRows: 20,
            holders: [
                Self.holder(
                    1, "web1", "a.csv", rows: RowIntervals(0..<15), told: RowIntervals(0..<15))
            ], reported: rows([1...15]))
        #expect(
            audit.faults == [
                "5 rows of july have no line here. A worker had them that was written off, and the server does not say "
                    + "which one: they were sent, or may have been"
            ])
    }

    private func rows(_ spans: [ClosedRange<UInt64>]) -> RowSet {
        var rows = RowSet()
        for span in spans { for row in span { _ = rows.insert(row) } }
        return rows
    }

    @Test func `names from the tables do nothing to a terminal`() {
        let audit = ClusterAudit(
            job: "july", isFinished: true, jobRows: 5,
            holders: [
                Self.holder(
                    1, "w\u{1B}[2J\nall is well", "a\u{1B}]0;x\u{7}.csv",
                    rows: RowIntervals(0..<5), told: RowIntervals(0..<5))
            ], reported: RowSet())
        #expect(
            audit.faults == [
                "w\u{FFFD}[2J\u{FFFD}all is well has told that its report has lines of 5 rows of july that have none here, "
                    + "the first one is row 1: its report (a\u{FFFD}]0;x\u{FFFD}.csv there) is missing, or not whole"
            ])
    }

    @Test func `a report that is not whole is named`() {
        let audit = audit([1...8, 11...15, 16...19])
        #expect(
            audit.gaps == [
                .init(
                    worker: "web1", report: "a.csv there", word: "web1", rows: 3, firstRow: 9,
                    toldRows: 3,
                    firstToldRow: 9)
            ])
    }

    @Test func `a job that goes on, and a report of another one, are told`() {
        #expect(!audit([1...20], isFinished: false).isWhole)
        #expect(audit([1...20], isFinished: false).faults == ["july is not finished"])
        #expect(
            audit([1...21]).faults == [
                "21 rows have a line, but july has counted 20: there is a report of another job"
            ])
    }

    @Test func `rows that no worker was granted are told`() {
        let audit = ClusterAudit(
            job: "july", isFinished: false, jobRows: 20, holders: [], neverGranted: 20,
            reported: RowSet())
        #expect(audit.faults == ["20 rows of july were granted to no worker yet"])
    }

    // MARK: Rows with two lines

    /// Reads reports of accepted rows, each with a name and its rows.
    private func audit(of parts: [(name: String, rows: [ClosedRange<UInt64>])]) throws -> [String] {
        let inputs = parts.map { part in
            let lines = part.rows.flatMap { span in span.map { "\($0),,t,,accepted,200,,,1,1.5,," }
            }
            let text = ([ReportFormat.columns.joined(separator: ",")] + lines).joined(
                separator: "\n")
            return RowInput.memory(Array((text + "\n").utf8), name: part.name)
        }
        let digest = try ReportDigest.reading(inputs, wantsJobs: true)
        var audit = ClusterAudit(
            job: "july", isFinished: true, jobRows: 20, holders: [], reported: digest.rows,
            doubledLines: digest.doubledLines)
        audit.overlaps = digest.overlaps
        audit.repeats = digest.parts.compactMap(\.repeats)
        #expect(!audit.isWhole)
        return audit.faults
    }

    @Test func `two reports with the same rows are named, and what they may be`() throws {
        #expect(
            try audit(of: [("a.csv", [1...12]), ("b.csv", [13...20]), ("c.csv", [13...20])]) == [
                "b.csv and c.csv both have lines of 8 rows, from row 13 to 20: one is a copy of the other, or of another "
                    + "job: leave it out"
            ])
        #expect(
            try audit(of: [("a.csv", [1...20]), ("b.csv", [13...15])]) == [
                "a.csv and b.csv both have lines of 3 rows, from row 13 to 15: b.csv is a copy of a part of a.csv, or of "
                    + "another job: leave it out"
            ])
        #expect(
            try audit(of: [("a.csv", [4...5]), ("b.csv", [1...20])]) == [
                "a.csv and b.csv both have lines of 2 rows, from row 4 to 5: a.csv is a copy of a part of b.csv, or of "
                    + "another job: leave it out"
            ])
        #expect(
            try audit(of: [("a.csv", [1...15]), ("b.csv", [13...20])]) == [
                "a.csv and b.csv both have lines of 3 rows, from row 13 to 15: compare sent_at in two lines of a row. If "
                    + "each has a time of its own, the row was sent twice, and so it stays; if the times are the same, a "
                    + "folder was copied, or one of them is of another job"
            ])
    }

    @Test func `a report with two lines of a row is named`() throws {
        #expect(
            try audit(of: [("a.csv", [1...20, 7...8])]) == [
                "a.csv has 2 lines of rows that it has another line of, the first one is row 7"
            ])
    }

    @Test func `a report of another job is named`() {
        var rows = RowSet()
        for row in UInt64(1)...20 { _ = rows.insert(row) }
        let audit = ClusterAudit(
            job: "july", isFinished: true, jobRows: 20, holders: [], reported: rows,
            strangers: [.init(file: "june.csv", identity: 0x123, row: 4)])
        #expect(!audit.isWhole)
        #expect(
            audit.faults == [
                "june.csv is the report of another job than july: its row 4 has an id of job 000000000000123"
            ])
    }
}
