import FanfareTestSupport
import Foundation
import Testing

/// Each kind of fault once, among four workers with a server and its synchronous standby: `dev/chaos --short`.
///
/// A kill with a takeover, a stop that is longer than every time-out, a partition in either direction, a server that
/// dies and comes back, and the promotion of its standby.
@Suite(.enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct ClusterChaosTests {
    @Test(.enabled(if: Executable.path("python3") != nil, "python3 is not installed"))
    func `no fault has a row sent twice, or left without a line`() throws {
        let folder = try TemporaryFolder()
        let python = try #require(Executable.path("python3"))
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../dev/chaos-workers").standardized.path
        let output = folder.path("chaos.out")
        // The time of a takeover is for `dev/chaos` to say, on a machine that does nothing else.
        let process = try ChildProcess(
            python,
            [script, "--fanfare", CommandLineTool.path, "--short", "--takeover", "120"],
            output: output, errors: output, directory: folder.url.path)
        let status = process.waitUntilExit(seconds: 240)
        let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        #expect(status == 0, "\(text)")
        #expect(!text.contains("WRONG"), "\(text)")
    }
}
