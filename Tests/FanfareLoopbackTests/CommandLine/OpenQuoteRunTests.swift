import FanfareTestSupport
import Glibc
import Testing

/// A quote that was left open: no row behind it is left out without a word, and the advice that is
/// given leads on.
@Suite struct OpenQuoteRunTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
    }

    /// Rows of three columns, of which one has a quote that is never closed.
    private func rows(
        _ count: Int, openAt open: Int? = nil, meant: String = "\"Doe,\nAda\""
    ) -> String {
        var text = "token,name,id\n"
        for row in 1...count {
            // An earlier row has quotes that are meant.
            let name = row == open ? "\"Ada" : row == 3 ? meant : "Ada"
            text += "\(Rows.token(row)),\(name),u\(row)\n"
        }
        return text
    }

    /// Sends a file through a pipe.
    private func pipe(_ file: String, _ arguments: String...) throws -> CommandLineTool.Result {
        try pipe(file, arguments)
    }

    private func pipe(_ file: String, _ arguments: [String]) throws -> CommandLineTool.Result {
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", #"cat "$1" | { shift; "$0" "$@"; }"#, CommandLineTool.path, file, "send"]
                + arguments + CommandLineTool.simulator,
            output: tool.folder.path("out"), errors: tool.folder.path("err"),
            directory: tool.folder.url.path)
        let code = process.waitUntilExit()
        return CommandLineTool.Result(
            exitCode: code, output: tool.folder.text(of: "out"),
            errors: tool.folder.text(of: "err"))
    }

    private func expectNothing(sourceLocation: SourceLocation = #_sourceLocation) {
        for name in ["fanfare-report.csv", "fanfare-report.csv.checkpoint"] {
            #expect(!tool.folder.exists(name), "\(name)", sourceLocation: sourceLocation)
        }
    }

    // MARK: Files

    @Test func `a file is not begun, and the mended one is sent`() throws {
        try tool.folder.write(rows(60_000, openAt: 59_000), to: "rows.csv")
        try tool.send("rows.csv").expect(
            4, says: "rows.csv, line 59002: the quote at the beginning of field 2 is left open",
            "lines from 59003 on look like rows", "--quotes ignored", "--quotes trusted",
            "Nothing was sent")
        expectNothing()
        // A script may always say --resume.
        try tool.folder.write(rows(1_000), to: "rows.csv")
        try tool.send("rows.csv", "--resume").expect(0)
        try tool.report().expectEveryRowOnce(1_000)
    }

    /// The look at rows of several lines has to come as far as the place: over batches, over a row
    /// that is longer than one, and in other encodings.
    @Test(arguments: [(3, false), (200_000, false), (3, true), (40_000, true)])
    func `the first row of several lines is the one`(length: Int, isUTF16: Bool) throws {
        let name = "\"" + String(repeating: "x", count: length) + "\"\"\""
        let text = rows(5_000, openAt: 4_000, meant: name)
        let units = [0xFEFF] + Array(text.utf16)
        let bytes = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        try tool.folder.write(isUTF16 ? bytes : Array(text.utf8), to: "rows.csv")
        try tool.send("rows.csv").expect(
            4, says: "rows.csv, line 4001: the quote at the beginning of field 2 is left open",
            "Nothing was sent")
        expectNothing()
    }

    @Test func `a list without a header, with a mark, whose first field is left open`() throws {
        let text = "\u{FEFF}\"Ada,\(Rows.token(1))\nBob,\(Rows.token(2))\nCid,\(Rows.token(3))\n"
        try tool.folder.write(text, to: "rows.csv")
        try tool.send("rows.csv", "--no-header", "--columns", "name,token").expect(
            4, says: "rows.csv, line 1: the quote at the beginning of field 1 is left open",
            "Nothing was sent")
        expectNothing()
    }

    @Test(arguments: ["rows.csv", "second.csv"])
    func `rows in the header are not left out without a word`(name: String) throws {
        try tool.folder.write(rows(10), to: "rows.csv")
        try tool.folder.write(
            "token,\"name,id\n" + (1...20).map { "\(Rows.token($0)),Ada,u\($0)\n" }.joined()
                + "\(Rows.token(21)),5\",u21\n\(Rows.token(22)),Bob,u22\n", to: name)
        let files = name == "rows.csv" ? [name] : ["rows.csv", name]
        try tool.run(["send"] + files + CommandLineTool.simulator).expect(
            4, says: "\(name), line 1: the quote at the beginning of field 2 is left open",
            "lines from 2 on look like rows", "--quotes ignored")
        expectNothing()
    }

    @Test func `a file is sent with quotes that mean nothing`() throws {
        try tool.folder.write(
            "token,name,id\n"
                + (1...50).map { "\(Rows.token($0)),\($0 == 7 ? "\"" : "")Ada,u\($0)\n" }.joined(),
            to: "rows.csv")
        try tool.send("rows.csv", "--quotes", "ignored", "--carry", "name").expect(0)
        let report = try tool.report()
        report.expectEveryRowOnce(50)
        #expect(report.outcomes == ["accepted": 50])
        #expect(try report.line(7)["name"] == "\"Ada")
    }

    @Test func `a file is sent as RFC 4180 has it`() throws {
        try tool.folder.write(rows(50, openAt: 41), to: "rows.csv")
        try tool.send("rows.csv", "--quotes", "trusted").expect(0)
        let report = try tool.report()
        report.expectEveryRowOnce(41)
        #expect(report.outcomes == ["accepted": 40, "invalid": 1])
    }

    @Test(arguments: ["rows.csv.gz", "second.csv"])
    func `compressed files and later ones are looked through`(name: String) throws {
        try tool.folder.write(rows(3_000, openAt: 2_000, meant: "Doe"), to: "second.csv")
        try tool.folder.write(rows(10), to: "first.csv")
        if name == "rows.csv.gz" {
            let gzip = try ChildProcess(
                "/bin/sh", ["-c", "gzip -c second.csv > rows.csv.gz"],
                output: tool.folder.path("out"), errors: tool.folder.path("err"),
                directory: tool.folder.url.path)
            #expect(gzip.waitUntilExit() == 0)
        }
        try tool.send("first.csv", name).expect(
            4, says: "\(name), line 2001: the quote", "Nothing was sent")
        expectNothing()
    }

    @Test func `what was changed in a file is no reason to go on with quotes that mean nothing`()
        throws
    {
        // A job of a file that ended in the middle, by a token that the provider stops it for.
        try tool.folder.write(Rows.csv(100) { $0 == 51 ? "e" : "" }, to: "rows.csv")
        try tool.folder.write(
            """
            {"rules":[{"when":{"tokenPrefix":"e"},
            "then":{"status":403,"reason":"InvalidProviderToken"}}]}
            """, to: "s.json")
        let options = ["--simulator-scenario", "s.json", "--connections", "1", "--streams", "1"]
        try tool.run(["send", "rows.csv"] + options + CommandLineTool.simulator).expect(3)
        try tool.run(
            ["send", "rows.csv", "--resume", "--quotes", "ignored"] + options
                + CommandLineTool.simulator
        ).expect(2, says: "--quotes was not given then")
    }

    /// Either could be the token's, if one of them was not wanted by its own name.
    @Test func `a file of which a column is carried is looked through`() throws {
        let text =
            "device_token,push_token\n"
            + (1...40_000).map {
                "\(Rows.token($0)),\($0 == 39_000 ? "\"" : "")\(Rows.token($0))\n"
            }
            .joined()
        try tool.folder.write(text, to: "rows.csv")
        try tool.send("rows.csv", "--carry", "push_token").expect(
            4, says: "rows.csv, line 39001: the quote", "Nothing was sent")
        expectNothing()
    }

    @Test func `check names the line`() throws {
        try tool.folder.write(rows(5_000, openAt: 4_000), to: "rows.csv")
        let arguments = ["check", "rows.csv", "--alert", "x", "--topic", "com.example.app"]
        try tool.run(arguments).expect(
            4, says: "rows.csv, line 4002: the quote at the beginning of field 2 is left open")
        try tool.run(arguments + ["--quotes", "trusted"]).expect(0)
    }

    @Test func `a list of tokens is mended before anything is sent`() throws {
        try tool.folder.write(Rows.csv(20), to: "rows.csv")
        try tool.folder.write(
            "\(Rows.token(1))\n\"\(Rows.token(2))\n\(Rows.token(3))\n", to: "out.txt")
        let result = try tool.send("rows.csv", "--suppress", "out.txt")
        result.expect(
            4, says: "out.txt, line 2: the quote at the beginning of field 1 is left open",
            "Mend the line")
        // No advice is given that cannot be followed.
        #expect(!result.errors.contains("--quotes"))
        expectNothing()
    }

    @Test(arguments: ["ignored", "trusted"])
    func `what is said of the quotes of rows is not said of lists`(quotes: String) throws {
        try tool.folder.write(Rows.csv(20), to: "rows.csv")
        try tool.folder.write(
            "token,note\n\(Rows.token(1)),\"left\n\(Rows.token(2)),right\n", to: "out.csv")
        try tool.send("rows.csv", "--suppress", "out.csv", "--quotes", quotes)
            .expect(4, says: "out.csv, line 2: the quote at the beginning of field 2")
        expectNothing()
        try tool.folder.write(
            "\"token\",\"note\"\n\"\(Rows.token(1))\",\"asked\nus\"\n", to: "out.csv")
        try tool.send("rows.csv", "--suppress", "out.csv", "--quotes", quotes).expect(0)
        #expect(try tool.report().outcomes == ["accepted": 19, "skipped": 1])
    }

    /// A job leaves no quote open, so what looks like lines in a value is none in a report.
    @Test func `a report that was changed has no lines behind an open quote`() throws {
        try tool.folder.write(rows(50, meant: "Doe"), to: "rows.csv")
        try tool.send("rows.csv", "--carry", "name").expect(0)
        let text = tool.folder.text(of: "fanfare-report.csv")
        try tool.folder.write(
            text.replacing(",Ada\n", with: ",\"Ada\n", maxReplacements: 1), to: "r.csv")
        try tool.run("report", "r.csv").expect(0, says: "r.csv: line 2 is not whole")
    }

    /// The lines behind it are no rows, and nothing closes it.
    @Test func `a file that ends in a quoted field is not begun`() throws {
        try tool.folder.write(
            "token,name\n\(Rows.token(1)),Ann\n\(Rows.token(2)),\"Bob\nCat\nDan\n", to: "rows.csv")
        let says = "rows.csv, line 3: the quote at the beginning of field 2 is left open"
        for options in [[], ["--deduplicate", "last"]] {
            try tool.run(["send", "rows.csv"] + options + CommandLineTool.simulator).expect(
                4, says: says, "the 2 lines behind it", "--quotes ignored", "--quotes trusted",
                "Nothing was sent")
            expectNothing()
            let check = ["check", "rows.csv", "--alert", "x", "--topic", "com.example.app"]
            try tool.run(check + options).expect(4, says: says, "the 2 lines behind it")
        }
        try tool.send("rows.csv", "--quotes", "trusted").expect(
            0, says: "quoted field is never closed")
        let report = try tool.report()
        report.expectEveryRowOnce(2)
        #expect(report.outcomes == ["accepted": 1, "invalid": 1])
    }

    // MARK: Pipes

    /// The last row has two lines, of which the second one was not whole, or is another row.
    @Test(arguments: ["\"Bob\nof Ber", "\"Bob\nCat\n"])
    func `a pipe that ends in a quoted field is carried on from there`(end: String) throws {
        let before = "token,name\n\(Rows.token(1)),Ann\n\(Rows.token(2)),"
        try tool.folder.write(before + end, to: "rows.csv")
        for options in [[], ["--resume"]] {
            try pipe("rows.csv", options).expect(4, says: "standard input, line 3: the quote")
            let report = try tool.report()
            report.expectEveryRowOnce(1)
            #expect(report.outcomes == ["accepted": 1])
        }
        try tool.folder.write(
            before + "\"Bob\nof Bern\"\n\(Rows.token(3)),Cat\n", to: "rows.csv")
        try pipe("rows.csv", "--resume").expect(0)
        let report = try tool.report()
        report.expectEveryRowOnce(3)
        #expect(report.outcomes == ["accepted": 3])
    }

    @Test func `a pipe whose beginning shows it is not begun`() throws {
        try tool.folder.write(rows(60_000, openAt: 20), to: "rows.csv")
        try pipe("rows.csv").expect(
            4, says: "standard input, line 22: the quote", "Nothing was sent")
        expectNothing()
    }

    @Test(arguments: ["mended", "ignored", "trusted"])
    func `a pipe is carried on from there`(way: String) throws {
        try tool.folder.write(rows(6_000, openAt: 5_000), to: "rows.csv")
        try pipe("rows.csv").expect(
            4, says: "Stopped after", "standard input, line 5002: the quote", "--resume")
        let report = try tool.report()
        report.expectEveryRowOnce(4_999)
        #expect(report.outcomes == ["accepted": 4_999])
        // As it is it leads to the same place.
        try pipe("rows.csv", "--resume").expect(4, says: "standard input, line 5002: the quote")

        switch way {
        case "mended":
            try tool.folder.write(rows(6_000), to: "rows.csv")
            try pipe("rows.csv", "--resume").expect(0)
        case "ignored":
            try pipe("rows.csv", "--resume", "--quotes", "ignored").expect(2)
            return
        default:
            try pipe("rows.csv", "--resume", "--quotes", "trusted").expect(0)
            let report = try tool.report()
            report.expectEveryRowOnce(5_000)
            #expect(report.outcomes == ["accepted": 4_999, "invalid": 1])
            return
        }
        let whole = try tool.report()
        whole.expectEveryRowOnce(6_000)
        #expect(whole.outcomes == ["accepted": 6_000])
    }

    /// The part of such a row that is at hand differs with the meaning of quotes; it is the same
    /// row.
    @Test func `a row that is too long is carried on behind, with quotes that are trusted`() throws
    {
        let long = String(repeating: "of Bern\n", count: 150_000)
        try tool.folder.write(
            "token,name\n\(Rows.token(1)),Ann\n\(Rows.token(2)),\"Bob\n\(long)\"\n"
                + "\(Rows.token(3)),\"Cat\nDan\n", to: "rows.csv")
        // Behind the header, Ann, Bob, his lines and the quote that closes them.
        try pipe("rows.csv").expect(4, says: "standard input, line 150005: the quote")
        let report = try tool.report()
        report.expectEveryRowOnce(2)
        #expect(report.outcomes == ["accepted": 1, "invalid": 1])
        #expect(try report.line(2)["reason"]?.contains("longer than 1 MiB") == true)
        try pipe("rows.csv", "--resume", "--quotes", "trusted").expect(0)
        try tool.report().expectEveryRowOnce(3)
    }

    /// The first run has sent a row before the line came that shows the quote to be open.
    @Test func `what a pipe begins with may be mended`() throws {
        let (first, last) = (
            "token,name\n\(Rows.token(1)),Ada\n\(Rows.token(2)),\"Bob\n",
            "\(Rows.token(3)),Eve\n"
        )
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        defer { close(ends[0]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        try #require(write(ends[1], first, first.utf8.count) == first.utf8.count)
        let run = try tool.start(
            ["send", "-"] + CommandLineTool.simulator, inputDescriptor: ends[0])
        let isSent = Poll.until(seconds: 30) {
            tool.folder.text(of: "fanfare-report.csv").contains(Rows.token(1))
                || run.process.exitStatus != nil
        }
        #expect(isSent)
        try #require(write(ends[1], last, last.utf8.count) == last.utf8.count)
        close(ends[1])
        run.end().expect(4, says: "standard input, line 3: the quote", "--resume")

        let again = try tool.send("-", "--resume", input: first + last)
        again.expect(4, says: "standard input, line 3: the quote")
        #expect(!again.errors.contains("Nothing was sent"))

        let mended = first.replacing("\"", with: "") + last
        let other = mended.replacing("name", with: "nick")
        try tool.send("-", "--resume", input: other).expect(2, says: "begins with other bytes")
        try tool.send("-", "--resume", input: mended).expect(0)
        try tool.report().expectEveryRowOnce(3)
    }

    /// Rows have the same numbers both ways if no row before the place has a line break.
    @Test func `a pipe without line breaks in fields is carried on with quotes that mean nothing`()
        throws
    {
        let text =
            "token,name,id\n"
            + (1...6_000).map { "\(Rows.token($0)),\($0 == 5_000 ? "\"" : "")Ada,u\($0)\n" }
            .joined()
        try tool.folder.write(text, to: "rows.csv")
        try pipe("rows.csv").expect(4, says: "standard input, line 5001: the quote")
        try pipe("rows.csv", "--resume", "--quotes", "ignored").expect(0)
        let report = try tool.report()
        report.expectEveryRowOnce(6_000)
        #expect(report.outcomes == ["accepted": 6_000])
    }
}
