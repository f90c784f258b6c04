import FanfareTestSupport
import Foundation
import Testing

/// The services for systemd: what they run is what fanfare takes.
///
/// `dev/check-install` lets systemd check the rest of them.
@Suite struct UnitTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
    }

    /// The command that systemd would give to the shell, with options printed instead of used.
    private func command(of unit: String) throws -> String {
        let file = Documents.root.appending(path: "docs/systemd/\(unit)")
        let text = try String(contentsOf: file, encoding: .utf8).replacing("\\\n", with: "")
        let line = try #require(text.firstMatch(of: /(?m)^ExecStart=\/bin\/sh -c '(.*)'$/)).1
        return String(line).replacing("$$", with: "$").replacing("%%", with: "%")
            .replacing("exec /usr/local/bin/fanfare", with: "print_options")
    }

    private func run(_ unit: String) throws -> (Int32?, String) {
        let script = """
            CREDENTIALS_DIRECTORY=/credentials
            print_options() { \(CommandLineTool.path) "$@" --print-config; }
            \(try command(of: unit))
            """
        let process = try ChildProcess(
            "/bin/sh", ["-c", script], output: tool.folder.path("said"),
            errors: tool.folder.path("said"), directory: tool.folder.path)
        let status = process.waitUntilExit()
        let said = tool.folder.text(of: "said")
        try tool.folder.write("", to: "said")
        return (status, said)
    }

    @Test func `the nightly job names day and key`() throws {
        let (status, text) = try run("fanfare-nightly.service")
        #expect(status == 0, "\(text)")
        let day = /"report": ".*report-\d{4}-\d\d-\d\d.csv"/
        #expect(text.contains(day) && text.contains(#""key": "/credentials/key.p8""#), "\(text)")
        #expect(text.contains(#""topic""#) && text.contains(#""metrics""#))
    }

    @Test func `the nightly test compares once there is a baseline`() throws {
        let (status, text) = try run("fanfare-bench.service")
        #expect(status == 0 && !text.contains("baseline") && text.contains(#""rate""#), "\(text)")
        try tool.folder.write("{}", to: "baseline.json")
        let (again, other) = try run("fanfare-bench.service")
        #expect(again == 0 && other.contains("baseline.json"), "\(other)")
        #expect(other.contains(#""max-regression": "5%""#))
    }
}
