import FanfareTestSupport
import Glibc
import Testing

/// Outputs that are named pipes: what is written there has a reader, or is told.
@Suite struct NamedPipeTests {
    private let tool: CommandLineTool
    private let pipe: String

    init() throws {
        tool = try CommandLineTool()
        pipe = tool.folder.path("pipe.csv")
        try #require(mkfifo(pipe, 0o600) == 0)
    }

    @Test func `a report whose reader has gone stops the job`() throws {
        try tool.folder.write(Rows.csv(50_000), to: "rows.csv")
        // There before the job, which would wait for it.
        let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        let run = try tool.start(
            ["send", "rows.csv", "--report", "pipe.csv", "--overwrite"] + CommandLineTool.simulator)
        var bytes = [UInt8](repeating: 0, count: 100)
        let isBusy = Poll.until(seconds: 30) { read(reader, &bytes, bytes.count) > 0 }
        close(reader)
        #expect(isBusy)
        run.end().expect(
            4, says: "pipe.csv cannot be written", "broken pipe", "rows have an outcome")
    }

    @Test(arguments: ["--summary", "--html"])
    func `what is written at the end reaches the reader that waits`(option: String) throws {
        try tool.folder.write(Rows.csv(10), to: "rows.csv")
        let reader = try ChildProcess(
            "/bin/cat", ["pipe.csv"], output: tool.folder.path("read"),
            directory: tool.folder.url.path)
        try tool.send("rows.csv", option, "pipe.csv").expect(0)
        #expect(reader.waitUntilExit() == 0)
        #expect(tool.folder.text(of: "read").count > 500)
    }

    @Test func `a job whose pipe has no reader is ended by a signal, and has sent nothing`() throws
    {
        try tool.folder.write(Rows.csv(10), to: "rows.csv")
        let run = try tool.start(
            [
                "send", "rows.csv", "--report", "pipe.csv", "--overwrite", "--log", "log",
                "--log-level", "debug",
            ] + CommandLineTool.simulator)
        // The log is opened before the report, and then nothing happens.
        #expect(Poll.until(seconds: 30) { tool.folder.exists("log") })
        run.process.send(SIGINT)
        let status = run.process.waitUntilExit(seconds: 15)
        #expect(status == 130 || status == -SIGINT, "\(run.errors)")
        #expect(tool.folder.text(of: "log").isEmpty)
    }
}
