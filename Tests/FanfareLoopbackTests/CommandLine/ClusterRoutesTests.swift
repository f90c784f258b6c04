import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// A job for two providers, shared over a real PostgreSQL server.
@Suite(.enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct ClusterRoutesTests {
    @Test func `rows of one provider go on while another one has asked for time`() throws {
        let tool = try CommandLineTool()
        let engine = try PostgresServer()
        try tool.run("cluster", "init", engine.address).expect(0)
        let count = 12_000
        try tool.run(
            "generate", "--count", "\(count)", "--mix", "apns=1,fcm=1", "--output", "rows.csv"
        ).expect(0)
        try tool.folder.write(
            #"{"rules":[{"when":{"provider":"apns"},"then":{"status":503,"retryAfter":60}}]}"#,
            to: "held.json")
        let others = tool.folder.text(of: "rows.csv").split(separator: "\n")
            .count { $0.hasPrefix("fcm,") }
        // A worker may have 2,048 rows, and those of the provider that is held would soon be all of them.
        #expect(others > 5_000)
        let worker = try tool.start([
            "send", "rows.csv", "--cluster", engine.address, "--job", "july", "--worker", "a",
            "--provider", "apns,fcm,simulator", "--simulator-scenario", "held.json", "--topic",
            "com.example.app", "--alert", "hi", "--report", "a.csv", "--progress", "none",
        ])
        func accepted() -> Int {
            tool.folder.text(of: "a.csv").split(separator: "\n")
                .count { $0.contains(",accepted,") }
        }
        let isDone = Poll.until(seconds: 50) { accepted() == others }
        #expect(isDone, "\(accepted()) of \(others)")
        worker.process.send(SIGTERM)
        let last = worker.end(seconds: 30)
        last.expect(143)
        // Rows that no provider has seen went back, and have no owner.
        #expect(try engine.query("SELECT count(*) FROM fanfare.grants WHERE NOT is_settled") == "0")
    }
}
