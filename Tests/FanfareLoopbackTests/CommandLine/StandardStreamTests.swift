import Testing

/// Standard streams that are closed, or called by their path.
@Suite struct StandardStreamTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(1_000), to: "rows.csv")
    }

    /// Runs a command line in a shell, with the shell's notation for closed streams behind it.
    ///
    /// The next file or socket would get the number of a closed one.
    private func send(_ closing: String, _ arguments: [String]) throws -> Int32? {
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", #"echo first; exec "$0" "$@" \#(closing)"#, CommandLineTool.path, "send"]
                + arguments + CommandLineTool.simulator,
            output: tool.folder.path("out"), errors: tool.folder.path("err"),
            directory: tool.folder.url.path)
        return process.waitUntilExit()
    }

    @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
    func `a closed stream does not matter to who does not need it`(closing: String) throws {
        #expect(try send(closing, ["rows.csv"]) == 0)
        let report = try tool.report()
        report.expectEveryRowOnce(1_000)
        #expect(report.outcomes == ["accepted": 1_000])
    }

    @Test(arguments: [("<&-", "-", "report.csv"), (">&-", "rows.csv", "-")])
    func `a closed stream that is needed stops the job`(
        closing: String, rows: String, report: String
    ) throws {
        #expect(try send(closing, [rows, "--report", report]) == 4)
        #expect(tool.folder.text(of: "err").contains("bad file descriptor"))
    }

    /// Nor may what is behind any other descriptor, wherever it stands.
    @Test func `a report goes where the descriptor that was handed over stands`() throws {
        try tool.folder.write("old\n", to: "old.log")
        #expect(try send("3>>old.log", ["rows.csv", "--report", "/dev/fd/3"]) == 0)
        let lines = tool.folder.text(of: "old.log").split(separator: "\n")
        #expect(lines.first == "old")
        try Report(csv: lines.dropFirst().joined(separator: "\n") + "\n")
            .expectEveryRowOnce(1_000)
    }

    /// The number may be that of a file of the job's own when its turn comes.
    @Test(arguments: ["--report", "--summary", "--html", "--log", "--unregistered", "--suppress"])
    func `a descriptor that was not handed over is refused`(option: String) throws {
        for number in 5...9 {
            for folder in ["/dev/fd/", "/proc/self/fd/"] {
                let path = folder + "\(number)"
                try tool.folder.write("", to: "err")
                #expect(try send("\(number)>&-", ["rows.csv", option, path]) == 2)
                #expect(
                    tool.folder.text(of: "err").contains(
                        "\(option): \(path) is no file that the command was started with"))
            }
        }
        #expect(try send("7>&-", ["/dev/fd/7"]) == 2)
        #expect(!tool.folder.exists("fanfare-report.csv"))
    }

    @Test func `a summary goes there, too`() throws {
        try tool.folder.write("old\n", to: "old.log")
        #expect(try send("3>>old.log", ["rows.csv", "--summary", "/dev/fd/3"]) == 0)
        #expect(tool.folder.text(of: "old.log").hasPrefix("old\n{"))
    }

    /// Opened by its path, the file that standard output leads to would be written over.
    @Test(arguments: ["-", "/dev/stdout", "/dev/fd/1"])
    func `what is on standard output already stays there`(path: String) throws {
        #expect(try send("", ["rows.csv", "--report", path]) == 0)
        let lines = tool.folder.text(of: "out").split(separator: "\n")
        #expect(lines.first == "first")
        try Report(csv: lines.dropFirst().joined(separator: "\n") + "\n")
            .expectEveryRowOnce(1_000)
    }
}
