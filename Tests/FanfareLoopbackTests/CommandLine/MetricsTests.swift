import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// A running job that is asked for its metrics.
@Suite struct MetricsTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(200_000), to: "rows.csv")
    }

    /// True if promtool can be asked; see `ServerProcess.Program`.
    private static var hasPromtool: Bool {
        Executable.path("promtool") != nil
            || ProcessInfo.processInfo.environment["FANFARE_REQUIRE_SERVERS"] == "1"
    }

    private func start() throws -> (run: CommandLineTool.Run, port: UInt16) {
        let run = try tool.start(
            ["send", "rows.csv", "--rate", "1000/s", "--metrics", "127.0.0.1:0"]
                + CommandLineTool.simulator)
        let place = /metrics at http:\/\/127\.0\.0\.1:([0-9]+)\/metrics/
        let isUp = Poll.until(seconds: 30) { run.errors.contains(place) }
        try #require(isUp, "\(run.errors)")
        let port = try #require(run.errors.firstMatch(of: place).flatMap { UInt16($0.output.1) })
        return (run, port)
    }

    /// Sends a request piece by piece and reads until the end.
    private func ask(_ port: UInt16, _ pieces: String...) throws -> String {
        let number = try LoopbackSocket.connect(port)
        defer { close(number) }
        for piece in pieces {
            let bytes = Array(piece.utf8)
            _ = send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
        var answer: [UInt8] = []
        var space = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(number, &space, space.count, 0)
            guard count > 0 else { break }
            answer += space[..<count]
        }
        return String(decoding: answer, as: UTF8.self)
    }

    private static let get = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// A sample's value.
    private func value(_ name: String, in page: String) -> Double? {
        page.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            .flatMap { Double($0.dropFirst(name.count + 1)) }
    }

    @Test(.enabled(if: hasPromtool, "promtool is not installed"))
    func `promtool finds nothing wrong with the page of a job at work`() throws {
        let (run, port) = try start()
        var answer = ""
        let isAtWork = Poll.until(seconds: 30) {
            answer = (try? ask(port, Self.get)) ?? ""
            return value("fanfare_latency_seconds_count", in: answer) ?? 0 > 100
        }
        try #require(isAtWork, "\(answer)")
        let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1)
        let page = String(parts[1])
        #expect(parts[0].contains("Content-Length: \(page.utf8.count)\r\n"))
        #expect(value(#"fanfare_rows_total{outcome="accepted"}"#, in: page) ?? 0 > 100)
        #expect(value(#"fanfare_connections{state="open"}"#, in: page) ?? 0 >= 1)
        #expect(value("fanfare_pace_requests_per_second", in: page) == 1000)
        #expect(value("fanfare_flow_control_window_bytes", in: page) ?? 0 > 0)
        #expect(value("fanfare_stream_limit_requests", in: page) ?? 0 > 1)
        let input = try tool.folder.write(page, to: "page")
        let promtool = try #require(Executable.path("promtool"))
        let process = try ChildProcess(
            promtool, ["check", "metrics"], input: input, output: tool.folder.path("lint"),
            errors: tool.folder.path("lint"), directory: tool.folder.path)
        #expect(process.waitUntilExit() == 0)
        #expect(tool.folder.text(of: "lint") == "")
        run.process.send(SIGINT)
        run.end().expect(130)
    }

    @Test func `clients that do it badly are answered or left, and the job goes on`() throws {
        let (run, port) = try start()
        #expect(try ask(port, "GET /met", "rics HTTP/1.1\r\n", "\r\n").hasPrefix("HTTP/1.1 200 "))
        #expect(try ask(port, "HEAD /metrics HTTP/1.1\r\n\r\n").hasSuffix("\r\n\r\n"))
        #expect(try ask(port, "GET / HTTP/1.1\r\n\r\n").hasPrefix("HTTP/1.1 404 "))
        #expect(try ask(port, "PUT /metrics HTTP/1.1\r\n\r\nbody").hasPrefix("HTTP/1.1 405 "))
        #expect(try ask(port, "\u{16}\u{3}\u{1}\r\n\r\n").hasPrefix("HTTP/1.1 400 "))
        let long = String(repeating: "a: b\r\n", count: 20_000)
        #expect(try ask(port, "GET /metrics HTTP/1.1\r\n", long).hasPrefix("HTTP/1.1 431 "))
        // More than are taken in, all of them silent.
        var silent: [Int32] = []
        for _ in 0..<40 { silent.append(try LoopbackSocket.connect(port)) }
        defer { silent.forEach { close($0) } }
        #expect(try ask(port, Self.get).hasPrefix("HTTP/1.1 200 "))
        // A page of another site, whose name leads here.
        #expect(
            try ask(port, "GET /metrics HTTP/1.1\r\nHost: attacker.example:\(port)\r\n\r\n")
                .hasPrefix("HTTP/1.1 421 "))
        run.process.send(SIGINT)
        run.end().expect(130, says: "Stopped after")
    }

    @Test func `an address that cannot be had is told before anything is written`() throws {
        let (run, port) = try start()
        try tool.send("rows.csv", "--report", "other.csv", "--metrics", "127.0.0.1:\(port)")
            .expect(2, says: "--metrics 127.0.0.1:\(port): ", "address already in use")
        try tool.send("rows.csv", "--report", "other.csv", "--metrics", "no.such.host:1")
            .expect(2, says: "no.such.host is not an address")
        #expect(!tool.folder.exists("other.csv"))
        run.process.send(SIGINT)
        run.end().expect(130)
    }
}
