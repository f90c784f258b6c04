import FanfareTestSupport
import Foundation
import Testing

/// The people who are asked behind a seed list, and those who are not.
@Suite struct SeedListRunTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(3), to: "seeds.csv")
        try tool.folder.write(Rows.csv(100), to: "rows.csv")
    }

    private func rows() throws -> Int { try tool.report().lines.count }

    @Test(arguments: [("y\n", 0, 103), ("YES\n", 0, 103), ("n\n", 130, 3), ("\n", 130, 3)])
    func `on a terminal the answer decides`(
        answer: String, exitCode: Int32, rowCount: Int
    ) throws {
        let terminal = try PseudoTerminal(columns: 100)
        let process = try ChildProcess(
            "/usr/bin/env",
            ["NO_COLOR=1", "TERM=xterm", CommandLineTool.path, "send", "rows.csv"]
                + ["--seed-list", "seeds.csv"] + CommandLineTool.simulator.dropLast(2),
            input: terminal.path, errors: terminal.path, directory: tool.folder.url.path)
        let isAsked = Poll.until(seconds: 60) { terminal.text.contains("rows.csv? [y/N]") }
        try #require(isAsked, "\(terminal.text)")
        #expect(terminal.text.contains("Seed list seeds.csv: 3 of 3 accepted"))
        terminal.type(answer)
        #expect(process.waitUntilExit() == exitCode)
        #expect(try rows() == rowCount)
    }

    @Test func `a provider's words steer no terminal behind which is a question`() throws {
        // Two lines up, clear the line, and in green: ECMA-48 CUU, EL, SGR; and with the one byte of C1.
        let words = #"\u001b[2A\u001b[2K\u001b[32mall accepted\u009b2J\r"#
        let peer = try ScriptedPeer { talk in
            talk.say(.settings())
            while let stream = talk.requests(1).first {
                talk.say(
                    .headers(stream, [(":status", "400")]),
                    .data(stream, #"{"reason":"\#(words)"}"#, ends: true))
            }
        }
        let port = peer.provider.endpoint.port
        let terminal = try PseudoTerminal(columns: 100)
        let process = try ChildProcess(
            "/usr/bin/env",
            ["NO_COLOR=1", "TERM=xterm", CommandLineTool.path, "send", "rows.csv"]
                + ["--seed-list", "seeds.csv", "--endpoint", "http://127.0.0.1:\(port)"]
                + ["--topic", "com.example.app", "--alert", "hi", "--progress", "none"],
            input: terminal.path, errors: terminal.path, directory: tool.folder.url.path)
        let isAsked = Poll.until(seconds: 60) { terminal.text.contains("all the same? [y/N]") }
        try #require(isAsked, "\(terminal.text)")
        let shown = terminal.text
        #expect(shown.contains("[32mall accepted"))
        let steers = shown.unicodeScalars.contains {
            $0 == "\u{1B}" || (0x80..<0xA0).contains($0.value)
        }
        #expect(!steers, "\(shown)")
        terminal.type("n\n")
        #expect(process.waitUntilExit() == 130)
    }

    @Test func `without a terminal an option has to say how long to wait`() throws {
        let arguments =
            ["send", "rows.csv", "--seed-list", "seeds.csv"] + CommandLineTool.simulator
        try tool.run(arguments).expect(2, says: "there is no terminal", "--seed-wait DURATION")
        #expect(!tool.folder.exists("fanfare-report.csv"))
        try tool.run(arguments + ["--seed-wait", "1ms"])
            .expect(0, says: "3 of 3 accepted", "going on with rows.csv in 1ms")
        #expect(try rows() == 103)
    }
}
