import FanfareTestSupport
import Glibc
import Testing

/// Signals and outputs that fail in the middle of a job.
@Suite struct InterruptionTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
    }

    /// Starts a job that takes long, and waits until its report has lines.
    private func startLongJob(
        latency: String = "200ms", input: Int32? = nil
    ) throws -> CommandLineTool.Run {
        try tool.folder.write(Rows.csv(200_000), to: "rows.csv")
        let run = try tool.start(
            [
                "send", input == nil ? "rows.csv" : "-", "--streams", "100", "--simulator-latency",
                latency,
            ] + CommandLineTool.simulator, inputDescriptor: input)
        let isBusy = Poll.until(seconds: 30) {
            tool.folder.text(of: "fanfare-report.csv").utf8.count > 500
                || run.process.exitStatus != nil
        }
        try #require(isBusy && run.process.exitStatus == nil, "\(run.errors)")
        return run
    }

    /// The rows of the report are those that were read, as the table says, and there are some left.
    private func expectPart(
        _ result: CommandLineTool.Result, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Report {
        let report = try tool.report()
        #expect(
            !report.lines.isEmpty && report.lines.count < 200_000, sourceLocation: sourceLocation)
        #expect(Set(report.rows).count == report.lines.count, sourceLocation: sourceLocation)
        let words = result.errors.split(whereSeparator: \.isWhitespace)
        let place = try #require(words.firstRange(of: ["rows", "read"]), "\(result.errors)")
        let rowsRead = Int(words[place.upperBound].filter { $0 != "," })
        #expect(rowsRead == report.lines.count, sourceLocation: sourceLocation)
        return report
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func `one signal lets what is in flight be answered`(signal: Int32, code: Int32) throws {
        let run = try startLongJob()
        run.process.send(signal)
        let result = run.end()
        result.expect(code, says: "stopping", "Stopped after")
        let report = try expectPart(result)
        #expect(report.outcomes == ["accepted": report.lines.count])
    }

    @Test func `a terminal that is closed lets what is in flight be answered`() throws {
        let run = try startLongJob()
        // The shell says so, and the kernel says it again.
        run.process.send(SIGHUP)
        _ = Poll.until(seconds: 30) { run.errors.contains("stopping") }
        run.process.send(SIGHUP)
        let result = run.end()
        result.expect(129, says: "stopping", "Stopped after", "the terminal was closed")
        #expect(!result.errors.contains("ending at once"))
        let report = try expectPart(result)
        #expect(report.outcomes == ["accepted": report.lines.count])
    }

    @Test func `nohup keeps a job from hearing of its terminal`() throws {
        try tool.folder.write(Rows.csv(200), to: "rows.csv")
        let command = [CommandLineTool.path, "send", "rows.csv", "--rate", "100/s"]
        let run = try ChildProcess(
            "/usr/bin/nohup", command + CommandLineTool.simulator,
            errors: tool.folder.path("errors"), directory: tool.folder.url.path)
        _ = Poll.until(seconds: 30) { tool.folder.text(of: "fanfare-report.csv").count > 500 }
        run.send(SIGHUP)
        #expect(run.waitUntilExit(seconds: 60) == 0, "\(tool.folder.text(of: "errors"))")
        try tool.report().expectEveryRowOnce(200)
    }

    @Test func `a job with the simulator goes on with another one`() throws {
        try tool.folder.write(Rows.csv(2_000), to: "rows.csv")
        let command = ["send", "rows.csv"] + CommandLineTool.simulator
        let run = try tool.start(command + ["--rate", "500/s"])
        _ = Poll.until(seconds: 30) { tool.folder.text(of: "fanfare-report.csv").count > 500 }
        run.process.send(SIGINT)
        #expect(run.end().exitCode == 130)
        try tool.run(command + ["--resume"]).expect(0, says: "done before")
        try tool.report().expectEveryRowOnce(2_000)
    }

    @Test func `a second signal ends at once`() throws {
        // Answers take longer than the test waits.
        let run = try startLongJob(latency: "40ms..40s")
        run.process.send(SIGINT)
        #expect(Poll.until(seconds: 10) { run.errors.contains("stopping") })
        run.process.send(SIGINT)
        let result = run.end(seconds: 15)
        result.expect(130, says: "Stopped after")
        let report = try expectPart(result)
        #expect(Set(report.outcomes.keys) == ["accepted", "unknown"])
    }

    @Test(arguments: [["send"] + CommandLineTool.simulator, ["check", "--alert", "hi"]])
    func `a second signal ends a job whose report is not read`(words: [String]) throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let writer = ends[1]
        defer { ends.forEach { close($0) } }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        try tool.folder.write(Rows.csv(50_000), to: "rows.csv")
        let more = words[0] == "check" ? ["--topic", "com.example.app"] : []
        let run = try tool.start(
            words + more + ["rows.csv", "--report", "-"], outputDescriptor: writer)
        let isFull = Poll.until(seconds: 30) {
            var wanted = pollfd(fd: writer, events: Int16(POLLOUT), revents: 0)
            return poll(&wanted, 1, 0) == 0
        }
        #expect(isFull, "\(run.errors)")
        run.process.send(SIGINT)
        #expect(Poll.until(seconds: 10) { run.errors.contains("stopping") })
        run.process.send(SIGINT)
        run.end(seconds: 15).expect(
            130, says: "ending at once", "rows have an outcome that the report could not take")
    }

    @Test func `a signal ends a job whose input does not come`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let rows = Array(Rows.csv(100).utf8)
        try #require(write(ends[1], rows, rows.count) == rows.count)
        // The pipe stays open and empty, like a terminal where no person types.
        let run = try startLongJob(latency: "1ms", input: ends[0])
        run.process.send(SIGINT)
        let result = run.end(seconds: 15)
        result.expect(130, says: "Stopped after")
        try tool.report().expectEveryRowOnce(100)
    }

    @Test func `a signal ends a job that waits for its first row`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let run = try tool.start(["send"] + CommandLineTool.simulator, inputDescriptor: ends[0])
        _ = Poll.until(seconds: 0.3) { run.process.exitStatus != nil }
        run.process.send(SIGINT)
        // By any way, but at once: nothing has been sent.
        let status = run.process.waitUntilExit(seconds: 15)
        #expect(status == 130 || status == -SIGINT, "\(run.errors)")
    }

    // MARK: Outputs

    @Test func `a report whose reader has gone stops the job`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        try tool.folder.write(Rows.csv(50_000), to: "rows.csv")
        let run = try tool.start(
            ["send", "rows.csv", "--report", "-"] + CommandLineTool.simulator,
            outputDescriptor: ends[1])
        close(ends[1])
        // Like `| head -1`: some bytes, and then the reader stops.
        var bytes = [UInt8](repeating: 0, count: 100)
        _ = read(ends[0], &bytes, bytes.count)
        close(ends[0])
        run.end().expect(
            4, says: "standard output cannot be written", "broken pipe", "rows have an outcome")
    }

    @Test func `a full device stops the job and names the rows it could not take`() throws {
        try tool.folder.write(Rows.csv(50_000), to: "rows.csv")
        try tool.send("rows.csv", "--report", "/dev/full", "--overwrite")
            .expect(4, says: "/dev/full cannot be written", "no space left on device")
    }

    @Test func `a full disk leaves whole lines`() throws {
        // A disk of 256 KiB, where mounting is allowed: about 1,300 lines.
        guard getuid() == 0, mkdir(tool.folder.path("disk"), 0o700) == 0,
            mount("tmpfs", tool.folder.path("disk"), "tmpfs", 0, "size=256k") == 0
        else { return }
        defer { umount(tool.folder.path("disk")) }
        try tool.folder.write(Rows.csv(50_000), to: "rows.csv")
        let result = try tool.send("rows.csv", "--report", "disk/report.csv")
        result.expect(
            4, says: "disk/report.csv cannot be written", "no space left on device",
            "rows have an outcome that the report could not take")
        let report = try tool.report("disk/report.csv")
        #expect(report.lines.count > 500)
        // Written and named together are what the provider was asked.
        let named = try #require(result.errors.split(separator: "could not take: ").last)
            .split(separator: ",").map { range in
                range.split(separator: "-").map { Int($0.filter(\.isNumber)) ?? 0 }
            }
            .flatMap { Array($0[0]...$0[$0.count - 1]) }
        #expect(Set(named).isDisjoint(with: report.rows))
        #expect(Set(named).union(report.rows).count == named.count + report.lines.count)
    }

    /// More than half of the first rows of the next run are in doubt, and that says nothing of the network.
    @Test func `rows that a kill has left in doubt do not stop the job that is carried on`() throws
    {
        try tool.folder.write(Rows.csv(2_000), to: "many.csv")
        let run = try tool.start(
            [
                "send", "many.csv", "--control", "job", "--simulator-latency", "60s",
                "--no-adaptive", "--streams", "1000", "--connections", "1", "--report", "k.csv",
            ] + CommandLineTool.simulator)
        let isFull = Poll.until(seconds: 30) {
            let status = try? tool.run("control", "job", "status", "--json")
            return status?.output.contains("\"in_flight\": 1000") == true
        }
        #expect(isFull, "\(run.errors)")
        kill(run.process.id, SIGKILL)
        _ = run.process.waitUntilExit()
        let result = try tool.run(
            ["send", "many.csv", "--report", "k.csv", "--resume"] + CommandLineTool.simulator)
        #expect(result.exitCode == 1, "\(result.errors)")
        #expect(
            try Report(csv: tool.folder.text(of: "k.csv")).outcomes
                == ["accepted": 1_000, "unknown": 1_000])
    }
}
