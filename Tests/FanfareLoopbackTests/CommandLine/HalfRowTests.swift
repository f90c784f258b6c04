import FanfareTestSupport
import Glibc
import Testing

/// Jobs of a pipe that are stopped when half a row has come.
@Suite struct HalfRowTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
    }

    private func rows(_ numbers: ClosedRange<Int>) -> String {
        numbers.map { "\(Rows.token($0)),Ada \($0)\n" }.joined()
    }

    /// Has a job read what a pipe gives that stays open, and ends it by a signal.
    private func interrupt(
        _ text: String, _ options: String..., when isReady: () -> Bool
    ) throws -> CommandLineTool.Result {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let bytes = Array(text.utf8)
        try #require(write(ends[1], bytes, bytes.count) == bytes.count)
        let run = try tool.start(
            ["send", "-"] + options + CommandLineTool.simulator, inputDescriptor: ends[0])
        let isBusy = Poll.until(seconds: 30) { isReady() || run.process.exitStatus != nil }
        #expect(isBusy)
        run.process.send(SIGINT)
        return run.end(seconds: 15)
    }

    @Test func `the job is carried on, also after a stop among rows that are done`() throws {
        let header = "token,name\n"
        try interrupt(header + rows(1...100) + String(Rows.token(101).prefix(40))) {
            tool.folder.text(of: "fanfare-report.csv").split(separator: "\n").count == 101
        }.expect(130, says: "--resume")

        try interrupt(
            header + rows(1...60) + Rows.token(61) + ",Ad", "--resume", "--log", "log.ndjson"
        ) {
            tool.folder.text(of: "log.ndjson").contains("job_started")
        }.expect(130, says: "--resume")
        let log = tool.folder.text(of: "log.ndjson")
        #expect(log.contains("job_stopping"))
        #expect(!log.contains("input_failed"), "\(log)")

        try tool.send("-", "--resume", input: header + rows(1...200)).expect(0)
        let report = try tool.report()
        report.expectEveryRowOnce(200)
        #expect(report.outcomes == ["accepted": 200])
    }

    /// The closing quote has not come, and only because the job was stopped nothing follows.
    @Test func `a row of several lines is carried on, and no quote is told`() throws {
        let header = "token,name\n"
        let result = try interrupt(
            header + rows(1...20) + Rows.token(21) + ",\"Ada\nof Lon", "--log", "log.ndjson"
        ) {
            tool.folder.text(of: "fanfare-report.csv").split(separator: "\n").count == 21
        }
        result.expect(130, says: "--resume")
        #expect(!result.errors.contains("left open"), "\(result.errors)")
        let log = tool.folder.text(of: "log.ndjson")
        #expect(log.contains("job_stopping"))
        #expect(!log.contains("input_failed"), "\(log)")

        let last = Rows.token(21) + ",\"Ada\nof London\"\n"
        try tool.send("-", "--resume", input: header + rows(1...20) + last).expect(0)
        let report = try tool.report()
        report.expectEveryRowOnce(21)
        #expect(report.outcomes == ["accepted": 21])
    }
}
