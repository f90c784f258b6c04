import FanfareSimulator
import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// Jobs whose rows may be sent at some hours only.
@Suite struct WindowTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(2000), to: "rows.csv")
    }

    /// Hours that begin some hours from now, by the clock of UTC.
    private func hours(from start: Int, to end: Int) -> String {
        let hour = Int(Date().timeIntervalSince1970) / 3600 % 24
        return [start, end].map { ((hour + $0) % 24).description + ":00" }.joined(separator: "-")
    }

    @Test func `a job that waits is interrupted, and carried on when its window is open`() throws {
        var configuration = SimulatorServerConfiguration()
        configuration.isCleartext = true
        configuration.provider.acceptsAnonymous = true
        let server = try SimulatorServer(configuration)
        defer { server.stop() }
        let words = [
            "send", "rows.csv", "--endpoint", "http://127.0.0.1:\(try server.start())", "--alert",
            "hi", "--topic", "com.example.app", "--timezone", "UTC",
        ]
        let run = try tool.start(words + ["--window", hours(from: 3, to: 6), "--control", "job"])
        var status = ""
        let isWaiting = Poll.until(seconds: 30) {
            status = (try? tool.run("control", "job", "status").output) ?? ""
            return status.contains("0 in flight on 0 connections")
                && status.contains("2000 rows wait for their window until")
        }
        try #require(isWaiting, "\(status) \(run.errors)")
        #expect(!tool.folder.exists("fanfare-report.csv.waiting"))
        run.process.send(SIGINT)
        let stopped = run.end()
        stopped.expect(130, says: "--resume")
        stopped.expect(130, says: "2,000 rows wait for their hours")
        stopped.expect(130, says: " in UTC; they open again 20")
        #expect(try tool.report().lines.isEmpty)
        try tool.run(words + ["--window", "0:00-24:00", "--resume"]).expect(0)
        let report = try tool.report()
        report.expectEveryRowOnce(2000)
        #expect(report.outcomes == ["accepted": 2000])
    }

    @Test func `rows that wait are skipped at the deadline`() throws {
        try tool.send(
            "rows.csv", "--window", hours(from: 3, to: 6), "--timezone", "UTC", "--until", "+1s"
        ).expect(1, says: "deadline has passed")
        #expect(try tool.report().outcomes == ["skipped": 2000])
    }

    @Test func `rows outside are skipped if that is wanted`() throws {
        try tool.send(
            "rows.csv", "--window", hours(from: 3, to: 6), "--timezone", "UTC",
            "--outside-window", "skip"
        ).expect(1, says: "The hours are ")
        #expect(try tool.report().outcomes == ["skipped": 2000])
    }

    @Test func `what is no window or no zone is told before anything is sent`() throws {
        for (words, message) in [
            (["--window", "9-25", "--timezone", "UTC"], "has a time that is not from 00:00"),
            (["--window", "09:00-25:00", "--timezone", "UTC"], "has a time that is not from"),
            (["--window", "09:00-09:00", "--timezone", "UTC"], "opens and closes at the same"),
            (["--window", "09:00-20:00"], "needs --timezone or --timezone-column"),
            (["--timezone", "UTC"], "--timezone needs --window as well"),
            (
                ["--window", "09:00-20:00", "--timezone", "Europe/Berlim"],
                "'Europe/Berlim' is not in /usr/share/zoneinfo"
            ),
        ] {
            let result = try tool.run(["send", "rows.csv"] + words + CommandLineTool.simulator)
            result.expect(2, says: message)
        }
        try tool.send("rows.csv", "--window", "09:00-20:00", "--timezone-column", "tz")
            .expect(4, says: "has no column 'tz', which --timezone-column names")
    }
}
