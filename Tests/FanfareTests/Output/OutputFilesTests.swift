import FanfareCore
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare

/// The files of a job's outcomes: made together, written together, cut together.
@Suite struct OutputFilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func spec(_ kind: OutputKind, _ name: String, header: String = "") -> OutputSpec {
        OutputSpec(
            kind: kind, path: name.hasPrefix("/dev/") ? name : folder.path(name),
            header: Array(header.utf8))
    }

    private var all: [OutputSpec] {
        [
            spec(.report, "r", header: "R\n"), spec(.unregistered, "u", header: "U\n"),
            spec(.retryRows, "t", header: "T\n"),
        ]
    }

    /// Lines of four bytes in the report, records of two in the others.
    private func block(_ rows: ClosedRange<UInt64>, dead: [UInt64] = [], retry: [UInt64] = [])
        -> ReportBlock
    {
        let block = ReportBlock()
        for row in rows {
            if dead.contains(row) { block.addUnregistered { $0.append("d\n") } }
            if retry.contains(row) {
                var text = "\(row)\n"
                text.withUTF8 { block.addRetryRow($0) }
            }
            _ = block.append(row: row) { $0.append("r \(row)\n") }
        }
        return block
    }

    private func texts() throws -> [String] { try ["r", "u", "t"].map(folder.read) }

    @Test func `each file has its header and its records`() throws {
        let files = try OutputFiles(all, overwrites: false)
        #expect(try texts() == ["R\n", "U\n", "T\n"])
        #expect(files.append(block(1...3, dead: [2], retry: [1, 3])).failure == nil)
        #expect(files.append(block(4...4)).rowCount == 1)
        #expect(try texts() == ["R\nr 1\nr 2\nr 3\nr 4\n", "U\nd\n", "T\n1\n3\n"])
        #expect(files.lengths == OutputLengths(retryRows: 6, unregistered: 4, report: 18))
    }

    @Test func `records of files that are not wanted go nowhere`() throws {
        let files = try OutputFiles([spec(.report, "r")], overwrites: false)
        #expect(files.append(block(1...2, dead: [1], retry: [2])).failure == nil)
        #expect(files.lengths == OutputLengths(report: 8))
    }

    @Test func `when one file exists no other is left behind`() throws {
        try folder.write("mine", to: "u")
        let error = fanfareError { _ = try OutputFiles(all, overwrites: false) }
        #expect(error?.code == .configuration)
        #expect(
            error?.message == "\(folder.path("u")) exists already; ReportOptions.overwrites "
                + "replaces it, ReportOptions.unregisteredPath names another one")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["u"])
        #expect(try folder.read("u") == "mine")
    }

    @Test(arguments: [false, true])
    func `a folder is no file, and nothing replaces it`(overwrites: Bool) throws {
        try FileManager.default.createDirectory(
            atPath: folder.path("u"), withIntermediateDirectories: false)
        let error = fanfareError { _ = try OutputFiles(all, overwrites: overwrites) }
        #expect(error?.code == .configuration)
        #expect(
            error?.message == "\(folder.path("u")) is a folder, which nothing replaces; "
                + "ReportOptions.unregisteredPath names a file")
    }

    @Test func `files are replaced when that was said, and only if all can be`() throws {
        for name in ["r", "u", "t"] { try folder.write("something longer", to: name) }
        var specs = all
        specs[0].path = folder.path("none/r")
        #expect(
            fanfareError { _ = try OutputFiles(specs, overwrites: true) }?.code == .output)
        #expect(try texts() == Array(repeating: "something longer", count: 3))
        _ = try OutputFiles(all, overwrites: true)
        #expect(try texts() == ["R\n", "U\n", "T\n"])
    }

    @Test func `two paths to one new file are found out`() throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("t"), withDestinationPath: folder.path("r"))
        let error = fanfareError { _ = try OutputFiles(all, overwrites: true) }
        #expect(error?.code == .configuration)
        #expect(
            error?.message
                == "ReportOptions.path and ReportOptions.retryRowsPath name the same file, "
                + "\(folder.path("r"))")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func `after a failure all files hold the same rows`() throws {
        let specs = [
            spec(.report, "r", header: "R\n"), spec(.unregistered, "/dev/full"),
            spec(.retryRows, "t", header: "T\n"),
        ]
        let files = try OutputFiles(specs, overwrites: false)
        let first = files.append(block(1...2, retry: [1]))
        #expect(first.failure == nil && first.rowCount == 2)
        let second = files.append(block(3...6, dead: [5], retry: [3, 6]))
        #expect(second.failure == "/dev/full cannot be written: no space left on device")
        // The file that failed has nothing of row 5, so the others have nothing of it or behind it.
        #expect(second.rowCount == 2)
        #expect(try folder.read("r") == "R\nr 1\nr 2\nr 3\nr 4\n")
        #expect(try folder.read("t") == "T\n1\n3\n")
        #expect(files.lengths == OutputLengths(retryRows: 6, report: 18))
    }

    @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm")))
    func `a file in shared memory is a file`() throws {
        let path = "/dev/shm/fanfare-\(UUID().uuidString).csv"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("mine".utf8).write(to: URL(filePath: path))
        #expect(throws: (any Error).self) { try OutputFile(path, mayExist: false) }
        #expect(try OutputFile(path, mayExist: true).first.canBeCut)
    }

    // MARK: Compressed

    private func append(_ block: ReportBlock, to files: OutputFiles) -> OutputFiles.Appended {
        let (before, growth) = (files.lengths, files.prepare(block))
        let appended = files.append(block)
        if appended.failure == nil { #expect(files.lengths == before + growth) }
        return appended
    }

    /// The content of a file, decompressed.
    private func text(_ name: String) throws -> String {
        let source = try ByteSource(.file(folder.path(name))) { false }
        var space = [UInt8](repeating: 0, count: 64)
        var text: [UInt8] = []
        while true {
            let count = try space.withUnsafeMutableBytes { try source.read(into: $0) }
            if count == 0 { return String(decoding: text, as: UTF8.self) }
            text += space[..<count]
        }
    }

    @Test(arguments: [".gz", ".zst", ".GZ"])
    func `a name with an ending has a compressed file that may be cut behind each block`(
        ending: String
    ) throws {
        let specs = [
            spec(.report, "r" + ending, header: "R\n"), spec(.unregistered, "u" + ending),
            spec(.retryRows, "t", header: "T\n"),
        ]
        let files = try OutputFiles(specs, overwrites: false)
        #expect(try text("u" + ending) == "", "nothing, but compressed: an empty file is torn")
        #expect(files.lengths.unregistered > 0)
        #expect(append(block(1...3, dead: [2], retry: [1, 3]), to: files).failure == nil)
        let covered = files.lengths
        #expect(append(block(4...4), to: files).rowCount == 1)
        #expect(files.lengths.unregistered == covered.unregistered)
        #expect(try text("r" + ending) == "R\nr 1\nr 2\nr 3\nr 4\n")
        #expect(try text("u" + ending) == "d\n")
        #expect(try folder.read("t") == "T\n1\n3\n")
        files.letGo()
        let again = try OutputFiles(specs, continuingAt: covered)
        #expect(append(block(5...5, dead: [5]), to: again).rowCount == 1)
        #expect(try text("r" + ending) == "R\nr 1\nr 2\nr 3\nr 5\n")
        #expect(try text("u" + ending) == "d\nd\n")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func `after a failure a compressed file has nothing of the block, and so have all`() throws {
        let specs = [
            spec(.report, "r.gz", header: "R\n"), spec(.unregistered, "/dev/full"),
            spec(.retryRows, "t", header: "T\n"),
        ]
        let files = try OutputFiles(specs, overwrites: false)
        #expect(append(block(1...2, retry: [1]), to: files).rowCount == 2)
        let covered = files.lengths
        let second = append(block(3...6, dead: [5], retry: [3, 6]), to: files)
        #expect(second.failure == "/dev/full cannot be written: no space left on device")
        #expect(second.rowCount == 0)
        #expect(files.lengths == covered)
        #expect(try text("r.gz") == "R\nr 1\nr 2\n")
        #expect(try folder.read("t") == "T\n1\n")
    }

    @Test func `a file is cut to a length and written on from there`() throws {
        try folder.write("covered and torn", to: "f")
        #expect(throws: (any Error).self) { try OutputFile(folder.path("f"), mayExist: false) }
        let file = try OutputFile(folder.path("f"), mayExist: true)
        #expect(try file.excess == 16)
        try file.cut(toLength: 8)
        #expect(try file.length == 8 && file.excess == 0)
        var more = "more\n"
        try more.withUTF8 { try file.append($0) }
        #expect(try folder.read("f") == "covered more\n")
        #expect(file.length == 13)
    }
}
