import Testing

@testable import FanfareCore

/// The belief in a job's files after it ended without a word.
struct RecoveryTests {
    private func findings(
        reportBytes: Int, boot: UInt64 = 1, sideFiles: Bool = false, mayRepeat: Bool = false,
        _ change: (inout CheckpointRecord) -> Void = { _ in }
    ) -> Recovery.Findings {
        var record = CheckpointRecord()
        record.boot = 1
        record.covered = .init(
            retryRows: sideFiles ? 70 : 0, unregistered: sideFiles ? 50 : 0, report: 1000)
        record.intended = .init(
            retryRows: sideFiles ? 90 : 0, unregistered: sideFiles ? 60 : 0, report: 1500)
        record.reservation = 4711
        change(&record)
        let sizes = OutputLengths(
            retryRows: sideFiles ? 90 : 0, unregistered: sideFiles ? 60 : 0, report: reportBytes)
        return Recovery.Findings(
            record: record, boot: boot, sizes: sizes, hasSideFiles: sideFiles, mayRepeat: mayRepeat)
    }

    @Test
    func `killed after a write: everything that was meant to be written is there`() throws {
        let recovery = try Recovery.decide(findings(reportBytes: 1500, sideFiles: true)).get()
        #expect(recovery.lengths == .init(retryRows: 90, unregistered: 60, report: 1500))
        #expect(recovery.certainReportBytes == 1000)
        #expect(recovery.doubt == .marks)
    }

    @Test(arguments: [1000, 1500], [UInt64(1), 2])
    func `killed while the report is replaced: either of the two is there, and whole`(
        reportBytes: Int, boot: UInt64
    ) throws {
        let found = findings(reportBytes: reportBytes, boot: boot, sideFiles: true) {
            $0.isAtRest = true
            $0.isBeingReplaced = true
        }
        let recovery = try Recovery.decide(found).get()
        // The other files are as long as the job has left them.
        #expect(recovery.lengths == .init(retryRows: 70, unregistered: 50, report: reportBytes))
        #expect(recovery.certainReportBytes == reportBytes)
        #expect(recovery.doubt == .marks)
    }

    @Test(arguments: [0, 999, 1001, 1600])
    func `a report that is neither of the two is refused`(reportBytes: Int) {
        let found = findings(reportBytes: reportBytes) {
            $0.isAtRest = true
            $0.isBeingReplaced = true
        }
        #expect(
            Recovery.decide(found)
                == .failure(.reportShortened(size: reportBytes, covered: 1000)))
    }

    @Test
    func `damaged marks are refused, unless rows may be sent twice`() throws {
        var found = findings(reportBytes: 1500)
        found.damagedRows = 32...63
        #expect(Recovery.decide(found) == .failure(.marksDamaged(rows: 32...63)))
        found.mayRepeat = true
        let recovery = try Recovery.decide(found).get()
        #expect(recovery.lengths.report == 1500)
        #expect(recovery.doubt == .everyRow(through: 0))
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `a lost record is refused, unless rows may be sent twice`(boot: UInt64) throws {
        var found = findings(reportBytes: 1500, boot: boot) { $0.isDurable = true }
        found.isRecordLost = true
        #expect(Recovery.decide(found) == .failure(.recordLost))
        found.mayRepeat = true
        #expect(try Recovery.decide(found).get().doubt == .everyRow(through: 0))
    }

    @Test
    func `damaged marks that are not asked for are no reason to refuse`() throws {
        var found = findings(reportBytes: 1500, boot: 2) { $0.isDurable = true }
        found.damagedRows = 32...63
        #expect(try Recovery.decide(found).get().doubt == .everyRow(through: 4711))
    }

    @Test
    func `killed in the middle of a write: its whole lines count`() throws {
        let recovery = try Recovery.decide(findings(reportBytes: 1203)).get()
        #expect(recovery.lengths.report == 1203)
        #expect(recovery.certainReportBytes == 1000)
        #expect(recovery.doubt == .marks)
    }

    @Test
    func `killed in the middle of a write of several files: none of it counts`() throws {
        let recovery = try Recovery.decide(findings(reportBytes: 1203, sideFiles: true)).get()
        #expect(recovery.lengths == .init(retryRows: 70, unregistered: 50, report: 1000))
    }

    @Test
    func `killed in the middle of a write of a compressed report: none of it counts`() throws {
        var found = findings(reportBytes: 1203)
        found.isReportCompressed = true
        #expect(try Recovery.decide(found).get().lengths.report == 1000)
        found.sizes.report = 1500
        #expect(try Recovery.decide(found).get().lengths.report == 1500)
    }

    @Test
    func `a report that another program has shortened is refused`() {
        let found = Recovery.decide(findings(reportBytes: 999))
        #expect(found == .failure(.reportShortened(size: 999, covered: 1000)))
    }

    @Test
    func `a file beside it that another program has shortened is refused`() {
        var found = findings(reportBytes: 1500, sideFiles: true)
        found.sizes.retryRows = 89
        #expect(Recovery.decide(found) == .failure(.sideFileShortened))
    }

    @Test
    func `after a restart of the machine nothing is certain`() {
        let found = Recovery.decide(findings(reportBytes: 1500, boot: 2))
        #expect(found == .failure(.machineRestarted))
    }

    @Test
    func `after a restart of the machine rows may go out again if that is allowed`() throws {
        let found = findings(reportBytes: 600, boot: 2, mayRepeat: true)
        let recovery = try Recovery.decide(found).get()
        #expect(recovery.lengths.report == 600)
        #expect(recovery.certainReportBytes == 0)
        #expect(recovery.doubt == .everyRow(through: 0))
    }

    @Test
    func `after a restart of the machine a durable job knows what was on the disk`() throws {
        let found = findings(reportBytes: 1400, boot: 2) { $0.isDurable = true }
        let recovery = try Recovery.decide(found).get()
        #expect(recovery.lengths.report == 1000)
        #expect(recovery.doubt == .everyRow(through: 4711))
    }

    @Test
    func `a job that was at rest goes on after any restart`() throws {
        let found = findings(reportBytes: 1500, boot: 2) {
            $0.isAtRest = true
            $0.covered = $0.intended
        }
        let recovery = try Recovery.decide(found).get()
        #expect(recovery.lengths.report == 1500)
        #expect(recovery.doubt == .marks)
    }

    // MARK: A worker of several

    @Test(arguments: [true, false])
    func `after a restart of the machine a worker's doubt is what it was granted`(
        isDurable: Bool
    ) throws {
        var found = findings(reportBytes: 1400, boot: 2) { $0.isDurable = isDurable }
        found.isWorkers = true
        // The system had written neither of these.
        found.isRecordLost = true
        found.damagedRows = 32...63
        let recovery = try Recovery.decide(found).get()
        #expect(recovery.doubt == .granted)
        // Lines behind those of the last record may have been confirmed, and told to the server.
        #expect(recovery.lengths.report == 1400)
        #expect(recovery.certainReportBytes == (isDurable ? 1000 : 0))
    }

    @Test
    func `after a restart of the machine a worker's files have what is left of them`() throws {
        var found = findings(reportBytes: 1400, boot: 2, sideFiles: true)
        found.isWorkers = true
        found.sizes.retryRows = 30
        let recovery = try Recovery.decide(found).get()
        #expect(recovery.lengths == .init(retryRows: 30, unregistered: 50, report: 1400))
    }

    @Test
    func `a worker's report without its header was moved away`() {
        var found = findings(reportBytes: 0, boot: 2)
        found.isWorkers = true
        #expect(Recovery.decide(found) == .failure(.reportShortened(size: 0, covered: 1000)))
    }

    @Test
    func `a worker that was at rest, or whose machine ran on, has its marks`() throws {
        var found = findings(reportBytes: 1500)
        found.isWorkers = true
        #expect(try Recovery.decide(found).get().doubt == .marks)
        found.damagedRows = 32...63
        #expect(Recovery.decide(found) == .failure(.marksDamaged(rows: 32...63)))
        found = findings(reportBytes: 1500, boot: 2) {
            $0.isAtRest = true
            $0.covered = $0.intended
        }
        found.isWorkers = true
        #expect(try Recovery.decide(found).get().doubt == .marks)
    }
}
