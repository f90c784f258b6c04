import Testing

/// Standard streams that whoever started us has closed: the next file or socket would get their
/// numbers.
@Suite struct ClosedStreamTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(1_000), to: "rows.csv")
    }

    /// Runs a command line with some streams closed, by a shell's notation.
    private func send(_ closing: String, _ arguments: [String]) throws -> Int32? {
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", #"exec "$0" "$@" \#(closing)"#, CommandLineTool.path, "send"] + arguments
                + CommandLineTool.simulator,
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

    @Test(arguments: [("<&-", "-", "rows.csv"), (">&-", "rows.csv", "-")])
    func `a closed stream that is needed stops the job`(
        closing: String, rows: String, report: String
    ) throws {
        #expect(try send(closing, [rows, "--report", report]) == 4)
        #expect(tool.folder.read("err").contains("bad file descriptor"))
    }
}
