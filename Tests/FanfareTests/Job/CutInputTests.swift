import FanfareCompression
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Inputs that cannot be read to their end: told before a row is sent where that can be known.
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
}
