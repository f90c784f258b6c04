import FanfareCore
import FanfareSystem
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare

/// Reports that are split by their size.
@Suite struct ReportPartsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    // MARK: Names

    @Test(arguments: [
        ("report.csv", "report-2.csv", "report-10.csv"),
        ("a.b/out.ndjson.gz", "a.b/out-2.ndjson.gz", "a.b/out-10.ndjson.gz"),
        ("/x/R.CSV.ZST", "/x/R-2.CSV.ZST", "/x/R-10.CSV.ZST"),
    ])
    func `parts are numbered before the ending`(first: String, second: String, tenth: String) {
        let parts = ReportParts(first)
        #expect([1, 2, 10].map(parts.path(of:)) == [first, second, tenth])
        #expect([first, second, tenth].map(parts.part(named:)) == [nil, 2, 10])
    }

    @Test(arguments: [
        "report-1.csv", "report-02.csv", "report-x.csv", "report-.csv", "report-2.ndjson",
        "report-2.csv.gz", "other-2.csv", "report-2", "./report-2.csv",
    ])
    func `other names are no parts`(name: String) {
        #expect(ReportParts("report.csv").part(named: name) == nil)
    }

    /// U+0600 makes one grapheme with what stands behind it, and U+0301 with what stands before it.
    @Test func `names are compared as the file system does`() {
        let parts = ReportParts("r\u{600}.csv")
        #expect(parts.path(of: 2) == "r\u{600}-2.csv")
        #expect(parts.part(named: "r\u{600}-2.csv") == 2)
        #expect(ReportParts("\u{E9}.csv").part(named: "\u{E9}-2.csv") == 2)
        #expect(ReportParts("\u{E9}.csv").part(named: "e\u{301}-2.csv") == nil)
        #expect(ReportParts("r.csv").part(named: "r-2\u{301}.csv") == nil)
    }

    @Test func `later parts are found with gaps, and the rest without`() throws {
        for name in ["r.csv", "r-2.csv", "r-3.csv", "r-5.csv", "r-12.csv", "q-2.csv"] {
            try folder.write("\(name)", to: name)
        }
        let parts = ReportParts(folder.path("r.csv"))
        #expect(
            try parts.later()
                == ["r-2.csv", "r-3.csv", "r-5.csv", "r-12.csv"].map(folder.path))
        #expect(
            FileSystem().found(parts).map(\.path)
                == ["r.csv", "r-2.csv", "r-3.csv"].map(folder.path))
        #expect(FileSystem().found(parts).map(\.bytes) == [5, 7, 7])
    }

    /// Ways to the second part, with what each of them needs.
    @Test(arguments: [
        "r-2.csv", "./r-2.csv", "sub/../r-2.csv", "link/r-2.csv", "way.csv", "twin.csv",
    ])
    func `a part is known by the file, by each way to it`(way: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder.path("sub"), withIntermediateDirectories: false)
        try folder.link("link", to: folder.path)
        try folder.link("way.csv", to: "sub/../r-2.csv")
        let parts = ReportParts(folder.path("r.csv"))
        let path = folder.path + "/" + way
        let others = [folder.path("q-2.csv"), folder.path("r.csv"), "/dev/null"]
        // Where nothing is, a second name of it cannot be either.
        if way != "twin.csv" {
            #expect(parts.firstPart(among: others + [path]) == path, "where it would be made")
        }
        try folder.write("", to: "r-2.csv")
        try folder.hardLink("twin.csv", to: folder.path("r-2.csv"))
        #expect(parts.firstPart(among: others + [path]) == path)
        let throughLink = ReportParts(folder.path + "/link/r.csv")
        #expect(throughLink.firstPart(among: others + [path]) == path)
        #expect(parts.firstPart(among: others) == nil)
    }

    @Test(arguments: ["retry", "unregistered", "log", "input", "suppressed"])
    func `no part is anything else in the job`(use: String) throws {
        let path = folder.path + "/./r-2.csv"
        var configuration = Preparation.configuration("token\n")
        configuration.report.path = folder.path("r.csv")
        configuration.report.splitBytes = 100_000
        switch use {
        case "retry": configuration.report.retryRowsPath = path
        case "unregistered": configuration.report.unregisteredPath = path
        case "log": configuration.log = LogOptions(path: path)
        case "input": configuration.inputs = [.file(path)]
        default: configuration.rows.suppressions = [.file(path)]
        }
        let error = fanfareError { try configuration.report.checkSplit(configuration) }
        #expect(error?.code == .configuration)
        #expect(
            error?.message == "\(path) is a part of the report, or has the name of one; "
                + "ReportOptions.path names another report")
    }

    // MARK: Writing

    private static let header = "row,id,token,outcome\n"

    private func spec(_ name: String, bytesMax: Int) -> OutputSpec {
        OutputSpec(
            kind: .report, path: folder.path(name), header: Array(Self.header.utf8),
            split: OutputSplit(
                parts: ReportParts(folder.path(name)), bytesMax: bytesMax))
    }

    /// Lines of eight bytes for each row below 10,000.
    private func block(_ rows: ClosedRange<UInt64>) -> ReportBlock {
        let block = ReportBlock()
        for row in rows { _ = block.append(row: row) { $0.append("r \(10_000 + row)\n") } }
        return block
    }

    private func line(_ row: UInt64) -> String { "r \(10_000 + row)\n" }

    /// Writes as the writer's thread does.
    private func write(_ rows: ClosedRange<UInt64>, to files: OutputFiles) throws {
        let block = block(rows)
        let growth = files.prepare(block)
        _ = try files.makeRoom(for: growth)
        let before = files.lengths
        #expect(files.append(block).failure == nil)
        #expect(files.lengths == before + growth)
    }

    @Test func `a part has as many whole blocks as fit, and its own header`() throws {
        // The header's 21 bytes and two blocks of two lines.
        let files = try OutputFiles([spec("r.csv", bytesMax: 21 + 32)], overwrites: false)
        for row in stride(from: UInt64(1), through: 9, by: 2) {
            try write(row...row + 1, to: files)
        }
        #expect(files.report?.part == 3)
        #expect(try folder.read("r.csv") == Self.header + (1...4).map(line).joined())
        #expect(try folder.read("r-2.csv") == Self.header + (5...8).map(line).joined())
        #expect(try folder.read("r-3.csv") == Self.header + (9...10).map(line).joined())
        #expect(files.lengths.report == 3 * 21 + 10 * 8)
    }

    @Test func `a block that is longer than a part has one of its own`() throws {
        let files = try OutputFiles([spec("r.csv", bytesMax: 30)], overwrites: false)
        try write(1...5, to: files)
        try write(6...9, to: files)
        #expect(try folder.read("r.csv") == Self.header + (1...5).map(line).joined())
        #expect(try folder.read("r-2.csv") == Self.header + (6...9).map(line).joined())
    }

    @Test(arguments: ["", ".gz"])
    func `a report is carried on at each length that it had`(ending: String) throws {
        var spec = spec("r.csv" + ending, bytesMax: 21 + 32)
        if !ending.isEmpty { spec.split?.bytesMax = 120 }
        var lengths: [Int] = []
        do {
            let files = try OutputFiles([spec], overwrites: false)
            lengths.append(files.lengths.report)
            for row in 1...UInt64(12) {
                try write(row...row, to: files)
                lengths.append(files.lengths.report)
            }
            #expect(try #require(files.report).part > 2)
        }
        let parts = FileSystem().parts(of: spec)
        let contents = try parts.map {
            try Data(contentsOf: URL(filePath: $0.path))
        }
        #expect(parts.reduce(0) { $0 + $1.bytes } == lengths.last)
        for (rows, length) in lengths.enumerated() {
            for (part, content) in zip(parts, contents) {
                try content.write(to: URL(filePath: part.path))
            }
            let files = try OutputFiles(
                [spec], continuingAt: OutputLengths(report: length))
            #expect(files.lengths.report == length)
            if rows < 12 { try write(UInt64(rows) + 1...12, to: files) }
            try files.synchronize()
            let read = try FileSystem().parts(of: spec).map { part in
                try self.lines(part.path)
            }
            #expect(read.allSatisfy { $0.first == "row,id,token,outcome" }, "after \(rows) rows")
            #expect(
                read.flatMap { $0.dropFirst() }.map { $0 + "\n" } == (1...12).map(line),
                "after \(rows) rows")
        }
    }

    private func lines(_ path: String) throws -> [String] {
        let source = try ByteSource(.file(path)) { false }
        var space = [UInt8](repeating: 0, count: 4096)
        let count = try space.withUnsafeMutableBytes { bytes in
            var count = 0
            while true {
                let more = try source.read(into: .init(rebasing: bytes[count...]))
                if more == 0 { return count }
                count += more
            }
        }
        return String(decoding: space[..<count], as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    @Test func `what has the next part's name is left alone, and the report stays whole`() throws {
        let files = try OutputFiles([spec("r.csv", bytesMax: 40)], overwrites: false)
        try write(1...2, to: files)
        try folder.write("mine", to: "r-2.csv")
        let growth = files.prepare(block(3...4))
        #expect(throws: (any Error).self) { _ = try files.makeRoom(for: growth) }
        #expect(try folder.read("r-2.csv") == "mine")
        #expect(files.lengths.report == 21 + 16)
        #expect(try folder.read("r.csv") == Self.header + (1...2).map(line).joined())
    }

    @Test func `a report in parts is its job's by its first one, whichever is written`() throws {
        let files = try OutputFiles([spec("r.csv", bytesMax: 40)], overwrites: false)
        try write(1...2, to: files)
        try write(3...4, to: files)
        #expect(files.report?.part == 2)
        try folder.link("l.csv", to: folder.path("r.csv"))
        func error() -> FanfareError? {
            fanfareError { _ = try OutputFiles([spec("l.csv", bytesMax: 40)], overwrites: true) }
        }
        #expect(error()?.message.hasPrefix("another process is at work on") == true)
        #expect(try folder.read("r.csv") == Self.header + (1...2).map(line).joined())
        files.letGo()
        #expect(error() == nil)
    }

    // MARK: Earlier reports

    private static let report =
        "row,id,token,provider,outcome,status,reason,message_id,attempts,latency_ms,"
        + "unregistered_at,sent_at\n"

    @Test func `parts of an earlier report are replaced when that was said, and only then`() throws
    {
        for name in ["r.csv", "r-2.csv", "r-4.csv"] { try folder.write(Self.report, to: name) }
        let spec = spec("r.csv", bytesMax: 40)
        try FileManager.default.removeItem(atPath: folder.path("r.csv"))
        let error = fanfareError { _ = try OutputFiles([spec], overwrites: false) }
        #expect(error?.message.hasPrefix("\(folder.path("r-2.csv")) exists already") == true)
        #expect(!folder.exists("r.csv"))
        _ = try OutputFiles([spec], overwrites: true)
        #expect(folder.exists("r.csv") && !folder.exists("r-2.csv") && !folder.exists("r-4.csv"))
    }

    @Test func `what is no part of a report is not replaced`() throws {
        try folder.write("token,name\naa,Ada\n", to: "r-2.csv")
        try folder.write(Self.report, to: "q-2.csv")
        try folder.write("", to: "q-2.csv.checkpoint")
        for name in ["r.csv", "q.csv"] {
            try folder.write("old", to: name)
            let error = fanfareError {
                _ = try OutputFiles([spec(name, bytesMax: 40)], overwrites: true)
            }
            #expect(error?.code == .configuration)
            #expect(try folder.read(name) == "old", "nothing was changed")
        }
    }

    @Test func `another job's report is no part`() throws {
        // A line for row 1 cannot be in two parts.
        let line = "1,,aa,apns,accepted,200,,,1,1.0,,\n"
        for name in ["r.csv", "r-2.csv"] { try folder.write(Self.report + line, to: name) }
        let error = fanfareError {
            _ = try OutputFiles([spec("r.csv", bytesMax: 40)], overwrites: true)
        }
        #expect(error?.code == .configuration)
        #expect(try folder.read("r-2.csv") == Self.report + line)
    }

    @Test func `parts behind one that a loss of power has taken are removed, and no other files`()
        throws
    {
        let spec = spec("r.csv", bytesMax: 30)
        do {
            let files = try OutputFiles([spec], overwrites: false)
            for row in UInt64(1)...4 { try write(row...row, to: files) }
        }
        try FileDescriptor.remove(folder.path("r-2.csv"))
        try folder.write("mine", to: "r-9.csv")
        let length = Self.header.utf8.count + line(1).utf8.count
        let files = try OutputFiles([spec], continuingAt: OutputLengths(report: length))
        #expect(files.lengths.report == length)
        #expect(!folder.exists("r-3.csv") && !folder.exists("r-4.csv"))
        #expect(folder.exists("r-9.csv"))
    }

    @Test(arguments: ["mine", "row,id,token,outcome\nmine", "", "row,id\0\0\0", "\0\0\0"])
    func `a file that a stopped job finds in its way is only removed if it may be its own`(
        text: String
    ) throws {
        let spec = spec("r.csv", bytesMax: 40)
        let length: Int
        do {
            let files = try OutputFiles([spec], overwrites: false)
            try write(1...2, to: files)
            length = files.lengths.report
        }
        try folder.write(text, to: "r-2.csv")
        let error = fanfareError {
            _ = try OutputFiles([spec], continuingAt: OutputLengths(report: length))
        }
        #expect((error == nil) == (text != "mine"))
        #expect(folder.exists("r-2.csv") == (text == "mine"))
        // Another job is at work on it.
        try folder.write("", to: "r-2.csv")
        try folder.write("", to: "r-2.csv.checkpoint")
        #expect(
            fanfareError {
                _ = try OutputFiles([spec], continuingAt: OutputLengths(report: length))
            } != nil)
    }
}
