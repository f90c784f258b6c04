import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// Jobs that are found without a word about where they are.
@Suite struct JobsTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(20_000), to: "rows.csv")
    }

    private func start(_ more: String...) throws -> CommandLineTool.Run {
        try tool.start(["send", "rows.csv", "--rate", "500/s"] + more + CommandLineTool.simulator)
    }

    /// The jobs of this test: a developer may have others.
    private func jobs() throws -> [[String: Any]] {
        let result = try tool.run("jobs", "--json")
        result.expect(0)
        let document =
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        let jobs = try #require(document?["jobs"] as? [[String: Any]])
        // The folder is told without links, and a folder of a test may be reached by one.
        let name = tool.folder.url.lastPathComponent
        return jobs.filter { ($0["folder"] as? String)?.hasSuffix(name) == true }
    }

    /// The jobs when a condition has come true.
    private func jobs(when condition: ([[String: Any]]) -> Bool) throws -> [[String: Any]] {
        var last: [[String: Any]] = []
        let isTrue = Poll.until(seconds: 30) {
            last = (try? jobs()) ?? []
            return condition(last)
        }
        try #require(isTrue, "\(last)")
        return last
    }

    private func files() -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: tool.runtime.path("fanfare"))) ?? []
    }

    @Test func `a job is listed, steered by its name, stopped, listed again and carried on`() throws
    {
        let run = try start("--name", "Black Friday", "--report", "one.csv")
        let found = try jobs { $0.first?["rows"] as? Int ?? 0 > 100 }
        let job = try #require(found.first)
        #expect(found.count == 1 && job["state"] as? String == "running")
        #expect(job["name"] as? String == "Black Friday")
        #expect(
            job["input_share"] as? Double ?? 0 > 0 && job["rows_per_second"] as? Double ?? 0 > 0)
        #expect(job["process_id"] as? Int == Int(run.process.id))
        let id = try #require(job["id"] as? String)
        #expect(Set(files()) == ["\(id).json", "\(id).sock"])
        var status = stat()
        #expect(stat(tool.runtime.path("fanfare"), &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(
            stat(tool.runtime.path("fanfare/\(id).json"), &status) == 0
                && status.st_mode & 0o777 == 0o600)
        try tool.run("control", "Black Friday", "pause").expect(0)
        #expect(try tool.run("control", id, "status").output.hasPrefix("Black Friday is paused: "))
        #expect(try jobs().first?["state"] as? String == "paused")
        try tool.run("control", "Black", "resume").expect(4, says: "no job of this name runs")
        try tool.run("control", id, "resume").expect(0)
        try tool.run("control", id, "stop").expect(0)
        run.end().expect(130, says: "stopped on request")
        let stopped = try jobs()
        #expect(stopped.count == 1 && stopped.first?["state"] as? String == "resumable")
        #expect(stopped.first?["input_share"] as? Double ?? 0 > 0)
        #expect(stopped.first?["rows"] as? Int == (try tool.report("one.csv")).lines.count)
        #expect(files() == ["\(id).json"])
        #expect(try tool.run("jobs").output.contains("--name 'Black Friday'"))
        try tool.run("control", "Black Friday", "status").expect(4, says: "fanfare jobs lists them")
        // The same job, with the same id, until it is done.
        try tool.send(
            "rows.csv", "--name", "Black Friday", "--report", "one.csv", "--resume"
        ).expect(0)
        #expect(files().isEmpty)
        #expect(try jobs().isEmpty)
    }

    @Test func `a killed job is listed as one to carry on, and its socket is removed`() throws {
        let run = try start("--report", "two.csv")
        let id = try #require(try jobs { !$0.isEmpty }.first?["id"] as? String)
        run.process.send(SIGKILL)
        _ = run.end()
        #expect(files().contains("\(id).sock"))
        let job = try #require(try jobs().first)
        #expect(job["state"] as? String == "resumable" && job["id"] as? String == id)
        #expect((job["resume_command"] as? String)?.hasSuffix(" --resume") == true)
        #expect(files() == ["\(id).json"])
        // A job that begins the report anew takes its place, and leaves nothing once it is done.
        try tool.send("rows.csv", "--report", "two.csv", "--overwrite").expect(0)
        #expect(try jobs().isEmpty && files().isEmpty)
    }

    @Test func `a canary is listed with the command that sends the rest`() throws {
        try tool.send("rows.csv", "--report", "one.csv", "--where", "token!=a", "--limit", "3")
            .expect(0)
        // All that it was for is done.
        try tool.send("rows.csv", "--report", "two.csv", "--where", "token=*0").expect(0)
        #expect(try jobs().count == 1)
        let job = try #require(try jobs().first)
        #expect(job["state"] as? String == "resumable" && job["rows"] as? Int == 3)
        let command = try #require(job["resume_command"] as? String)
        #expect(command.hasSuffix(" --resume") && !command.contains("--limit"), "\(command)")
        #expect(command.contains(" --where 'token!=a' "), "\(command)")
        // The canary is at its end, and the job is not.
        #expect(job["input_share"] is NSNull)
    }

    @Test func `two jobs need a name, and one is watched until it ends`() throws {
        let first = try start("--report", "one.csv", "--name", "first")
        let second = try start("--report", "two.csv", "--name", "second", "--control", "socket")
        _ = try jobs { $0.count == 2 && $0.allSatisfy { $0["state"] as? String == "running" } }
        try tool.run("control", "second", "stop").expect(0)
        second.end().expect(130)
        let watch = try tool.start(["control", "first", "watch"])
        let isShown = Poll.until(seconds: 30) { watch.output.contains("\n") }
        #expect(isShown && watch.output.hasPrefix("first is running: "))
        try tool.run("control", "first", "stop").expect(0)
        first.end().expect(130)
        let result = watch.end()
        result.expect(0)
        #expect(result.output.hasSuffix("\nthe job has ended\n"))
    }

    @Test func `a job that began without a rate gets one`() throws {
        let run = try tool.start(
            ["send", "rows.csv", "--simulator-latency", "50ms", "--streams", "20"]
                + ["--connections", "1"] + CommandLineTool.simulator)
        _ = try jobs { $0.first?["rows"] as? Int ?? 0 > 0 }
        let id = try #require(try jobs().first?["id"] as? String)
        #expect(try tool.run("control", id, "status").output.contains(", rate unlimited"))
        #expect(try tool.run("control", id, "rate", "100/s").output == "the rate is 100/s\n")
        #expect(try tool.run("control", id, "status").output.contains(", rate 100/s"))
        run.process.send(SIGINT)
        run.end().expect(130)
    }

    @Test func `a job can do without, and one with a socket of its own is listed, too`() throws {
        let quiet = try start("--report", "one.csv", "--control", "none")
        let isUp = Poll.until(seconds: 30) { tool.folder.text(of: "one.csv").utf8.count > 1000 }
        #expect(isUp && files().isEmpty && !tool.folder.exists("none"))
        quiet.process.send(SIGINT)
        quiet.end().expect(130)
        #expect(try jobs().isEmpty)
        let own = try start("--report", "two.csv", "--control", "socket")
        let job = try #require(
            try jobs { $0.first?["state"] as? String == "running" }.first)
        #expect((job["socket"] as? String)?.hasSuffix("/socket") == true)
        #expect(files().count == 1)
        own.process.send(SIGINT)
        own.end().expect(130)
    }

    @Test func `a folder that is not the user's alone is not used, and the job runs`() throws {
        try FileManager.default.createDirectory(
            atPath: tool.runtime.path("fanfare"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o777])
        #expect(chmod(tool.runtime.path("fanfare"), 0o777) == 0)
        try tool.folder.write(Rows.csv(10), to: "few.csv")
        try tool.send("few.csv").expect(0)
        #expect(files().isEmpty)
    }
}
