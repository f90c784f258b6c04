import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Jobs of several files that are carried on with one of them changed: it may be, as long as no row of
/// it was begun.
@Suite struct ChangedInputsTests: StoppedJobs {
    let folder: TemporaryFolder
    let provider: SimulatedProvider

    init() throws {
        folder = try TemporaryFolder()
        provider = try Self.stoppingProvider()
    }

    private let checkpoint = "r.csv.checkpoint"

    /// The hundred rows in three files: the 51st, which stops the job, is in the second one.
    private func files() throws -> [RowInput] {
        let lines = rows.split(separator: "\n").map { "\($0)\n" }
        return try [("a.csv", 1...40), ("b.csv", 41...80), ("c.csv", 81...100)].map { name, rows in
            .file(try folder.write(lines[0] + lines[rows].joined(), to: name))
        }
    }

    /// A job of the three files, stopped in the second one.
    private func stoppedJobOfFiles(
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> Configuration {
        let files = try files()
        return try stoppedJob {
            $0.inputs = files
            change(&$0)
        }
    }

    /// Writes other rows to a file: those from one number on, with longer names than before.
    private func mend(_ name: String, from first: Int, count: Int) throws {
        let lines = (first..<first + count).map { "\(token("aa", $0)),mended \($0)\n" }
        try folder.write("token,name\n" + lines.joined(), to: name)
    }

    private func record() throws -> CheckpointRecord {
        let opened = try JobOpening.openCheckpoint(of: folder.path("r.csv"))
        let found = opened.record
        return try #require(found)
    }

    /// Has the job's last record say something else.
    private func changeRecord(_ change: (inout CheckpointRecord) -> Void) throws {
        var record = try record()
        change(&record)
        record.sequence += 1
        var bytes = try folder.bytes(checkpoint)
        let place = CheckpointLayout.slotOffsets[Int(record.sequence % 2)]
        bytes.replaceSubrange(place..<place + CheckpointRecord.byteCount, with: record.bytes)
        try folder.write(bytes, to: checkpoint)
    }

    // MARK: Not begun

    @Test(arguments: [Durability.process, .full])
    func `an input that was not begun may be mended`(durability: Durability) throws {
        let configuration = try stoppedJobOfFiles { $0.report.durability = durability }
        try mend("c.csv", from: 81, count: 30)
        let job = try Job(resuming(configuration))
        #expect(
            job.notices.map(\.description) == [
                "\(folder.path("c.csv")) has changed since the job began; no row of it was begun, "
                    + "so it is read as it is now"
            ])
        let result = try job.run()
        #expect(result.exitCode == 0)
        #expect(result.rowsRead == 110)
        // Each tenth row of the first two files.
        #expect(result.outcomes["unregistered"] == 8)
        #expect(result.outcomes["accepted"] == 102)
        #expect(try folder.reportLines("r.csv").keys.sorted() == Array(1...110))
        // 50 rows and the one that stopped it, then it again and 59 more.
        #expect(provider.stop().requests == 111)
        #expect(!folder.exists(checkpoint))
    }

    @Test func `a mended input is held to, once rows of it were begun`() throws {
        let configuration = try stoppedJobOfFiles()
        var lines = (81...100).map { "\(token("aa", $0)),mended \($0)\n" }
        lines[9] = token("e", 90) + ",mended 90\n"
        try folder.write("token,name\n" + lines.joined(), to: "c.csv")
        #expect(try Job(resuming(configuration)).run().exitCode == 3)
        #expect(try folder.reportLines("r.csv").count == 89)
        try mend("c.csv", from: 81, count: 21)
        let (code, text) = try #require(message(resuming(configuration)))
        #expect(code == .configuration)
        #expect(text.contains("c.csv has changed since then"))
        #expect(text.contains("It begins with row 81, and the last row that was begun is row 89"))
    }

    @Test func `a mended input of which rows were begun goes on where it was`() throws {
        let configuration = try stoppedJobOfFiles()
        var lines = (81...100).map { "\(token("aa", $0)),mended \($0)\n" }
        lines[9] = token("e", 90) + ",mended 90\n"
        try folder.write("token,name\n" + lines.joined(), to: "c.csv")
        #expect(try Job(resuming(configuration)).run().exitCode == 3)
        let job = try Job(resuming(configuration))
        #expect(job.notices.isEmpty)
        #expect(try job.run().exitCode == 0)
        #expect(try folder.reportLines("r.csv").keys.sorted() == Array(1...100))
        #expect(provider.stop().requests == 102)
    }

    @Test func `an input may be mended again if the run before was killed at once`() throws {
        let configuration = try stoppedJobOfFiles()
        for count in [30, 40, 3] {
            try mend("c.csv", from: 81, count: count)
            let opening = try JobOpening.open(resuming(configuration))
            try #require(opening.journal.checkpoint).letGo()
        }
        let result = try Job(resuming(configuration)).run()
        #expect(result.exitCode == 0)
        #expect(try folder.reportLines("r.csv").keys.sorted() == Array(1...83))
        #expect(provider.stop().requests == 51 + 33)
    }

    @Test func `a job that was killed before its first row may have all its inputs mended`() throws
    {
        let configuration = try configuration()
        try #require(try JobOpening.open(configuration).journal.checkpoint).letGo()
        try mend("rows.csv", from: 1, count: 10)
        #expect(try Job(resuming(configuration)).run().exitCode == 0)
        #expect(try folder.reportLines("r.csv").keys.sorted() == Array(1...10))
    }

    /// The file of rows to try again has the header of the first input already.
    @Test func `the first input may not change beside rows to try again`() throws {
        var configuration = try configuration()
        configuration.report.retryRowsPath = folder.path("again.csv")
        try #require(try JobOpening.open(configuration).journal.checkpoint).letGo()
        try mend("rows.csv", from: 1, count: 10)
        let (_, text) = try #require(message(resuming(configuration)))
        #expect(text.contains("rows.csv has changed since then"))
    }

    @Test func `a header that is mended badly is told, and nothing has changed`() throws {
        let configuration = try stoppedJobOfFiles()
        let before = try folder.bytes(checkpoint)
        try folder.write("device,name\n1,n\n", to: "c.csv")
        let (code, text) = try #require(message(resuming(configuration)))
        #expect(code == .input)
        #expect(text.contains("c.csv has no column 'token'"))
        #expect(try folder.bytes(checkpoint) == before)
        try mend("c.csv", from: 81, count: 1)
        #expect(try Job(resuming(configuration)).run().rowsRead == 81)
    }

    // MARK: Begun

    @Test(arguments: [("a.csv", 1), ("b.csv", 41)])
    func `an input that was begun is refused, and nothing has changed`(
        name: String, firstRow: Int
    ) throws {
        let configuration = try stoppedJobOfFiles()
        let (report, before) = (try folder.bytes("r.csv"), try folder.bytes(checkpoint))
        try mend("c.csv", from: 81, count: 30)
        try mend(name, from: firstRow, count: 40)
        let (code, text) = try #require(message(resuming(configuration)))
        #expect(code == .configuration)
        #expect(text.contains("\(name) has changed since then"))
        #expect(
            text.contains(
                "It begins with row \(firstRow), and the last row that was begun is row 50"))
        #expect(try folder.bytes("r.csv") == report)
        #expect(try folder.bytes(checkpoint) == before)
    }

    @Test(arguments: [80, 81] as [UInt64])
    func `a row that was on the wire was begun`(row: UInt64) throws {
        let configuration = try stoppedJobOfFiles()
        do {
            let opened = try JobOpening.openCheckpoint(of: folder.path("r.csv"))
            let found = opened.record
            let record = try #require(found)
            let file = try CheckpointFile(opened, record: record, isDurable: false)
            try file.grow(from: record.covered, to: record.covered)
            file.marks.set(row)
        }
        try mend("c.csv", from: 81, count: 5)
        guard row == 80 else {
            let (_, text) = try #require(message(resuming(configuration)))
            #expect(
                text.contains("It begins with row 81, and the last row that was begun is row 81"))
            return
        }
        #expect(try Job(resuming(configuration)).run().exitCode == 1)
        let lines = try folder.reportLines("r.csv")
        #expect(lines.keys.sorted() == Array(1...85))
        #expect(lines.filter { $0.value[4] == "unknown" }.keys.sorted() == [80])
    }

    @Test(arguments: [80, 81] as [UInt64])
    func `rows that were reserved count as begun after a loss of power`(row: UInt64) throws {
        let configuration = try stoppedJobOfFiles { $0.report.durability = .full }
        try changeRecord {
            $0.boot ^= 1
            $0.isAtRest = false
            $0.reservation = row
        }
        try mend("c.csv", from: 81, count: 5)
        guard row == 80 else {
            let (_, text) = try #require(message(resuming(configuration)))
            #expect(text.contains("the last row that was begun is row 81"))
            return
        }
        #expect(try Job(resuming(configuration)).run().exitCode == 1)
        let lines = try folder.reportLines("r.csv")
        #expect(lines.keys.sorted() == Array(1...85))
        #expect(lines.filter { $0.value[4] == "unknown" }.keys.sorted() == Array(51...80))
        #expect(provider.stop().requests == 51 + 5)
    }

    @Test func `where the marks are damaged it is not known which rows were begun`() throws {
        let configuration = try stoppedJobOfFiles { $0.engine.delivery = .atLeastOnce }
        var bytes = try folder.bytes(checkpoint)
        bytes[bytes.count - 65_536 + 7] ^= 8
        try folder.write(bytes, to: checkpoint)
        try mend("c.csv", from: 81, count: 5)
        let (_, text) = try #require(message(resuming(configuration)))
        #expect(text.contains("c.csv has changed since then"))
        #expect(text.contains("not known any more whether rows of it were sent"))
    }

    // MARK: What has to be the same

    @Test(arguments: [
        "RowOptions.deduplication = .last",
        "rows that are no "
            + "file", "ProviderOptions.topic",
    ])
    func `an input may not be mended where more depends on it, nor with other settings`(
        what: String
    ) throws {
        var configuration = try stoppedJobOfFiles {
            switch what {
            case "RowOptions.deduplication = .last": $0.rows.deduplication = .last
            case "ProviderOptions.topic": break
            default: $0.inputs.append(.text("token,name\n\(token("aa", 101)),n\n"))
            }
        }
        try mend("c.csv", from: 81, count: 30)
        if what == "ProviderOptions.topic" { configuration.provider.topic = "com.example.other" }
        let (code, text) = try #require(message(resuming(configuration)))
        #expect(code == .configuration)
        #expect(
            text.contains(
                what == "ProviderOptions.topic"
                    ? "ProviderOptions.topic was com.example.app then"
                    : "c.csv has changed since "
                        + "then"))
    }
}
