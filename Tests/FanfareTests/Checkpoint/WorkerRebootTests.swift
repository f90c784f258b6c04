import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// The files of a worker of several after the machine was started anew.
@Suite struct WorkerRebootTests: StoppedJobs {
    let folder: TemporaryFolder
    let provider: SimulatedProvider

    init() throws {
        folder = try TemporaryFolder()
        provider = try Self.stoppingProvider()
    }

    /// A worker that has lines of rows 1 to 50, and whose machine was started anew.
    private func rebootedWorker(
        _ durability: Durability, _ change: (inout CheckpointRecord) -> Void = { _ in }
    ) throws -> Configuration {
        var configuration = resuming(try stoppedJob { $0.report.durability = durability })
        let path = "r.csv.checkpoint"
        var (record, identity) = try checkpoint()
        record.boot ^= 1
        record.isAtRest = false
        record.sequence += 1
        // The rows of other workers are among those before.
        record.reservation = durability == .full ? 90 : 0
        change(&record)
        var bytes = try folder.bytes(path)
        let place = CheckpointLayout.slotOffsets[Int(record.sequence % 2)]
        bytes.replaceSubrange(place..<place + CheckpointRecord.byteCount, with: record.bytes)
        // The disk has not got the marks.
        try folder.write(Array(bytes.prefix(65_536)), to: path)
        configuration.cluster = ClusterOptions(address: "", job: "july", worker: "web3")
        configuration.cluster?.identity = identity
        return configuration
    }

    private func checkpoint() throws -> (record: CheckpointRecord, identity: UInt64) {
        let opened = try JobOpening.openCheckpoint(of: folder.path("r.csv"))
        let (record, text) = (opened.record, opened.fingerprint)
        return (try #require(record), try #require(JobFingerprint(json: text)).jobBits)
    }

    /// Writes what the folder was granted: rows 41 to 60, and 71, counted from 1.
    private func writeFolder() throws {
        var memory = ClusterFolder(worker: WorkerID(bits: 1))
        for rows in [40..<60, 70..<71] as [Range<UInt64>] {
            memory.held.append(
                .init(
                    key: GrantKey(range: .cut(at: rows.lowerBound), epoch: 1),
                    rows: RowIntervals(rows), isInDoubt: false))
        }
        try ClusterFolderFile(besideReport: folder.path("r.csv")).write(memory)
    }

    private func doubtfulRows(_ configuration: Configuration) throws -> [UInt64] {
        let opening = try JobOpening.open(configuration)
        defer { opening.letGo() }
        let checkpoint = try #require(opening.journal.checkpoint)
        return (1...100).filter(checkpoint.mayHaveStarted)
    }

    @Test(arguments: [Durability.process, .full])
    func `what the folder was granted and has no line is in doubt, and nothing else`(
        durability: Durability
    ) throws {
        let configuration = try rebootedWorker(durability)
        try writeFolder()
        #expect(try doubtfulRows(configuration) == Array(51...60) + [71])
    }

    @Test func `the end of a report that the disk did not get is in doubt`() throws {
        let configuration = try rebootedWorker(.process)
        try writeFolder()
        // The system had not written a page of the file, and the one behind it.
        var bytes = try folder.bytes("r.csv")
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map(\.count)
        let start = lines.prefix(46).reduce(0) { $0 + $1 + 1 } + 20
        bytes.replaceSubrange(start..<start + 3, with: Array(repeating: 0, count: 4096))
        try folder.write(bytes, to: "r.csv")
        // The header and 45 lines are whole.
        #expect(try doubtfulRows(configuration) == Array(46...60) + [71])
    }

    @Test func `a worker that was granted nothing yet goes on`() throws {
        var configuration = try rebootedWorker(.process)
        configuration.report.overwrites = true
        configuration.report.resumes = false
        try JobOpening.open(configuration).letGo()
        var record = try checkpoint().record
        record.boot ^= 1
        var bytes = try folder.bytes("r.csv.checkpoint")
        let place = CheckpointLayout.slotOffsets[Int(record.sequence % 2)]
        bytes.replaceSubrange(place..<place + CheckpointRecord.byteCount, with: record.bytes)
        try folder.write(bytes, to: "r.csv.checkpoint")
        configuration = resuming(configuration)
        configuration.report.overwrites = false
        #expect(try doubtfulRows(configuration).isEmpty)
    }

    @Test func `lines without the memory of a worker are a job's of one machine`() throws {
        let configuration = try rebootedWorker(.process)
        let (code, text) = try #require(openingMessage(configuration))
        #expect(code == .configuration && text.contains("report of a job on one machine"))
    }

    @Test func `a report that was moved away is asked for`() throws {
        let configuration = try rebootedWorker(.process)
        try writeFolder()
        try folder.write("", to: "r.csv")
        let (code, text) = try #require(openingMessage(configuration))
        #expect(code == .configuration && text.contains("If it was moved away, move it back"))
    }

    private func openingMessage(_ configuration: Configuration) -> (FanfareError.Code, String)? {
        do throws(FanfareError) {
            try JobOpening.open(configuration).letGo()
            return nil
        } catch {
            return (error.code, error.message)
        }
    }
}
