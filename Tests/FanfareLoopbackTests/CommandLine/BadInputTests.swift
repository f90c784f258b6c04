import FanfareTestSupport
import Foundation
import Testing

/// Files that cannot be used as rows: exit 4, and a message with the file, the reason and the way
/// out; nothing is sent.
@Suite struct BadInputTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
    }

    @Test func `a missing file`() throws {
        try tool.send("nowhere.csv")
            .expect(4, says: "nowhere.csv cannot be read", "no such file or directory")
        #expect(!tool.folder.exists("fanfare-report.csv"), "no report of what never began")
    }

    @Test func `a directory`() throws {
        try tool.send(".").expect(4, says: ". cannot be read", "directory")
    }

    @Test func `a header without a token column`() throws {
        try tool.folder.write("device,name\n\(Rows.token(1)),Ann\n", to: "rows.csv")
        try tool.send("rows.csv")
            .expect(
                4, says: "rows.csv has no column 'token'", "device, name", "--map token=NAME")
    }

    @Test(arguments: ["rows.csv", "rows.ndjson", "rows"])
    func `an empty file`(name: String) throws {
        try tool.folder.write("", to: name)
        let result = try tool.send(name)
        if name == "rows.ndjson" {
            // No line is no row: there is nothing that could be missing.
            result.expect(0)
            try tool.report().expectEveryRowOnce(0)
        } else {
            result.expect(4, says: name, "is empty")
        }
    }

    @Test func `a header and no rows is a finished job`() throws {
        try tool.folder.write("token\n", to: "rows.csv")
        try tool.send("rows.csv").expect(0, says: "Finished")
        try tool.report().expectEveryRowOnce(0)
    }

    /// Rows as gzip(1) packs them, without the last bytes; these are a checksum and a length.
    private func cutRows(_ count: Int) throws -> (whole: [UInt8], cut: [UInt8]) {
        try tool.folder.write(Rows.csv(count), to: "plain")
        let gzip = try ChildProcess(
            "/bin/sh", ["-c", "gzip -c plain > packed"], directory: tool.folder.path)
        try #require(gzip.waitUntilExit() == 0)
        let whole = try tool.folder.bytes("packed")
        return (whole, Array(whole.dropLast(4)))
    }

    @Test(arguments: ["rows.csv.gz", "rows.csv"])
    func `a compressed file that is cut off is told before anything is sent`(name: String) throws {
        let (whole, cut) = try cutRows(300)
        try tool.folder.write(cut, to: name)
        for options in [[], ["--resume"], ["--quotes", "ignored"]] {
            try tool.run(["send", name] + options + CommandLineTool.simulator).expect(
                4, says: "\(name) cannot be read on after row 300: its gzip data is cut off",
                "Nothing was sent")
            #expect(!tool.folder.exists("fanfare-report.csv"))
            #expect(!tool.folder.exists("fanfare-report.csv.checkpoint"))
        }
        try tool.folder.write(whole, to: name)
        try tool.send(name, "--resume").expect(0)
        try tool.report().expectEveryRowOnce(300)
    }

    /// The message's advice: send the rows that are there through a pipe, and the rest by
    /// `--resume`.
    @Test func `a compressed file that is cut off is sent through a pipe as far as it goes`()
        throws
    {
        let (whole, cut) = try cutRows(300)
        func pipe(_ bytes: [UInt8], _ options: String...) throws -> CommandLineTool.Result {
            try tool.folder.write(bytes, to: "rows.csv.gz")
            let words = ["-c", #"cat rows.csv.gz | "$0" "$@""#, CommandLineTool.path, "send", "-"]
            let process = try ChildProcess(
                "/bin/sh", words + options + CommandLineTool.simulator,
                output: tool.folder.path("out"), errors: tool.folder.path("err"),
                directory: tool.folder.path)
            let code = process.waitUntilExit()
            return CommandLineTool.Result(
                exitCode: code, output: tool.folder.text(of: "out"),
                errors: tool.folder.text(of: "err"))
        }
        try pipe(cut).expect(
            4, says: "standard input cannot be read on after row 300: its gzip data is cut off",
            "To carry on", "--resume")
        try tool.report().expectEveryRowOnce(300)
        try pipe(whole, "--resume").expect(0)
        try tool.report().expectEveryRowOnce(300)
    }

    @Test func `a second file that is missing is told before anything is sent`() throws {
        try tool.folder.write(Rows.csv(100), to: "rows.csv")
        try tool.send("rows.csv", "nowhere.csv")
            .expect(4, says: "nowhere.csv cannot be read", "no such file or directory")
        #expect(!tool.folder.exists("fanfare-report.csv"))
    }

    @Test(arguments: [
        (name: "more.csv", text: "device\n1\n", says: "more.csv has no column 'token'"),
        ("more.csv", "", "more.csv has no usable header: it is empty"),
        ("more", "", "more is empty: neither a CSV header nor a row is in it"),
        ("more.csv", "token,\"name\n", "column 2 of the header has a quote that is never closed"),
        ("more.csv", "\u{1F}\u{8B}", "more.csv has no column 'token'"),
        ("more.csv", "[{\"token\":\"aa\"}]", "more.csv has no column 'token'"),
    ])
    func `what is wrong with a second file is told before anything is sent`(
        name: String, text: String, says: String
    ) throws {
        try tool.folder.write(Rows.csv(100), to: "rows.csv")
        try tool.folder.write(text, to: name)
        try tool.send("rows.csv", name).expect(4, says: says)
        #expect(!tool.folder.exists("fanfare-report.csv"))
        // Mended, with the same command or with --resume.
        try tool.folder.write("token\n\(Rows.token(101))\n", to: name)
        try tool.send("rows.csv", name, "--resume").expect(0)
        try tool.report().expectEveryRowOnce(101)
    }

    @Test func `a second file whose compressed text is damaged is told before anything is sent`()
        throws
    {
        try tool.folder.write(Rows.csv(100), to: "rows.csv")
        try tool.folder.write(
            Array(CompressedVectors.gzip[..<12]) + [UInt8](repeating: 0xFF, count: 50),
            to: "more.csv.gz")
        try tool.send("rows.csv", "more.csv.gz").expect(
            4, says: "more.csv.gz cannot be read: its gzip data is ")
        #expect(!tool.folder.exists("fanfare-report.csv"))
    }

    @Test func `a file in another encoding is not begun, and sent in the one that is named`() throws
    {
        let names = [Array("Ann".utf8), Array("Zo".utf8) + [0xEB], [0x80] + Array("ric".utf8)]
        var bytes = Array("token,name\n".utf8)
        for (index, name) in names.enumerated() {
            bytes += Array("\(Rows.token(index + 1)),".utf8) + name + Array("\n".utf8)
        }
        try tool.folder.write(bytes, to: "rows.csv")
        let says = "line 3 is not UTF-8; this looks like windows-1252: --encoding windows-1252"
        try tool.send("rows.csv").expect(4, says: "rows.csv: " + says, "Nothing was sent")
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: bytes)
        try pipe.fileHandleForWriting.close()
        try tool.start(
            ["send", "--where", "name=Ann"] + CommandLineTool.simulator,
            inputDescriptor: pipe.fileHandleForReading.fileDescriptor
        ).end().expect(4, says: "standard input: " + says)
        try tool.run("check", "rows.csv", "--alert", "hi", "--topic", "a.b")
            .expect(4, says: "rows.csv: " + says)
        #expect(!tool.folder.exists("fanfare-report.csv"))
        #expect(!tool.folder.exists("fanfare-report.csv.checkpoint"))
        try tool.send("rows.csv", "--encoding", "CP1252", "--resume").expect(0)
        #expect(try tool.report().outcomes == ["accepted": 3])
    }

    @Test func `a list whose first rows are invalid is not begun, unless that is wanted`() throws {
        var lines = (1...880).map { "\(Rows.token($0)),Ann" }
        lines += (1...120).map { ",Ann\($0)" }
        try tool.folder.write("token,name\n" + lines.joined(separator: "\n"), to: "rows.csv")
        try tool.send("rows.csv").expect(
            3,
            says: "--stop-if invalid>10%: 120 of the first 1,000 rows are invalid: 120 times "
                + "token is empty (line 882)", "--stop-if 'suspect>50%,unknown>50%'",
            "Nothing was sent")
        #expect(!tool.folder.exists("fanfare-report.csv"))
        try tool.send("rows.csv", "--stop-if", "invalid>12%").expect(0)
        #expect(try tool.report().outcomes == ["accepted": 880, "invalid": 120])
    }
}
