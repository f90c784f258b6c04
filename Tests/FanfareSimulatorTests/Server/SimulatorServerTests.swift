import FanfareSimulator
import Foundation
import Testing

/// Other people's clients against the server on 127.0.0.1; skipped where they are not installed.
@Suite struct SimulatorServerTests {
    private static func find(_ name: String) -> String? {
        ["/usr/bin/", "/usr/local/bin/"].map { $0 + name }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    static let curl = find("curl")
    static let h2load = find("h2load")

    private func run(_ path: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    private func temporaryFile() -> String {
        FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
    }

    @Test(.enabled(if: curl != nil))
    func `curl gets an answer over TLS, trusting the authority made on the spot`() throws {
        let ca = temporaryFile()
        let log = temporaryFile()
        defer { for path in [ca, log] { try? FileManager.default.removeItem(atPath: path) } }
        var configuration = SimulatorServerConfiguration()
        configuration.logFile = log
        let server = try SimulatorServer(configuration)
        try #require(server.caPEM).write(toFile: ca, atomically: true, encoding: .utf8)
        let port = try server.start()
        let output = try run(
            #require(Self.curl),
            [
                "--silent", "--http2", "--cacert", ca, "--include", "--data", "{}",
                "--header", "authorization: \(RequestProbe.bearer)",
                "--header", "apns-topic: com.example.app",
                "https://localhost:\(port)/3/device/\(RequestProbe.token)", "--next",
                "--silent", "--http2", "--cacert", ca, "--include", "--data", "{}",
                "https://localhost:\(port)/3/device/\(RequestProbe.token)",
            ])
        server.stop()
        #expect(output.contains("HTTP/2 200"))
        #expect(output.contains("apns-id: "))
        #expect(output.contains("HTTP/2 403"))
        #expect(output.contains(#"{"reason":"MissingProviderToken"}"#))
        #expect(server.counters.accepted == 1 && server.counters.refused == 1)
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            #expect((object as? [String: Any])?["payload_bytes"] as? Int == 2)
        }
    }

    @Test(.enabled(if: h2load != nil), arguments: [1, 2])
    func `h2load's requests are all answered`(_ threads: Int) throws {
        let body = temporaryFile()
        try #"{"aps":{"alert":"hi"}}"#.write(toFile: body, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: body) }
        var configuration = SimulatorServerConfiguration()
        configuration.isCleartext = true
        configuration.threads = threads
        // h2load opens its streams before it has read any SETTINGS.
        configuration.provider.fixedStreamLimit = true
        configuration.provider.latency = try LatencyModel("1ms..3ms")
        let server = try SimulatorServer(configuration)
        let port = try server.start()
        let output = try run(
            #require(Self.h2load),
            [
                "-n", "2000", "-c", "4", "-m", "50", "-d", body,
                "-H", "authorization: \(RequestProbe.bearer)",
                "-H", "apns-topic: com.example.app",
                "http://127.0.0.1:\(port)/3/device/\(RequestProbe.token)",
            ])
        server.stop()
        #expect(output.contains("status codes: 2000 2xx, 0 3xx, 0 4xx, 0 5xx"))
        #expect(server.counters.requests == 2000 && server.counters.accepted == 2000)
    }

    @Test func `a server starts and stops without a client, again and again`() throws {
        for _ in 0..<3 {
            var configuration = SimulatorServerConfiguration()
            configuration.isCleartext = true
            let server = try SimulatorServer(configuration)
            #expect(try server.start() > 0)
            server.stop()
            server.stop()
            #expect(server.counters.requests == 0)
        }
    }

    @Test func `a scenario that counts over all connections wants one thread`() throws {
        var rule = Scenario.Rule()
        rule.condition.everyNth = 2
        var configuration = SimulatorServerConfiguration()
        configuration.provider.scenario = Scenario(rules: [rule])
        configuration.threads = 2
        let error = #expect(throws: SimulatorError.self) { try SimulatorServer(configuration) }
        #expect(error?.place == "threads")
    }

    @Test func `a server that cannot have its port leaves the other's log alone`() throws {
        let log = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: log) }
        try "of an earlier run".write(toFile: log, atomically: true, encoding: .utf8)
        var configuration = SimulatorServerConfiguration()
        configuration.isCleartext = true
        configuration.logFile = log
        let first = try SimulatorServer(configuration)
        defer { first.stop() }
        configuration.address = .loopback(port: try first.start())
        #expect(try String(contentsOfFile: log, encoding: .utf8) == "")
        try "of the first".write(toFile: log, atomically: false, encoding: .utf8)
        let second = try SimulatorServer(configuration)
        let error = #expect(throws: SimulatorError.self) { try second.start() }
        #expect(error?.place == "listen")
        #expect(try String(contentsOfFile: log, encoding: .utf8) == "of the first")
    }

    @Test func `a log file that cannot be made is an error with its path`() throws {
        var configuration = SimulatorServerConfiguration()
        configuration.isCleartext = true
        configuration.logFile = "/nonexistent/log"
        let server = try SimulatorServer(configuration)
        let error = #expect(throws: SimulatorError.self) { try server.start() }
        #expect(error?.place == "/nonexistent/log")
    }
}
