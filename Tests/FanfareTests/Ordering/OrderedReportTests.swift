import FanfareBase
import FanfareCompression
import FanfareCore
import FanfareSystem
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare

/// Reports in the order of the rows.
@Suite struct OrderedReportTests {
    private let folder: TemporaryFolder
    private let provider: SimulatedProvider

    /// Every token that begins with `e` is told "later" once.
    init() throws {
        folder = try TemporaryFolder()
        provider = try SimulatedProvider(
            """
            {"when":{"tokenPrefix":"e","attempt":1},
             "then":{"status":503,"reason":"ServiceUnavailable"}},
            {"when":{"tokenPrefix":"f","attempt":1},
             "then":{"status":403,"reason":"InvalidProviderToken"}}
            """)
    }

    private func token(_ prefix: String, _ row: Int) -> String {
        prefix + String(repeating: "0", count: 63 - String(row).utf8.count) + String(row)
    }

    /// 300 rows, every tenth of which is late; names have line breaks in them.
    private func configuration(
        _ report: String = "r.csv", _ prefix: (Int) -> String = { $0 % 10 == 1 ? "e" : "a" }
    ) throws -> Configuration {
        var configuration = Preparation.configuration("")
        let rows = (1...300).map { token(prefix($0), $0) + ",\"Ada\n\"\"\($0)\"\"\"\n" }
        configuration.inputs = [
            .file(try folder.write("token,name\n" + rows.joined(), to: "rows.csv"))
        ]
        configuration.provider.endpoint = provider.endpoint
        configuration.engine.connections = 2
        configuration.engine.lanes = 2
        configuration.report.path = folder.path(report)
        configuration.report.carriedColumns = ["name"]
        configuration.report.isOrdered = true
        return configuration
    }

    /// The rows of a report and the names that it carries, in order, by the reader of rows.
    private func rows(_ report: String = "r.csv") throws -> [String] {
        func column(_ name: String) throws -> [String] {
            try RowReading.rows([.file(folder.path(report))]) { $0.mapping = ["token": name] }
                .compactMap(\.token)
        }
        return zip(try column("row"), try column("name")).map { "\($0): \($1)" }
    }

    private var expected: [String] { (1...300).map { "\($0): Ada\n\"\($0)\"" } }

    private func expectNothingBeside(_ report: String = "r.csv") {
        #expect(!folder.exists(report + ".checkpoint"))
        #expect(!folder.exists(report + ".ordered"))
    }

    @Test(arguments: ["r.csv", "r.csv.gz", "r.csv.zst", "r.ndjson"])
    func `lines stand in the order of the rows, whenever they came`(report: String) throws {
        let result = try Job(try configuration(report)).run()
        #expect(result.exitCode == 0)
        #expect(try rows(report) == expected)
        expectNothingBeside(report)
        _ = provider.stop()
    }

    @Test func `a rehearsal's lines do, too`() throws {
        var configuration = try configuration()
        configuration.engine.lanes = 3
        #expect(try Rehearsal(configuration).run().exitCode == 0)
        #expect(try rows() == expected)
        expectNothingBeside()
    }

    @Test func `users who could read the report still can, by all its names`() throws {
        var configuration = try configuration()
        try folder.write("", to: "real.csv")
        let real = folder.path("real.csv")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: real)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("r.csv"), withDestinationPath: real)
        configuration.report.overwrites = true
        #expect(try Rehearsal(configuration).run().exitCode == 0)
        #expect(try rows("real.csv") == expected)
        #expect(try rows() == expected)
        let attributes = try FileManager.default.attributesOfItem(atPath: real)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
    }

    @Test func `another program's file is not taken for ours`() throws {
        let configuration = try configuration()
        try folder.write("mine", to: "r.csv.ordered")
        #expect(throws: FanfareError.self) { try Job(configuration) }
        #expect(throws: FanfareError.self) { try Rehearsal(configuration) }
        #expect(try folder.read("r.csv.ordered") == "mine")
        #expect(!folder.exists("r.csv"))
    }

    @Test func `no file of the job's own is either`() throws {
        var configuration = try configuration()
        configuration.report.overwrites = true
        let copy = folder.path("r.csv.ordered")
        for change in [
            { $0.report.unregisteredPath = copy }, { $0.report.retryRowsPath = copy },
            { $0.rows.suppressions = [.file(copy)] },
            { $0.inputs = [.file(copy)] },
        ] as [(inout Configuration) -> Void] {
            var configuration = configuration
            change(&configuration)
            try folder.write("token\n", to: "r.csv.ordered")
            let error = #expect(throws: FanfareError.self) { try Job(configuration) }
            #expect(error?.message.contains("used for something else") == true)
            #expect(try folder.read("r.csv.ordered") == "token\n")
        }
    }

    @Test func `a link under the copy's name leads nowhere`() throws {
        var configuration = try configuration()
        try folder.write("mine", to: "mine")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("r.csv.ordered"), withDestinationPath: folder.path("mine"))
        configuration.report.overwrites = true
        #expect(try Rehearsal(configuration).run().exitCode == 0)
        #expect(try folder.read("mine") == "mine")
        #expect(try rows() == expected)
        expectNothingBeside()
    }

    // MARK: Carrying on

    @Test func `a job that was stopped has its lines in order when it is done`() throws {
        var configuration = try configuration { $0 == 150 ? "f" : $0 % 10 == 1 ? "e" : "a" }
        #expect(try Job(configuration).run().exitCode == 3)
        #expect(folder.exists("r.csv.checkpoint"))
        configuration.report.resumes = true
        #expect(try Job(configuration).run().exitCode == 0)
        #expect(try rows() == expected)
        expectNothingBeside()
    }

    @Test(arguments: [false, true])
    func `a file that was made while the job was stopped is not taken for ours`(
        wasOrdered: Bool
    ) throws {
        var configuration = try configuration { $0 == 150 ? "f" : "a" }
        configuration.report.isOrdered = wasOrdered
        #expect(try Job(configuration).run().exitCode == 3)
        // As by a user who sorts the lines that there are.
        let text = try folder.read("r.csv")
        try folder.write(text, to: "r.csv.ordered")
        configuration.report.resumes = true
        configuration.report.isOrdered = true
        let error = #expect(throws: FanfareError.self) { try Job(configuration) }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("r.csv.ordered exists already") == true)
        #expect(try folder.read("r.csv.ordered") == text)
        #expect(try folder.read("r.csv") == text)
        try FileManager.default.removeItem(atPath: folder.path("r.csv.ordered"))
        #expect(try Job(configuration).run().exitCode == 0)
        #expect(try rows() == expected)
        expectNothingBeside()
    }

    @Test func `a file that was made after the lines could not be put in order is not, either`()
        throws
    {
        let configuration = try jobWithoutOrder("r.csv")
        try folder.write("mine", to: "r.csv.ordered")
        #expect(throws: FanfareError.self) { try Job(configuration) }
        #expect(try folder.read("r.csv.ordered") == "mine")
    }

    /// A job whose lines are all there, and which could not put them in order.
    private func jobWithoutOrder(_ report: String) throws -> Configuration {
        var configuration = try configuration(report)
        // Made behind the look at the beginning, as by a program that fills the disk.
        let job = try Job(configuration)
        try FileManager.default.createDirectory(
            atPath: folder.path(report + ".ordered/x"), withIntermediateDirectories: true)
        let result = try job.run()
        #expect(result.exitCode == 4)
        #expect(result.stopMessage?.contains("has the lines of all rows, but not in order") == true)
        #expect(result.outcomes["accepted"] == 300)
        #expect(try rows(report).sorted() == expected.sorted())
        try FileManager.default.removeItem(atPath: folder.path(report + ".ordered"))
        configuration.report.resumes = true
        return configuration
    }

    @Test(arguments: ["r.csv", "r.csv.gz"])
    func `what could not be put in order is by the next run, and nothing is sent`(
        report: String
    ) throws {
        let configuration = try jobWithoutOrder(report)
        let result = try Job(configuration).run()
        #expect(result.exitCode == 0)
        #expect(result.rowsRead == 300)
        #expect(provider.stop().requests == 330)
        #expect(try rows(report) == expected)
        expectNothingBeside(report)
    }

    /// Killed before or behind the moment at which the copy takes the report's place.
    @Test(arguments: [false, true], ["r.csv", "r.csv.gz"])
    func `a job that is killed while it replaces its report goes on`(
        isReplaced: Bool, report: String
    ) throws {
        let configuration = try jobWithoutOrder(report)
        let path = folder.path(report)
        // Anything of another length that has the same lines: all in one member.
        var text = try ordered(path)
        if report.hasSuffix(".gz") { text = compressed(text) }
        try folder.write(text, to: report + ".ordered")
        do {
            let opened = try JobOpening.openCheckpoint(of: path)
            let record = opened.record
            let checkpoint = try CheckpointFile(
                opened, record: #require(record), isDurable: false)
            try checkpoint.orderReport(true)
            try checkpoint.replaceReport(byBytes: text.count)
        }
        if isReplaced { try FileDescriptor.replace(path, by: path + ".ordered") }
        let result = try Job(configuration).run()
        #expect(result.exitCode == 0)
        #expect(try rows(report) == expected)
        expectNothingBeside(report)
        #expect(provider.stop().requests == 330)
    }

    /// The text of a report in order, by other means: its records have one quoted line break each.
    private func ordered(_ path: String) throws -> [UInt8] {
        var text = ""
        let source = try ByteSource(.file(path)) { false }
        var space = [UInt8](repeating: 0, count: 1 << 16)
        while !source.isAtEnd {
            let count = try space.withUnsafeMutableBytes { try source.read(into: $0) }
            text += String(decoding: space[..<count], as: UTF8.self)
        }
        let lines = text.split(separator: "\n")
        let records = stride(from: 1, to: lines.count, by: 2).map {
            lines[$0] + "\n" + lines[$0 + 1]
        }
        func row(_ record: Substring) -> Int { Int(record.prefix { $0 != "," }) ?? 0 }
        let sorted = records.map { Substring($0) }.sorted { row($0) < row($1) }
        return Array(([lines[0]] + sorted).map { $0 + "\n" }.joined().utf8)
    }

    private func compressed(_ text: [UInt8]) -> [UInt8] {
        var buffer = ByteBuffer()
        var compressor = Compressor(.gzip)
        text.withUnsafeBufferPointer { compressor.append($0, to: &buffer) }
        return Array(buffer.bytes)
    }
}
