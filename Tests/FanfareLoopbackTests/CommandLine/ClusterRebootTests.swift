import FanfareCore
import FanfareTestSupport
import Foundation
import Glibc
import Testing

@testable import Fanfare

/// Workers whose machine starts anew, or whose volume comes to another one.
///
/// To the process that comes back a reboot is another boot in its files, and what the disk has lost.
@Suite(.enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct ClusterRebootTests {
    private static let count = 20_000

    private let job: SharedJob

    init() throws { job = try SharedJob(rowCount: Self.count) }

    private func start(_ worker: String, _ durability: String) throws -> CommandLineTool.Run {
        try job.start(worker, rate: "800/s", ["--durability", durability])
    }

    /// Makes the files of a worker what they are after a loss of power.
    private func losePower(_ worker: String, _ durability: String) throws {
        let checkpoint = try MarksOfWorker(job.tool.folder.path("\(worker).csv"))
        try checkpoint.changeBoot()
        _ = try job.engine.query(
            "UPDATE fanfare.workers SET boot = boot # 1 WHERE name = '\(worker)'")
        guard durability == "process" else { return }
        // The system had not written the marks, nor the end of the report, yet.
        try checkpoint.cutMarks()
        let bytes = try job.tool.folder.bytes("\(worker).csv")
        try job.tool.folder.write(Array(bytes.dropLast(250)), to: "\(worker).csv")
    }

    @Test(arguments: ["process", "full"])
    func `a machine that reboots comes back, and its doubt is what it was granted`(
        durability: String
    ) throws {
        let (a, b) = (try start("a", durability), try start("b", durability))
        job.wait(
            until: "count(*) = 2 FROM fanfare.workers WHERE lines > 400 AND name IN ('a', 'b')")
        b.process.send(SIGKILL)
        _ = b.end()
        try losePower("b", durability)
        let before = job.tool.folder.text(of: "b.csv").split(separator: "\n").count
        let again = try start("b", durability)
        try job.cluster("rate", "1000000/s").expect(0)
        a.end(seconds: 60).expect(0)
        // Rows that it was granted are in doubt.
        again.end(seconds: 60).expect(1)

        let twice = try job.provider.requests().values.count { $0 > 1 }
        #expect(twice == 0, "\(twice) rows were sent twice")
        let reports = ["a", "b"].map { worker in
            job.tool.folder.text(of: "\(worker).csv").split(separator: "\n").dropFirst()
        }
        let rows = reports.joined().compactMap { Int($0.prefix { $0 != "," }) }
        #expect(rows.count == Self.count && Set(rows) == Set(1...Self.count))
        // A block of two seconds of its part, four seconds in the hands of lanes, and what the disk had not confirmed.
        let doubtful = reports[1].dropFirst(before - 1).count { $0.contains("unknown") }
        #expect((1...8 * 400).contains(doubtful), "\(doubtful) rows are in doubt")
        #expect(reports[0].count { $0.contains("unknown") } == 0)
    }
}

/// The checkpoint of a worker, and the file of its folder.
private struct MarksOfWorker {
    private let report: String

    init(_ report: String) throws { self.report = report }

    /// Has its job be of another start of the machine.
    func changeBoot() throws {
        let path = report + CheckpointFile.suffix
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        for offset in CheckpointLayout.slotOffsets {
            let place = offset..<offset + CheckpointRecord.byteCount
            guard var record = CheckpointRecord(bytes: bytes[place]) else { continue }
            record.boot ^= 1
            bytes.replaceSubrange(place, with: record.bytes)
        }
        try write(bytes, to: path)
        let file = ClusterFolderFile(besideReport: report)
        var folder = try #require(try file.read())
        folder.place = folder.place.map { .init(host: $0.host, boot: $0.boot ^ 1, file: $0.file) }
        try file.write(folder)
    }

    /// Cuts off what says which rows were sent.
    func cutMarks() throws {
        let path = report + CheckpointFile.suffix
        let bytes = Array(try Data(contentsOf: URL(filePath: path)))
        try write(Array(bytes.prefix(65_536)), to: path)
    }

    /// The file stays the same one, as its number says.
    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.truncate(atOffset: UInt64(bytes.count))
        try file.seek(toOffset: 0)
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }
}
