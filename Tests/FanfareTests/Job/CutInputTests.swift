import FanfareBase
import FanfareCompression
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare
@testable import FanfareSQLite

/// Inputs that cannot be read to their end: told before a row is sent where that can be known, and
/// with advice that leads on where not.
@Suite struct CutInputTests {
    private let folder: TemporaryFolder
    private let provider: SimulatedProvider

    init() throws {
        folder = try TemporaryFolder()
        provider = try SimulatedProvider()
    }

    private func token(_ number: Int) -> String {
        String(repeating: "a", count: 56) + String(number + 10_000_000)
    }

    private func csv(_ numbers: ClosedRange<Int>) -> String {
        "token,name\n" + numbers.map { "\(token($0)),n\($0)\n" }.joined()
    }

    /// One member or frame, whose checksum stands at its end: 8 bytes with the length behind the data
    /// (RFC 1952 §2.3.1), or 4 (RFC 8878 §3.1.1).
    private func compressed(_ text: String, _ format: CompressionFormat = .gzip) -> [UInt8] {
        var compressor = Compressor(format)
        var buffer = ByteBuffer()
        var text = text
        text.withUTF8 { compressor.append($0, to: &buffer) }
        return Array(buffer.bytes)
    }

    private func configuration(_ inputs: [RowInput]) -> Configuration {
        var configuration = Preparation.configuration("")
        configuration.inputs = inputs
        configuration.provider.endpoint = provider.endpoint
        configuration.engine.connections = 1
        configuration.engine.lanes = 1
        configuration.report.path = folder.path("r.csv")
        return configuration
    }

    private func resuming(_ configuration: Configuration) -> Configuration {
        var configuration = configuration
        configuration.report.resumes = true
        return configuration
    }

    private func run(_ configuration: Configuration) throws -> JobResult {
        try Job(configuration, resumeCommand: "again").run()
    }

    // MARK: Before the first row

    /// The data is all there, so all rows are before the place.
    @Test(arguments: ["rows.csv", "rows.ndjson", "lines.csv"], RowQuotes.allCases)
    func `a compressed file that is cut off is told before anything is sent`(
        name: String, quotes: RowQuotes
    ) throws {
        let text =
            switch name {
            case "rows.ndjson": (1...500).map { "{\"token\":\"\(token($0))\"}\n" }.joined()
            case "lines.csv": csv(1...499) + "\(token(500)),\"two\nlines\"\n"
            default: csv(1...500)
            }
        // Where quotes mean nothing each line is a row.
        let count: UInt64 = name == "lines.csv" && quotes == .ignored ? 501 : 500
        let path = try folder.write(Array(compressed(text).dropLast(4)), to: name + ".gz")
        var configuration = configuration([.file(path)])
        configuration.rows.quotes = quotes
        let error = fanfareError { _ = try Job(configuration) }
        #expect(error?.code == .input)
        #expect(
            error?.message.hasPrefix(
                "\(path) cannot be read on after row \(count): its gzip data is cut off before the "
                    + "end. Nothing was sent; once it is mended, the same command begins the job")
                == true)
        #expect(!folder.exists("r.csv") && !folder.exists("r.csv.checkpoint"))

        try folder.write(compressed(text), to: name + ".gz")
        let result = try run(resuming(configuration))
        #expect(result.exitCode == 0)
        #expect(result.rowsRead == count)
        #expect(provider.stop().requests == 500)
    }

    @Test(arguments: CompressionFormat.allCases)
    func `so is a later file, a damaged one and one that something follows`(
        format: CompressionFormat
    ) throws {
        let first = try folder.write(csv(1...20), to: "first.csv")
        let whole = compressed(csv(21...60), format)
        var damaged = whole
        damaged[whole.count - 2] ^= 1
        let path = folder.path("more.csv.x")
        for (bytes, fault) in [
            (Array(whole.dropLast(2)), "is cut off before the end"), (damaged, "is damaged"),
            (whole + Array("token\n".utf8), "there is something else"),
        ] {
            try folder.write(bytes, to: "more.csv.x")
            var configuration = configuration([.file(first), .file(path)])
            configuration.rows.format = .csv
            let message = fanfareError { _ = try Job(configuration) }?.message ?? "none"
            #expect(message.hasPrefix("\(path) cannot be read on after row 40 of it: "))
            #expect(message.contains(fault) && message.contains("Nothing was sent"))
            #expect(!folder.exists("r.csv"))
        }
        #expect(provider.stop().requests == 0)
    }

    @Test func `rows in memory have no file that could be mended`() {
        let bytes = Array(compressed(csv(1...5)).dropLast(4))
        let configuration = configuration([.memory(bytes, name: "rows")])
        #expect(
            fanfareError { _ = try Job(configuration) }?.message
                == "rows cannot be read on after row 5: its gzip data is cut off before the end. "
                + "Nothing was sent")
    }

    // MARK: While reading on

    /// A job of two files, of which the second one has become another one since it was read through.
    private func stoppedJob(
        leaving bytes: [UInt8], _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> (configuration: Configuration, result: JobResult) {
        let first = try folder.write(csv(1...20), to: "first.csv")
        let second = try folder.write(compressed(csv(21...60)), to: "second.csv.gz")
        var configuration = configuration([.file(first), .file(second)])
        change(&configuration)
        let job = try Job(configuration, resumeCommand: "again")
        try folder.write(bytes, to: "second.csv.gz")
        let result = try job.run()
        #expect(result.exitCode == 4)
        #expect(result.failure?.code == .input)
        return (configuration, result)
    }

    @Test func `a file of which rows were sent leads to a new job without them`() throws {
        let cut = Array(compressed(csv(21...60)).dropLast(4))
        let (stopped, result) = try stoppedJob(leaving: cut)
        #expect(result.outcomes["accepted"] == 60)
        let report = folder.path("r.csv")
        #expect(
            result.stopMessage
                == "\(folder.path("second.csv.gz")) cannot be read on after row 60: its gzip data is "
                + "cut off before the end; the job cannot be carried on: ReportOptions.resumes "
                + "would stop there again, and takes no other file. Begin a new one with another "
                + "ReportOptions.path, without the rows that are accepted, unregistered or unknown in "
                + "\(report) (RowOptions.suppressions leaves out all rows for their tokens)")
        #expect(!result.isResumable)
        #expect(result.summaryJSON.contains("\"resume_command\": null"))

        // Mended it has ten more rows.
        var configuration = stopped
        try folder.write(compressed(csv(21...70)), to: "second.csv.gz")
        configuration.report.path = folder.path("new.csv")
        configuration.rows.suppressions = [.file(report)]
        let rest = try run(configuration)
        #expect(rest.exitCode == 0)
        #expect(rest.outcomes["accepted"] == 10 && rest.outcomes["skipped"] == 60)
        #expect(provider.stop().requests == 70)
    }

    @Test func `a report without whole tokens is no list of them`() throws {
        let cut = Array(compressed(csv(21...60)).dropLast(4))
        let (_, result) = try stoppedJob(leaving: cut) { $0.report.token = .prefix }
        #expect(
            result.stopMessage?.hasSuffix(
                "Begin a new one with another ReportOptions.path and the rows behind row "
                    + "60") == true)
        #expect(!result.isResumable)
    }

    @Test func `a file of which no row was sent is mended, and the job carried on`() throws {
        // Ten bytes are a member's header (RFC 1952 §2.3), and nothing of a row.
        let head = Array(compressed(csv(21...60)).prefix(10))
        let (configuration, result) = try stoppedJob(leaving: head)
        #expect(result.outcomes["accepted"] == 20)
        #expect(
            result.stopMessage
                == "\(folder.path("second.csv.gz")) cannot be read: its gzip data is cut off before "
                + "the end")
        #expect(result.isResumable)
        #expect(result.summaryJSON.contains("\"resume_command\": \"again\""))

        // Half mended it is told before anything is sent.
        let cut = Array(compressed(csv(21...70)).dropLast(4))
        try folder.write(cut, to: "second.csv.gz")
        let error = fanfareError { _ = try Job(resuming(configuration)) }
        #expect(error?.code == .input)
        #expect(
            error?.message.hasSuffix(
                "after row 50 of it: its gzip data is cut off before the end. No row of it was begun: "
                    + "once it is mended, ReportOptions.resumes carries the job on") == true)

        try folder.write(compressed(csv(21...70)), to: "second.csv.gz")
        let rest = try run(resuming(configuration))
        #expect(rest.exitCode == 0)
        #expect(try folder.reportLines("r.csv").keys.sorted() == Array(1...70))
        #expect(provider.stop().requests == 70)
    }

    /// A file beside what is no file may not change (docs/decisions/039).
    @Test func `where no file may be mended, that is said at once`() throws {
        let whole = compressed(csv(1...5))
        let path = try folder.write(whole, to: "rows.csv.gz")
        let job = try Job(configuration([.text(csv(6...9)), .file(path)]), resumeCommand: "again")
        try folder.write(Array(whole.prefix(10)), to: "rows.csv.gz")
        let result = try job.run()
        #expect(result.exitCode == 4)
        #expect(result.stopMessage?.contains("RowOptions.suppressions") == true)
        #expect(!result.isResumable)
    }

    /// Another query is refused by `--resume`, and so is a database that has changed.
    @Test func `a query whose rows end in a value that is too long leads to a new job`() throws {
        let path = folder.path("app.db")
        do {
            let database = try SQLiteDatabase(path, .building, patience: 0)
            database.limitValues(bytes: 20_000_000)
            try database.execute("CREATE TABLE t (token, name)")
            for number in 1...3 {
                let bytes = number == 3 ? 17_000_000 : 1
                try database.execute(
                    "INSERT INTO t VALUES ('\(token(number))', zeroblob(\(bytes)))")
            }
        }
        var configuration = configuration([
            .sqlite(path, .query("SELECT token, name FROM t ORDER BY rowid"))
        ])
        configuration.report.carriedColumns = ["name"]
        let result = try run(configuration)
        #expect(result.exitCode == 4)
        #expect(result.outcomes["accepted"] == 2)
        #expect(result.stopMessage?.contains("a value is longer than 16 MiB") == true)
        #expect(result.stopMessage?.contains("RowOptions.suppressions") == true)
        #expect(!result.isResumable)
    }
}
