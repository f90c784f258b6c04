import FanfareCore
import FanfareSimulator
import FanfareSystem
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Jobs that are stopped, and carried on by another one.
@Suite struct ResumeTests: StoppedJobs {
    let folder: TemporaryFolder
    let provider: SimulatedProvider

    init() throws {
        folder = try TemporaryFolder()
        provider = try Self.stoppingProvider(
            #"{"when":{"tokenPrefix":"d4"},"then":{"status":429,"reason":"TooManyRequests"}}"#)
    }

    private var hasCheckpoint: Bool { FileDescriptor.exists(folder.path("r.csv.checkpoint")) }

    // MARK: Carrying on

    @Test(arguments: [Durability.process, .full])
    func `a stopped job goes on where it was`(durability: Durability) throws {
        let configuration = try stoppedJob { $0.report.durability = durability }
        #expect(try folder.reportLines("r.csv").count == 50)
        #expect(hasCheckpoint)
        let result = try Job(resuming(configuration)).run()
        #expect(result.exitCode == 0)
        #expect(result.rowsRead == 100)
        #expect(result.outcomes["accepted"] == 90)
        #expect(result.outcomes["unregistered"] == 10)
        #expect(result.summaryJSON.contains("\"resumed_rows\": 50"))
        let lines = try folder.reportLines("r.csv")
        #expect(lines.keys.sorted() == Array(1...100))
        // 50 rows and the one that stopped it, then it again and 49 more.
        #expect(provider.stop().requests == 101)
        #expect(!hasCheckpoint)
    }

    @Test func `what a row is called may look like a line of the report`() throws {
        let configuration = try configuration()
        let lines = (1...100).map { row in
            let id = row == 1 ? "\"\(DeceptiveTexts.line)\"" : "u\(row)"
            return "\(token(row == 51 ? "e" : "aa", row)),\(id)\n"
        }
        try folder.write("token,id\n" + lines.joined(), to: "rows.csv")
        #expect(try Job(configuration).run().exitCode == 3)
        let result = try Job(resuming(configuration)).run()
        #expect(result.exitCode == 0)
        #expect(result.summaryJSON.contains("\"resumed_rows\": 50"))
        #expect(result.outcomes["accepted"] == 100)
        let digest = try ReportDigest.reading([.file(configuration.report.path)])
        #expect(digest.rows.count == 100 && digest.missingRows == 0)
        #expect(provider.stop().requests == 101)
    }

    /// Rows 1 to 50 have ten tokens; after the row that stops the first run they all come again.
    @Test(arguments: Deduplication.allCases)
    func `what is a duplicate stays one`(winner: Deduplication) throws {
        let text = (1...100).map { row in
            token(row == 51 ? "e" : "aa", row == 51 ? 0 : row % 10) + "\n"
        }
        var configuration = try configuration()
        try folder.write("token\n" + text.joined(), to: "rows.csv")
        configuration.rows.deduplication = winner
        #expect(try Job(configuration).run().exitCode == 3)
        let result = try Job(resuming(configuration)).run()
        #expect(result.exitCode == 0)
        #expect(result.outcomes["accepted"] == 11)
        #expect(result.outcomes["skipped"] == 89)
        let lines = try folder.reportLines("r.csv")
        #expect(lines.count == 100)
        let sent = winner == .first ? Array(1...10) + [51] : [51] + Array(91...100)
        #expect(lines.filter { $0.value[4] == "accepted" }.keys.sorted() == sent)
        #expect(
            lines.values.filter { $0[4] == "skipped" }.allSatisfy {
                $0[6] == "token is a duplicate"
            })
        // Ten tokens, and the one that stopped the first run twice.
        #expect(provider.stop().requests == 12)
    }

    /// The rows of a report, by a reader that decompresses.
    private func rows(of name: String) throws -> [String] {
        try RowReading.rows([.file(folder.path(name))]) { $0.mapping = ["token": "row"] }
            .compactMap(\.token)
    }

    @Test(arguments: [".gz", ".zst"], [Durability.process, .full])
    func `compressed files go on behind their last whole member`(
        ending: String, durability: Durability
    ) throws {
        let report = "r.csv\(ending)"
        let configuration = try stoppedJob {
            $0.report.path = folder.path(report)
            $0.report.unregisteredPath = folder.path("dead.csv\(ending)")
            $0.report.retryRowsPath = folder.path("again.csv\(ending)")
            $0.report.durability = durability
        }
        #expect(try rows(of: report).count == 50)
        // A torn write, and one that was not begun.
        for name in [report, "dead.csv\(ending)"] {
            let bytes = try folder.bytes(name)
            try folder.write(bytes + bytes.prefix(13), to: name)
        }
        let result = try Job(resuming(configuration)).run()
        #expect(result.exitCode == 0)
        #expect(result.rowsRead == 100)
        #expect(result.summaryJSON.contains("\"resumed_rows\": 50"))
        #expect(try rows(of: report).compactMap(Int.init).sorted() == Array(1...100))
        let dead = try RowReading.rows([.file(folder.path("dead.csv\(ending)"))])
        #expect(dead.map(\.token) == (1...10).map { token("d0", $0 * 10) })
        #expect(try RowReading.rows([.file(folder.path("again.csv\(ending)"))]).isEmpty)
        #expect(provider.stop().requests == 101)
    }

    @Test func `a compressed report that another program has changed is refused`() throws {
        let configuration = try stoppedJob { $0.report.path = folder.path("r.csv.gz") }
        var bytes = try folder.bytes("r.csv.gz")
        bytes[bytes.count - 8] ^= 1
        try folder.write(bytes, to: "r.csv.gz")
        let error = message(resuming(configuration))
        #expect(error?.1.contains("r.csv.gz is not as the job has left it") == true)
        #expect(try folder.bytes("r.csv.gz") == bytes)
    }

    @Test func `a row keeps its apns-id over the runs`() throws {
        let configuration = try stoppedJob()
        _ = try Job(resuming(configuration)).run()
        let ids = try folder.reportLines("r.csv").mapValues { String($0[7].prefix(23)) }
        #expect(Set(ids.values).count == 1)
    }

    @Test func `files beside the report go on too`() throws {
        let configuration = try stoppedJob {
            $0.report.unregisteredPath = folder.path("dead.csv")
            $0.report.retryRowsPath = folder.path("again.csv")
        }
        let result = try Job(resuming(configuration)).run()
        #expect(result.exitCode == 0)
        let dead = try folder.read("dead.csv").split(separator: "\n").dropFirst()
        #expect(
            dead.map { $0.split(separator: ",")[0] } == (1...10).map { token("d0", $0 * 10)[...] })
        #expect(try folder.read("again.csv") == "token,name\n")
    }

    @Test func `a job that is over may be carried on while its object is there`() throws {
        let configuration = try configuration()
        let first = try Job(configuration)
        #expect(try first.run().exitCode == 3)
        #expect(try Job(resuming(configuration)).run().exitCode == 0)
        withExtendedLifetime(first) {}
    }

    @Test func `a job that never began begins`() throws {
        let result = try Job(resuming(try configuration())).run()
        #expect(result.exitCode == 3)
        #expect(hasCheckpoint)
    }

    @Test func `standard input or any other pipe is read again and skipped`() throws {
        let configuration = try stoppedJob { $0.inputs = [.text(rows)] }
        let result = try Job(resuming(configuration)).run()
        #expect(result.rowsRead == 100)
        #expect(try folder.reportLines("r.csv").count == 100)
        #expect(provider.stop().requests == 101)
    }

    // MARK: After a kill

    /// Makes a stopped job look like one whose process was killed: the report ends somewhere, and
    /// rows were on the wire.
    private func kill(
        _ configuration: Configuration, keeping lines: Int, torn: String = "",
        onTheWire rows: [UInt64] = []
    ) throws {
        let text = try folder.read("r.csv").split(separator: "\n", omittingEmptySubsequences: false)
        let kept = text.prefix(lines + 1).joined(separator: "\n") + "\n"
        guard let opened = try OpenedCheckpoint.open(folder.path("r.csv.checkpoint")),
            let record = opened.record
        else { throw NoCheckpoint() }
        let whole = record.covered
        let checkpoint = try CheckpointFile(
            opened, record: record, isDurable: configuration.report.durability == .full)
        var covered = whole
        covered.report = kept.utf8.count
        try checkpoint.grow(from: covered, to: whole)
        for row in rows { checkpoint.marks.set(row) }
        try folder.write(kept + torn, to: "r.csv")
    }

    private struct NoCheckpoint: Error {}

    @Test func `rows whose answer is not known are unknown, and never sent twice`() throws {
        let configuration = try stoppedJob()
        try kill(configuration, keeping: 40, torn: "41,,aa0", onTheWire: [60])
        let result = try Job(resuming(configuration)).run()
        #expect(result.exitCode == 1)
        let lines = try folder.reportLines("r.csv")
        #expect(lines.keys.sorted() == Array(1...100))
        let unknown = lines.filter { $0.value[4] == "unknown" }
        // Ten rows had an answer whose line is lost, and one was said to be on its way.
        #expect(unknown.keys.sorted() == Array(41...50) + [60])
        for line in unknown.values {
            #expect(line[6] == "interrupted")
            #expect(line[8] == "1")
        }
        #expect(provider.stop().requests == 51 + 49)
    }

    @Test func `rows whose answer is not known are sent again if they may`() throws {
        var configuration = try stoppedJob()
        try kill(configuration, keeping: 40, onTheWire: [60])
        configuration.engine.delivery = .atLeastOnce
        let result = try Job(resuming(configuration)).run()
        #expect(result.exitCode == 0)
        let lines = try folder.reportLines("r.csv")
        #expect(lines.keys.sorted() == Array(1...100))
        let twice = lines.filter { $0.value[8] == "2" }
        #expect(twice.keys.sorted() == Array(41...50) + [60])
        #expect(provider.stop().requests == 51 + 60)
    }

    @Test func `a resumed job that is killed can be resumed`() throws {
        let configuration = try stoppedJob()
        try kill(configuration, keeping: 40)
        let result = try Job(resuming(configuration)).run()
        #expect(result.exitCode == 1)
        #expect(try folder.reportLines("r.csv").count == 100)
        #expect(!hasCheckpoint)
    }

    // MARK: Refusals

    @Test func `a finished job is not sent again`() throws {
        let configuration = try stoppedJob()
        _ = try Job(resuming(configuration)).run()
        let (code, text) = try #require(message(resuming(configuration)))
        #expect(code == .configuration)
        #expect(text.contains("has no checkpoint beside it, as a job leaves it that is done"))
        #expect(try folder.reportLines("r.csv").count == 100)
    }

    @Test func `an unfinished job is not begun anew by accident`() throws {
        let configuration = try stoppedJob()
        let (code, text) = try #require(message(configuration))
        #expect(code == .configuration)
        #expect(text.contains("ReportOptions.resumes") && text.contains("ReportOptions.overwrites"))
        #expect(hasCheckpoint)
        #expect(try Job(resuming(configuration)).run().rowsRead == 100)
    }

    @Test func `an unfinished job is begun anew on request`() throws {
        var configuration = try stoppedJob()
        configuration.report.overwrites = true
        let result = try Job(configuration).run()
        #expect(result.exitCode == 0)
        #expect(try folder.reportLines("r.csv").count == 100)
        #expect(!hasCheckpoint)
    }

    @Test func `changed rows are refused`() throws {
        let configuration = try stoppedJob()
        try folder.write(rows + token("aa", 101) + ",late\n", to: "rows.csv")
        let (code, text) = try #require(message(resuming(configuration)))
        #expect(code == .configuration)
        #expect(text.contains("rows.csv has changed"))
        #expect(hasCheckpoint)
    }

    @Test func `another header on a pipe is refused`() throws {
        var configuration = try stoppedJob { $0.inputs = [.text(rows)] }
        configuration.inputs = [.text(rows.replacing("token,name", with: "token,name "))]
        let (_, text) = try #require(message(resuming(configuration)))
        #expect(text.contains("begins with other bytes"))
    }

    @Test(arguments: [
        "ProviderOptions.topic", "ReportOptions.carriedColumns", "ProviderOptions.expiration",
        "ReportOptions.retryRowsPath", "the payload", "its rows came from",
    ])
    func `changed settings are refused by name`(name: String) throws {
        var configuration = try stoppedJob()
        switch name {
        case "ProviderOptions.topic": configuration.provider.topic = "com.example.other"
        case "ReportOptions.carriedColumns": configuration.report.carriedColumns = ["name"]
        case "ProviderOptions.expiration": configuration.provider.expiration = "0"
        case "ReportOptions.retryRowsPath":
            configuration.report.retryRowsPath = folder.path("x.csv")
        case "the payload": configuration.payload = .template(json: Array("{}".utf8), name: "p")
        default: configuration.inputs.append(configuration.inputs[0])
        }
        let (code, text) = try #require(message(resuming(configuration)))
        #expect(code == .configuration)
        #expect(text.contains(name), "\(text)")
        #expect(hasCheckpoint)
    }

    @Test func `pace and patience may change`() throws {
        var configuration = try stoppedJob()
        configuration.engine.connections = 2
        configuration.engine.streams = 7
        configuration.engine.attemptsMax = 3
        configuration.engine.timeout = .seconds(3)
        #expect(try Job(resuming(configuration)).run().rowsRead == 100)
    }

    @Test func `a second process at the same report is refused`() throws {
        let configuration = try stoppedJob()
        let holder = try OpenedCheckpoint.open(folder.path("r.csv.checkpoint"))
        let isHeld = holder != nil
        #expect(isHeld)
        let (code, text) = try #require(message(resuming(configuration)))
        #expect(code == .configuration)
        #expect(text.contains("another process is at work"))
        _ = consume holder
    }

    @Test func `a report with lines missing is refused`() throws {
        let configuration = try stoppedJob()
        let lines = try folder.read("r.csv").split(separator: "\n")
        try folder.write(lines.dropLast(3).joined(separator: "\n") + "\n", to: "r.csv")
        let (code, text) = try #require(message(resuming(configuration)))
        #expect(code == .configuration)
        #expect(text.contains("lines are missing"))
        #expect(text.contains("move it back") && text.contains("RowOptions.suppressions"))
        let error = fanfareError { _ = try Job(resuming(configuration)) }
        #expect(error?.earlierReport == folder.path("r.csv"))
    }

    @Test func `a report that was edited is refused`() throws {
        let configuration = try stoppedJob()
        let text = try folder.read("r.csv")
        try folder.write(text.replacing("\n2,", with: "\n1,"), to: "r.csv")
        let (_, found) = try #require(message(resuming(configuration)))
        #expect(found.contains("r.csv is not as the job has left it"))
    }

    @Test func `a damaged checkpoint is refused, not taken for none`() throws {
        let configuration = try stoppedJob()
        var bytes = try folder.bytes("r.csv.checkpoint")
        bytes[30] ^= 1
        try folder.write(bytes, to: "r.csv.checkpoint")
        let (code, text) = try #require(message(resuming(configuration)))
        #expect(code == .configuration)
        #expect(text.contains("is damaged"))
    }

    @Test func `records that are both torn are damage, not a job that never began`() throws {
        let configuration = try stoppedJob()
        var bytes = try folder.bytes("r.csv.checkpoint")
        for slot in CheckpointLayout.slotOffsets where bytes[slot] != 0 { bytes[slot] ^= 0x80 }
        try folder.write(Array(bytes.prefix(65_536)), to: "r.csv.checkpoint")
        try folder.write("", to: "r.csv")
        let (code, text) = try #require(message(resuming(configuration)))
        #expect(code == .configuration)
        #expect(text.contains("is damaged"))
    }

    @Test(arguments: ["r.csv", "r.csv.gz", "r.csv.zst"])
    func `a job that was killed when its report had a header begins`(name: String) throws {
        var configuration = try configuration()
        configuration.report.path = folder.path(name)
        // The files that a job writes before its checkpoint says that it has begun.
        let plan = try JobOpening.newPlan(configuration)
        do {
            var opened = try JobOpening.openCheckpoint(of: configuration.report.path)
            try opened.begin(Array("{}".utf8), layout: .marks)
        }
        _ = try OutputFiles(plan.outputs, overwrites: false)
        #expect(try FileDescriptor.status(of: folder.path(name)).bytes > 0)
        #expect(try Job(resuming(configuration)).run().exitCode == 3)
    }

    @Test func `a checkpoint that never began does not cost another job its report`() throws {
        let configuration = try stoppedJob()
        _ = try Job(resuming(configuration)).run()
        // Killed between its checkpoint and its report.
        try folder.write("", to: "r.csv.checkpoint")
        let (code, text) = try #require(message(resuming(configuration)))
        #expect(code == .configuration)
        #expect(text.contains("never began"))
        #expect(try folder.reportLines("r.csv").count == 100)
        // Without anything to lose it begins.
        try folder.write("", to: "r.csv")
        #expect(try Job(resuming(configuration)).run().rowsRead == 100)
    }

    @Test func `standard output cannot be resumed`() throws {
        var configuration = try configuration()
        configuration.report.path = "-"
        let (code, text) = try #require(message(resuming(configuration)))
        #expect(code == .configuration)
        #expect(text.contains("standard output cannot"))
    }
}
