import FanfareTestSupport
import Foundation
import Testing

/// The progress of a job, on a terminal and elsewhere.
@Suite struct ProgressTests {
    private static let erase = "\r\u{1B}[K"
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(200_000), to: "rows.csv")
    }

    /// A job that runs until it is stopped, with a terminal for its standard error.
    private func start(
        on terminal: PseudoTerminal, term: String, _ more: String...
    ) throws -> ChildProcess {
        let simulator = CommandLineTool.simulator.dropLast(2)
        return try ChildProcess(
            "/usr/bin/env",
            ["NO_COLOR=1", "TERM=\(term)", CommandLineTool.path, "send", "rows.csv"]
                + ["--rate", "1000/s"] + more + simulator,
            errors: terminal.path, directory: tool.folder.url.path)
    }

    /// The texts of the live line, one drawing after the other.
    private func drawings(_ terminal: PseudoTerminal) -> [String] {
        terminal.text.components(separatedBy: Self.erase).dropFirst().map { $0 }
    }

    @Test func `the live line is drawn again and again, and fits the terminal`() throws {
        let terminal = try PseudoTerminal(columns: 79)
        let process = try start(on: terminal, term: "xterm")
        func wait(_ condition: ([String]) -> Bool) throws {
            let isTrue = Poll.until(seconds: 60) { condition(drawings(terminal)) }
            try #require(isTrue, "\(terminal.text.debugDescription)")
        }
        try wait { $0.count > 4 }
        #expect(drawings(terminal).allSatisfy { $0.count < 79 && !$0.contains("\n") })
        // A line that is longer than the old width allows.
        terminal.resize(columns: 200)
        try wait { ($0.last?.count ?? 0) > 80 }
        // Three of them, which are drawn anew from the first on.
        let isRedrawn = Poll.until(seconds: 60) {
            terminal.text.components(separatedBy: "\r\u{1B}[2A\u{1B}[J").count > 3
        }
        #expect(isRedrawn, "\(terminal.text.debugDescription)")
        let wide = drawings(terminal).count
        terminal.resize(columns: 60)
        try wait { $0.count > wide + 4 }
        #expect(drawings(terminal).dropFirst(wide + 3).allSatisfy { $0.count < 60 })
        #expect(drawings(terminal).last?.contains(" rows  ") == true)
        process.send(SIGINT)
        _ = process.waitUntilExit()
        // The message has a line of its own, and the table begins where the live line was.
        let message = "stopping: waiting for answers; once more ends at once\r\n"
        #expect(terminal.text.contains(Self.erase + message))
        #expect(terminal.text.contains(Self.erase + "Stopped after"))
    }

    @Test func `a terminal that cannot redraw gets no control characters`() throws {
        let terminal = try PseudoTerminal(columns: 80)
        let process = try start(on: terminal, term: "dumb")
        let isAtWork = Poll.until(seconds: 60) {
            tool.folder.text(of: "fanfare-report.csv").utf8.count > 1000
        }
        try #require(isAtWork)
        process.send(SIGINT)
        _ = process.waitUntilExit()
        #expect(terminal.text.contains("Stopped after"))
        #expect(!terminal.text.contains("\u{1B}"))
    }

    @Test func `a program gets objects, and nothing else`() throws {
        let process = try tool.start(
            ["send", "rows.csv", "--rate", "1000/s"] + CommandLineTool.simulator.dropLast(2)
                + ["--progress", "json"])
        let isTelling = Poll.until(seconds: 60) {
            process.errors.split(separator: "\n").count > 1
        }
        try #require(isTelling)
        process.process.send(SIGINT)
        let result = process.end()
        let objects = result.errors.split(separator: "\n").filter { $0.hasPrefix("{") }
            .compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) }
            .compactMap { $0 as? [String: Any] }
        #expect(objects.count > 2)
        #expect(objects.last?["state"] as? String == "ended")
        let shares = objects.compactMap { $0["input_share"] as? Double }
        #expect(shares.count == objects.count && shares == shares.sorted())
        #expect(shares.allSatisfy { (0...1).contains($0) })
        let rows = try #require(objects.last?["rows"] as? Int)
        #expect(try tool.report().lines.count == rows)
        #expect(objects[1]["latency_p99_ms"] as? Double ?? 0 > 0)
    }

    @Test func `a finished job has done all of its input`() throws {
        try tool.folder.write(Rows.csv(1000), to: "few.csv")
        let result = try tool.run(
            ["send", "few.csv"] + CommandLineTool.simulator.dropLast(2) + ["--progress", "json"])
        #expect(result.exitCode == 0)
        let line = try #require(result.errors.split(separator: "\n").last)
        let value = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(value["input_share"] as? Double == 1)
        #expect(value["rows"] as? Int == 1000)
        #expect(value["state"] as? String == "ended")
    }
}
