import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// A running job that is asked at its socket.
@Suite struct ControlTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
    }

    private func start(_ more: String...) throws -> CommandLineTool.Run {
        try tool.folder.write(Rows.csv(200_000), to: "rows.csv")
        let run = try tool.start(
            ["send", "rows.csv", "--control", "job", "--simulator-latency", "10ms"] + more
                + ["--streams", "20"] + CommandLineTool.simulator)
        let isUp = Poll.until(seconds: 30) {
            tool.folder.exists("job") || run.process.exitStatus != nil
        }
        try #require(isUp && run.process.exitStatus == nil, "\(run.errors)")
        return run
    }

    /// `nil` if the job does not answer.
    private func answer() throws -> [String: Any]? {
        let result = try tool.run("control", "job", "status", "--json")
        guard result.exitCode == 0 else { return nil }
        return try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    }

    private func status() throws -> [String: Any] { try #require(try answer()) }

    /// The status when a condition has come true; of a job that runs it comes true some time.
    private func status(
        when condition: ([String: Any]) -> Bool
    ) throws -> [String: Any] {
        var last: [String: Any] = [:]
        let isTrue = Poll.until(seconds: 30) {
            last = (try? answer()) ?? [:]
            return condition(last)
        }
        try #require(isTrue, "\(last)")
        return last
    }

    @Test func `a job is paused, asked, given a rate, resumed and stopped`() throws {
        let run = try start()
        _ = try status { $0["rows"] as? Int ?? 0 > 0 }
        #expect(try status()["rate"] as? String == "unlimited")
        #expect(try tool.run("control", "job", "pause").exitCode == 0)
        let paused = try status { $0["in_flight"] as? Int == 0 }
        #expect(paused["state"] as? String == "paused")
        let rows = try #require(paused["rows"] as? Int)
        let outcomes = try #require(paused["outcomes"] as? [String: Int])
        #expect(outcomes["accepted"] == rows && outcomes.count == 9)
        // All that had started is counted: from here on nothing comes until the job goes on.
        #expect(try tool.run("control", "job", "rate", "1000/s").output == "the rate is 1000/s\n")
        #expect(try status()["rows"] as? Int == rows)
        #expect(try status()["rate"] as? String == "1000/s")
        #expect(try tool.run("control", "job", "resume").exitCode == 0)
        _ = try status { $0["rows"] as? Int ?? 0 > rows + 100 }
        #expect(try tool.run("control", "job", "status").output.hasPrefix("running: "))
        #expect(try tool.run("control", "job", "stop").exitCode == 0)
        let result = run.end()
        result.expect(130, says: "stopped on request", "--control job", "--resume")
        #expect(!tool.folder.exists("job"))
        let report = try tool.report()
        #expect(report.outcomes == ["accepted": report.lines.count])
        #expect(report.lines.count < 200_000)
        try tool.run("control", "job", "status").expect(4, says: "there is no socket job")
    }

    @Test func `a paused job is stopped, and one that waits for its rate gets another`() throws {
        let run = try start("--rate", "1/h")
        _ = try status { $0["rows"] as? Int == 1 }
        #expect(try tool.run("control", "job", "rate", "unlimited").exitCode == 0)
        _ = try status { $0["rows"] as? Int ?? 0 > 100 }
        #expect(try tool.run("control", "job", "pause").exitCode == 0)
        #expect(try tool.run("control", "job", "stop").exitCode == 0)
        run.end().expect(130, says: "stopped on request")
    }

    @Test func `clients that say nothing, nonsense or too much do not disturb`() throws {
        let run = try start()
        // More than are taken in, and one that never ends its line.
        var silent: [Int32] = []
        for index in 0..<20 {
            let number = try connect(tool.folder.path("job"))
            if index == 0 { _ = send(number, "status", 6, Int32(MSG_NOSIGNAL)) }
            silent.append(number)
        }
        defer { silent.forEach { close($0) } }
        _ = Poll.until(seconds: 10) {
            tool.folder.text(of: "fanfare-report.csv").utf8.count > 1000
        }
        silent.forEach { close($0) }
        silent = []
        _ = try status { $0["rows"] as? Int ?? 0 > 0 }
        let garbage = try connect(tool.folder.path("job"))
        defer { close(garbage) }
        let bytes = [UInt8](repeating: 0xFF, count: 5000)
        _ = send(garbage, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        var answer = [UInt8](repeating: 0, count: 200)
        let count = recv(garbage, &answer, answer.count, 0)
        #expect(
            String(decoding: answer.prefix(max(count, 0)), as: UTF8.self)
                == "error a request has 4096 bytes at most\n")
        #expect(try status()["state"] as? String == "running")
        run.process.send(SIGINT)
        run.end().expect(130, says: "Stopped after")
        #expect(!tool.folder.exists("job"))
    }

    @Test func `what is no request of a job's, and no job, is told`() throws {
        try tool.run("control", "job", "paus").expect(2, says: "did you mean pause?")
        try tool.run("control", "job").expect(2, says: "a request is missing")
        try tool.run("control").expect(2, says: "or its socket's path is missing")
        try tool.run("control", "job", "pause", "--json").expect(
            2, says: "goes with status and watch")
        try tool.folder.write("text", to: "file")
        try tool.run("control", "file", "status").expect(4, says: "file is no socket")
        try tool.folder.write(Rows.csv(1), to: "rows.csv")
        try tool.send("rows.csv", "--control", "file").expect(2, says: "there is something else")
        #expect(tool.folder.text(of: "file") == "text")
        #expect(!tool.folder.exists("fanfare-report.csv"))
        let run = try start()
        try tool.send("rows.csv", "--report", "other.csv", "--control", "job")
            .expect(2, says: "another process listens there")
        run.process.send(SIGKILL)
        _ = run.end()
        try tool.run("control", "job", "status").expect(4, says: "no job listens at job any more")
        try tool.folder.write(Rows.csv(1), to: "few.csv")
        try tool.send("few.csv", "--report", "other.csv", "--control", "job").expect(0)
        #expect(!tool.folder.exists("job"))
    }

    private func connect(_ path: String) throws -> Int32 {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        // The file is there a moment before the job listens.
        let isConnected = Poll.until(seconds: 30) {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            } == 0
        }
        try #require(isConnected)
        return number
    }
}
