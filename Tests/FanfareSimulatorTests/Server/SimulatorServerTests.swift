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

    @Test(.enabled(if: curl != nil))
    func `curl gets an access token, and sends a message with it`() throws {
        let ca = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: ca) }
        var configuration = SimulatorServerConfiguration()
        configuration.provider.fcm.projectID = ServiceAccountFixture.projectID
        let server = try SimulatorServer(configuration)
        try #require(server.caPEM).write(toFile: ca, atomically: true, encoding: .utf8)
        let origin = "https://localhost:\(try server.start())"
        let account = try server.project.makeAccount()
        let fixture = try ServiceAccountFixture(account: account, origin: origin)
        let uri = try #require(fixture.file["token_uri"])
        let claims = fixture.claims(at: Int64(Date().timeIntervalSince1970)) { $0["aud"] = uri }
        let form = ServiceAccountFixture.form(try fixture.assertion(claims))
        let options = ["--silent", "--http2", "--cacert", ca, "--include", "--data"]
        let granted = try run(#require(Self.curl), options + [form, uri])
        let token = try #require(granted.firstMatch(of: /"access_token":"([^"]+)"/)).1
        #expect(granted.contains("HTTP/2 200"))
        #expect(granted.contains("content-type: application/json; charset=UTF-8\r\n"))
        #expect(granted.contains(#","expires_in":3599,"token_type":"Bearer"}"#))
        let json = ["--header", "content-type: application/json"]
        let url = origin + "/v1/projects/\(ServiceAccountFixture.projectID)/messages:send"
        let body = GoogleDialogue.message()
        let sent = try run(
            #require(Self.curl),
            options + [body] + json + ["--header", "authorization: Bearer \(token)", url])
        let refused = try run(#require(Self.curl), options + [body] + json + [url])
        server.stop()
        #expect(sent.contains("HTTP/2 200"))
        #expect(sent.contains("content-type: application/json; charset=UTF-8\r\n"))
        #expect(sent.contains(/\r\ndate: [A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9: ]+ GMT\r\n/))
        #expect(sent.contains("\n  \"name\": \"projects/demo-project/messages/0:"))
        #expect(!sent.contains("apns-id") && !sent.contains("retry-after"))
        #expect(refused.contains("HTTP/2 401"))
        #expect(refused.contains(#""reason": "CREDENTIALS_MISSING""#))
        let counters = server.counters
        #expect(counters.requests == 2 && counters.accepted == 1 && counters.refused == 1)
        #expect(counters.accessTokens == 1)
    }

    @Test func `what cannot be simulated of FCM is refused`() {
        let changes: [(String, (inout FCMConfiguration) -> Void)] = [
            ("FCM project", { $0.projectID = "" }), ("FCM project", { $0.projectID = "a/b" }),
            ("FCM token life", { $0.tokenLife = .zero }),
            ("FCM token life", { $0.promisedTokenLife = .seconds(12 * 3600 + 1) }),
            ("FCM quota", { $0.quotaPerMinute = 0 }),
            ("FCM streams", { $0.maxConcurrentStreams = 0 }),
        ]
        for (place, change) in changes {
            var configuration = SimulatorServerConfiguration()
            configuration.isCleartext = true
            change(&configuration.provider.fcm)
            let error = #expect(throws: SimulatorError.self) {
                try SimulatorServer(configuration)
            }
            #expect(error?.place == place)
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
