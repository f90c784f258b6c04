import FanfareCore
import Testing

@testable import Fanfare

/// The reports of several workers against the job on their server.
@Suite struct ClusterAuditTests {
    private func audit(
        _ reported: [ClosedRange<UInt64>], isFinished: Bool = true
    ) -> ClusterAudit {
        var rows = RowSet()
        for span in reported { for row in span { _ = rows.insert(row) } }
        // Rows 1 to 10 and 16 to 20 are of web1, 11 to 15 of web2; the engine counts from 0.
        var first = RowIntervals(0..<10)
        first.insert(15..<20)
        return ClusterAudit(
            job: "july", isFinished: isFinished, jobRows: 20,
            holders: [
                .init(id: WorkerID(bits: 1), name: "web1", report: "a.csv", rows: first),
                .init(
                    id: WorkerID(bits: 2), name: "web2", report: "b.csv",
                    rows: RowIntervals(10..<15)),
            ], reported: rows)
    }

    @Test func `reports that have each row are whole`() {
        let audit = audit([1...20])
        #expect(audit.isWhole && audit.faults.isEmpty)
    }

    @Test func `a missing report is named, with its worker`() {
        let audit = audit([1...10, 16...20])
        #expect(!audit.isWhole)
        #expect(
            audit.gaps == [.init(worker: "web2", report: "b.csv", rows: 5, firstRow: 11)])
        #expect(
            audit.faults == [
                "web2 has 5 rows of july that have no line here, the first one is row 11: its report (b.csv there) is "
                    + "missing, or not whole"
            ])
    }

    @Test func `names from the tables do nothing to a terminal`() {
        let audit = ClusterAudit(
            job: "july", isFinished: true, jobRows: 5,
            holders: [
                .init(
                    id: WorkerID(bits: 1), name: "w\u{1B}[2J\nall is well",
                    report: "a\u{1B}]0;x\u{7}.csv", rows: RowIntervals(0..<5))
            ], reported: RowSet())
        #expect(
            audit.faults == [
                "w\u{FFFD}[2J\u{FFFD}all is well has 5 rows of july that have no line here, the first one is row 1: its "
                    + "report (a\u{FFFD}]0;x\u{FFFD}.csv there) is missing, or not whole"
            ])
    }

    @Test func `a report that is not whole is named`() {
        let audit = audit([1...8, 11...15, 16...19])
        #expect(
            audit.gaps == [.init(worker: "web1", report: "a.csv", rows: 3, firstRow: 9)])
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
            job: "july", isFinished: false, jobRows: 20, holders: [], reported: RowSet())
        #expect(audit.faults == ["20 rows of july were granted to no worker yet"])
    }

    @Test func `a report whose rows have lines elsewhere belongs to another job`() {
        var rows = RowSet()
        for row in UInt64(1)...20 { _ = rows.insert(row) }
        let audit = ClusterAudit(
            job: "july", isFinished: true, jobRows: 20, holders: [], reported: rows,
            doubledLines: 3)
        #expect(!audit.isWhole)
        #expect(
            audit.faults == [
                "3 lines are of rows that have another one: the report of another job than july is among these files, "
                    + "or one of them twice"
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
