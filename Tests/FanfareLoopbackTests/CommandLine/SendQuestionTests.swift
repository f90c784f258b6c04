import FanfareTestSupport
import Foundation
import Testing

/// The people who are asked before a big send.
@Suite struct SendQuestionTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(1500), to: "rows.csv")
    }

    /// An address that leads nowhere (RFC 5737), so that nothing can be sent.
    private let far = [
        "--endpoint", "https://192.0.2.1", "--topic", "com.example.app", "--alert", "Hi",
    ]

    private func start(
        _ terminal: PseudoTerminal, _ words: [String], hasInput: Bool = true
    ) throws -> ChildProcess {
        try ChildProcess(
            "/usr/bin/env",
            ["NO_COLOR=1", "TERM=xterm", CommandLineTool.path, "send", "rows.csv"] + words,
            input: hasInput ? terminal.path : "/dev/null", errors: terminal.path,
            directory: tool.folder.url.path)
    }

    @Test(arguments: ["no\n", "y\n", "\n"])
    func `on a terminal only yes sends`(answer: String) throws {
        let terminal = try PseudoTerminal(columns: 100)
        let process = try start(terminal, far)
        let isAsked = Poll.until(seconds: 60) { terminal.text.contains("Type yes to send: ") }
        try #require(isAsked, "\(terminal.text)")
        #expect(terminal.text.contains("About to send to about 1,500 rows:"))
        #expect(terminal.text.contains("apns, 192.0.2.1: com.example.app"))
        // The text as people read it, and not its JSON.
        #expect(terminal.text.contains("  first row   Hi"))
        #expect(!terminal.text.contains("{"))
        terminal.type(answer)
        #expect(process.waitUntilExit() == 130)
        #expect(terminal.text.contains("nothing was sent; --yes sends without asking"))
        #expect(!tool.folder.exists("fanfare-report.csv"))
        #expect(!tool.folder.exists("fanfare-report.csv.checkpoint"))
    }

    /// 1,500 rows in requests of 100, of which a second has five: three seconds.
    @Test func `a described provider's pace is named, and the time that it makes`() throws {
        let description = #"""
            {"fanfare_provider": 1, "name": "ring", "origin": "https://192.0.2.1",
             "auth": {"kind": "none"}, "pace": {"requests_per_second": 5},
             "request": {"path": "/v1/send", "body": {"to": [], "text": "${row:body}"}},
             "batch": {"rows": 100, "tokens": "/to", "join": "array"},
             "answer": {"rows": {"by": "batch"},
                        "rules": [{"status": 200, "outcome": "accepted"}],
                        "otherwise": {"outcome": "rejected"}}}
            """#
        try tool.folder.write(description, to: "ring.json")
        let terminal = try PseudoTerminal(columns: 100)
        let process = try start(terminal, ["--provider", "./ring.json", "--body", "Hi"])
        let isAsked = Poll.until(seconds: 60) { terminal.text.contains("Type yes to send: ") }
        try #require(isAsked, "\(terminal.text)")
        #expect(terminal.text.contains("  to          ring, 192.0.2.1"))
        #expect(
            terminal.text.contains(
                "  time        about 3.0 s: ring asks for 5 requests a second"))
        terminal.type("no\n")
        #expect(process.waitUntilExit() == 130)
    }

    @Test func `the simulator is not asked about`() throws {
        let terminal = try PseudoTerminal(columns: 100)
        let process = try start(terminal, Array(CommandLineTool.simulator))
        #expect(process.waitUntilExit() == 0)
        #expect(!terminal.text.contains("Type yes"))
    }

    @Test func `without a terminal to answer on nothing is asked`() throws {
        let terminal = try PseudoTerminal(columns: 100)
        let process = try start(terminal, far, hasInput: false)
        // It works on a report, which is nothing before a question.
        let isAtWork = Poll.until(seconds: 60) { tool.folder.exists("fanfare-report.csv") }
        #expect(isAtWork)
        process.send(SIGINT)
        process.send(SIGINT)
        _ = process.waitUntilExit()
        #expect(!terminal.text.contains("Type yes"))
    }
}
