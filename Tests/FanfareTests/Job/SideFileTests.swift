import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// `--unregistered` and `--retry-rows` of whole jobs against the simulator.
@Suite struct SideFileTests {
    private let folder: TemporaryFolder
    private let provider: SimulatedProvider

    /// The beginning of a token decides.
    init() throws {
        folder = try TemporaryFolder()
        provider = try SimulatedProvider(
            """
            {"when":{"tokenPrefix":"d0"},"then":{"status":410,"timestamp":1700000000123}},
            {"when":{"tokenPrefix":"d1"},"then":{"status":400,"reason":"BadDeviceToken"}},
            {"when":{"tokenPrefix":"d2"},"then":{"status":503,"reason":"ServiceUnavailable"}},
            {"when":{"tokenPrefix":"d4"},"then":{"status":429,"reason":"TooManyRequests"}},
            {"when":{"tokenPrefix":"d5"},"then":{"resetStream":"INTERNAL_ERROR"}}
            """)
    }

    private func token(_ prefix: String) -> String {
        prefix + String(repeating: "0", count: 64 - prefix.utf8.count)
    }

    private func configuration(_ inputs: [RowInput]) -> Configuration {
        var configuration = Preparation.configuration("")
        configuration.inputs = inputs
        configuration.provider.endpoint = provider.endpoint
        configuration.engine.connections = 1
        configuration.engine.lanes = 1
        configuration.engine.streams = 1
        configuration.engine.attemptsMax = 1
        configuration.report.path = folder.path("r.csv")
        return configuration
    }

    /// Runs a job with rows to try again, and returns those.
    private func retryRows(
        _ inputs: [RowInput], path: String = "again",
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> String {
        var configuration = configuration(inputs)
        configuration.report.retryRowsPath = folder.path(path)
        change(&configuration)
        let result = try Job(configuration).run()
        #expect(result.summaryJSON.contains("\"retry_rows\": \"\(folder.path(path))\""))
        return try folder.read(path)
    }

    // MARK: Dead tokens

    @Test func `dead tokens are listed whole, with their time`() throws {
        var configuration = configuration([
            .text("token\n" + ["aa", "d0", "d1", "d00"].map { token($0) + "\n" }.joined())
        ])
        configuration.report.token = .prefix
        configuration.report.unregisteredPath = folder.path("dead.csv")
        let result = try Job(configuration).run()
        #expect(result.outcomes["unregistered"] == 2)
        #expect(
            try folder.read("dead.csv") == "token,unregistered_at\n"
                + "\(token("d0")),2023-11-14T22:13:20.123Z\n"
                + "\(token("d00")),2023-11-14T22:13:20.123Z\n")
        let path = folder.path("dead.csv")
        #expect(result.summaryJSON.contains("\"unregistered\": \"\(path)\""))
        #expect(result.table(usesColor: false).contains("Tokens to delete: \(path)"))
    }

    @Test func `dead tokens are listed as NDJSON when the name says so`() throws {
        var configuration = configuration([.text("token\n\(token("d0"))\n")])
        configuration.report.unregisteredPath = folder.path("dead.ndjson")
        _ = try Job(configuration).run()
        #expect(
            try folder.read("dead.ndjson")
                == #"{"token":"\#(token("d0"))","unregistered_at":"2023-11-14T22:13:20.123Z"}"#
                + "\n")
    }

    @Test(arguments: ["dead.txt", "dead", "dead.gz"])
    func `the list's name tells its format`(name: String) {
        var configuration = configuration([.text("token\n")])
        configuration.report.unregisteredPath = name
        let error = fanfareError { _ = try Job(configuration) }
        #expect(error?.code == .configuration)
        #expect(
            error?.message
                == "ReportOptions.unregisteredPath \(name): the name must end in .csv or .ndjson, "
                + "or that and .gz or .zst"
        )
    }

    // MARK: Rows to try again

    @Test func `rows without a definite outcome are kept byte for byte under the header`() throws {
        let header = "\u{FEFF}\r\n\"token\"; name ;\"a;b\"\r\n"
        let rows = [
            "\(token("d2"));\"Ann \"\"A\"\"\";x\r\n", "\(token("aa"));b;\r\n", "\r\n",
            "\"\(token("d4"))\";\"two\r\nlines\";\n", "not a token;;\r\n",
            "\(token("d0"));dead;\r\n", "\(token("d1"));suspect;\r\n", "\(token("d5")); é ;z",
        ]
        _ = try retryRows([.text(header + rows.joined())])
        let expected = header + rows[0] + rows[3] + rows[7] + "\n"
        #expect(try folder.bytes("again") == Array(expected.utf8))
    }

    @Test func `lines of NDJSON are kept byte for byte`() throws {
        let rows = [
            #" { "token" : "\#(token("d2"))", "x" : [1, 2] } "# + "\r\n",
            #"{"token":"\#(token("aa"))"}"# + "\n", "\n",
            #"{"token":"\#(token("d4"))","é":"\u00e9"}"#,
        ]
        _ = try retryRows([.text("\u{FEFF}" + rows.joined())])
        #expect(try folder.bytes("again") == Array((rows[0] + rows[3] + "\n").utf8))
    }

    @Test func `objects of a JSON array are kept as lines`() throws {
        let rows = ["d2", "aa", "d4"].map { #"{"token":"\#(token($0))"}"# }
        let again = try retryRows([.text("[\(rows.joined(separator: ","))]")])
        #expect(
            again.split(separator: "\n").map { $0.drop { $0 == " " } } == [
                rows[0][...], rows[2][...],
            ])
    }

    @Test func `rows without a header get none`() throws {
        let again = try retryRows([.text("x,\(token("d2"))\ny,\(token("aa"))\n")]) {
            $0.rows.format = .csv
            $0.rows.hasHeader = false
            $0.rows.columns = ["name", "token"]
        }
        #expect(again == "x,\(token("d2"))\n")
    }

    @Test func `what is kept is input for the next job, which keeps the same`() throws {
        let tokens = (0..<3000).map { token($0 % 3 == 0 ? "d2\($0)" : "aa\($0)") }
        let rows = tokens.map { "\"n\($0.prefix(8))\",\($0)\r\n" }
        let header = "name,token\r\n"
        var first = configuration([
            .text(header + rows[..<1000].joined()), .text(header + rows[1000...].joined()),
        ])
        first.engine.streams = nil
        first.engine.connections = 2
        first.engine.lanes = 2
        first.report.retryRowsPath = folder.path("again.csv")
        #expect(try Job(first).run().outcomes["failed"] == 1000)
        var second = first
        second.inputs = [.file(folder.path("again.csv"))]
        second.report.path = folder.path("r2.csv")
        second.report.retryRowsPath = folder.path("again2.csv")
        let result = try Job(second).run()
        #expect(result.rowsRead == 1000 && result.outcomes["failed"] == 1000)
        let kept = try ["again.csv", "again2.csv"].map { name in
            try folder.read(name).split(separator: "\r\n").dropFirst().sorted()
        }
        #expect(kept[0] == kept[1])
        let expected = (0..<3000).filter { $0 % 3 == 0 }
            .map { "\"n\(tokens[$0].prefix(8))\",\(tokens[$0])" }
        #expect(kept[0].map(String.init) == expected.sorted())
    }

    @Test func `rows that a stop has left are not kept`() throws {
        let job: Job = try {
            var configuration = configuration([.text("token\n\(token("d2"))\n")])
            configuration.report.retryRowsPath = folder.path("again.csv")
            return try Job(configuration)
        }()
        job.interrupt()
        #expect(try job.run().exitCode == 130)
        // Nothing was sent, and nothing is left that the next try would have to replace.
        #expect((try? folder.read("again.csv")) == nil)
    }

    @Test func `a row too large to be kept is not sent`() throws {
        let long = String(repeating: "x", count: 64 * 1024)
        let again = try retryRows([
            .text("token,name\n\(token("d2")),\(long)\n\(token("d4")),y\n")
        ])
        #expect(again == "token,name\n\(token("d4")),y\n")
        let line = try folder.reportLines("r.csv")[1]
        #expect(line?[4] == "invalid" && line?[6] == "line 2: row is too large for --retry-rows")
    }

    @Test func `nothing is kept unless asked for`() throws {
        var row = PreparedRow()
        let plan = try PreparedJob(
            configuration([.text("token\n\(token("aa"))\n")]), identity: Preparation.identity)
        var preparer = RowPreparer(plan.preparation, plan.routes[0].service)
        let batch = RowBatch(
            inputCapacity: 4096, rowCapacity: 4, slotCount: plan.preparation.schema.slotCount)
        #expect(try plan.source.fill(batch))
        let isReady = preparer.prepare(batch, 0, into: &row)
        let isKept = !row.text.isEmpty
        #expect(isReady && !isKept)
    }

    // MARK: Several inputs

    @Test(arguments: [
        ("name,token\n", "their columns differ"), ("token;name\n", "fields are separated"),
        (#"{"token":"aa"}"# + "\n", "one is CSV and one is NDJSON"),
    ])
    func `inputs that do not fit together are refused before anything is made`(
        second: String, why: String
    ) throws {
        let file = try folder.write(second, to: "second")
        for input in [RowInput.file(file), .text(second, name: file)] {
            var configuration = configuration([.text("token,name\n", name: "first"), input])
            #expect(
                fanfareError { _ = try PreparedJob(configuration, identity: .init(bits: 1)) } == nil
            )
            configuration.report.retryRowsPath = folder.path("again")
            let error = fanfareError { _ = try Job(configuration) }
            #expect(error?.message.hasPrefix("the rows of first and \(file) cannot go ") == true)
            #expect(error?.message.contains(why) == true)
            #expect(throws: (any Error).self) { try folder.read("r.csv") }
        }
    }

    @Test func `headers may be written differently`() throws {
        let again = try retryRows([
            .text("token,name\n\(token("d2")),a\n"),
            .text("\"token\", name\r\n\(token("d4")),b\r\n"),
        ])
        #expect(again == "token,name\n\(token("d2")),a\n\(token("d4")),b\r\n")
    }

    // MARK: Names

    @Test(arguments: [
        ("token\n", "again.ndjson", "CSV", ".csv"),
        (#"{"token":"aa"}"#, "again.csv", "NDJSON", ".ndjson"),
    ])
    func `a name that tells the wrong format is refused`(
        text: String, name: String, format: String, ending: String
    ) {
        var configuration = configuration([.text(text)])
        configuration.report.retryRowsPath = name
        let error = fanfareError { _ = try Job(configuration) }
        #expect(error?.code == .configuration)
        #expect(
            error?.message
                == "ReportOptions.retryRowsPath \(name): the rows are \(format), so the name must "
                + "end in \(ending)"
        )
        configuration.rows.format = format == "CSV" ? .csv : .ndjson
        #expect(
            fanfareError { _ = try PreparedJob(configuration, identity: .init(bits: 1)) } == nil)
    }

    @Test func `a device takes several outputs`() {
        var configuration = configuration([.text("token\n")])
        configuration.report.unregisteredPath = "/dev/full"
        configuration.report.retryRowsPath = "/dev/full"
        #expect(
            fanfareError { _ = try PreparedJob(configuration, identity: .init(bits: 1)) } == nil)
    }

    @Test func `no output replaces the rows or another output`() throws {
        let rows = try folder.write("token\n", to: "rows.csv")
        let changes: [(String, (inout ReportOptions) -> Void)] = [
            ("the list of dead tokens would replace the rows in ", { $0.unregisteredPath = rows }),
            (
                "the file of rows to try again would replace the rows in ",
                { $0.retryRowsPath = rows }
            ),
            (
                "ReportOptions.path and ReportOptions.unregisteredPath name the same file, "
                    + "", { $0.unregisteredPath = $0.path }
            ),
            (
                "ReportOptions.path and ReportOptions.retryRowsPath name the same file, standard "
                    + "output",
                {
                    $0.path = "-"
                    $0.retryRowsPath = "-"
                }
            ),
            (
                "ReportOptions.unregisteredPath and ReportOptions.retryRowsPath name the same "
                    + "file, ",
                {
                    $0.unregisteredPath = "same.csv"
                    $0.retryRowsPath = "same.csv"
                }
            ),
        ]
        for (message, change) in changes {
            var configuration = configuration([.file(rows)])
            configuration.report.overwrites = true
            change(&configuration.report)
            let error = fanfareError { _ = try Job(configuration) }
            #expect(error?.code == .configuration)
            #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "none")")
        }
        #expect(try folder.read("rows.csv") == "token\n")
    }
}
