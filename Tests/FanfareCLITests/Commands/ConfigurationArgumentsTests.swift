import Fanfare
import FanfareCore
import FanfareSystem
import Foundation
import Testing

@testable import FanfareCLI

/// From the words of a command line to what the library is given.
@Suite struct ConfigurationArgumentsTests {
    private enum Unexpected: Error { case help }

    private func arguments(_ words: [String]) throws -> ParsedArguments {
        guard case .run(let arguments) = try ArgumentParser().parse(words) else {
            throw Unexpected.help
        }
        return arguments
    }

    /// The settings of a `send` with these words.
    private func send(_ words: String...) throws -> Configuration {
        let arguments = try arguments(["send"] + words)
        var configuration = try Configuration(rowsOf: arguments)
        try configuration.readEngine(arguments)
        try configuration.readProvider(arguments)
        return configuration
    }

    @Test(arguments: [
        ("cp1252", RowEncoding.windows1252), ("Windows-1252", .windows1252), ("latin1", .latin1),
        ("ISO-8859-1", .latin1), ("UTF8", .utf8), ("utf-16le", .utf16LittleEndian),
    ])
    func `an encoding has the names that others give it`(
        name: String, encoding: RowEncoding
    ) throws {
        func rows(_ name: String) throws -> RowOptions {
            try Configuration(rowsOf: try arguments(["send", "a.csv", "--encoding", name])).rows
        }
        #expect(try rows(name).encoding == encoding)
        #expect(usage { _ = try rows("cp1250") }?.contains("cp1250") == true)
    }

    private func usage(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch CommandError.usage(let error) {
            return "\(error)"
        } catch let error as UsageError {
            return "\(error)"
        } catch {
            return "another error: \(error)"
        }
    }

    /// The template that a command line leads to.
    private func template(_ words: String...) throws -> String? {
        let arguments = try arguments(["check"] + words)
        let json: [UInt8]?
        switch try Configuration(rowsOf: arguments).payload {
        case .column, .chosen: json = nil
        case .template(let text, _): json = text
        case .message(let message): json = try message.translated(for: .apns).payload
        }
        return json.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ([], false), (["--control", "job"], true), (["--control", "none"], false),
        (["--page", "127.0.0.1:0"], false),
        (["--page", "127.0.0.1:0", "--page-control"], true),
    ])
    func `a job that can be steered can get a rate`(words: [String], may: Bool) throws {
        let arguments = try arguments(["send", "--provider", "simulator"] + words)
        var configuration = try Configuration(rowsOf: arguments)
        try configuration.readEngine(arguments)
        #expect(configuration.engine.rateMayChange == may)
    }

    @Test func `the shortest command line has the defaults of the specification`() throws {
        let configuration = try send("--provider", "simulator")
        #expect(configuration.inputs == [.standardInput])
        #expect(configuration.rows == RowOptions())
        #expect(configuration.rows.hasHeader && configuration.rows.validates)
        #expect(configuration.payload == .column)
        #expect(configuration.report == ReportOptions())
        #expect(configuration.report.path == "fanfare-report.csv")
        #expect(configuration.engine.connections == nil)
        #expect(configuration.engine.streams == nil && configuration.engine.lanes == nil)
        #expect(configuration.engine.isAdaptive)
        #expect(configuration.engine.attemptsMax == 5)
        #expect(configuration.engine.delivery == .atMostOnce)
        #expect(configuration.engine.untilMilliseconds == nil)
        #expect(configuration.engine.retryBudget == 0.2)
        #expect(configuration.engine.timeout == .seconds(30))
        #expect(configuration.engine.connectTimeout == .seconds(10))
        #expect(configuration.engine.giveUpAfter == .seconds(900))
        #expect(configuration.provider.verifiesServer)
        let provider = configuration.provider
        #expect(
            [
                provider.topic, provider.pushType, provider.priority, provider.expiration,
                provider.collapseID, provider.caFile,
            ].allSatisfy { $0 == nil })
    }

    @Test func `inputs stay in their order, with standard input among them`() throws {
        let configuration = try send("--provider=simulator", "a.csv", "-", "b.ndjson")
        #expect(configuration.inputs == [.file("a.csv"), .standardInput, .file("b.ndjson")])
    }

    /// By each of its names; a pipe that another program has handed over is the same.
    @Test(arguments: [
        ["-", "-"], ["-", "/dev/stdin"], ["/dev/fd/0", "/proc/self/fd/0"],
        ["-", "--suppress", "/dev/stdin"], ["--suppress", "/dev/stdin"],
        ["/dev/stdin", "--payload", "-"], ["-", "--payload", "/dev/fd/0"],
        ["a.csv", "--suppress", "/dev/fd/0", "--suppress", "/dev/stdin"],
        ["/dev/fd/63", "/dev/fd/63"], ["/dev/fd/63", "--suppress", "/dev/fd/63"],
        ["-", "--ca-file", "/dev/stdin"],
    ])
    func `what can be read once is read once`(words: [String]) throws {
        for command in ["send", "check"] where command == "send" || !words.contains("--ca-file") {
            let arguments = try arguments([command] + words)
            let message = usage { _ = try Configuration(rowsOf: arguments) }
            #expect(message?.contains(" can be read only once") == true, "\(words)")
        }
    }

    @Test(arguments: [
        ["/dev/stdin"], ["a.csv", "--suppress", "/dev/stdin"], ["-", "--suppress", "/dev/fd/63"],
        ["a.csv", "--suppress", "/dev/fd/62", "--suppress", "/dev/fd/63"],
    ])
    func `other pipes may be read besides`(words: [String]) throws {
        let arguments = try arguments(["check"] + words)
        _ = try Configuration(rowsOf: arguments)
    }

    @Test func `options of rows are taken over`() throws {
        let rows = try send(
            "--provider=simulator", "--format", "csv", "--delimiter", ";", "--no-header",
            "--columns", "device,name", "--map", "token=device", "--map", "id=name",
            "--no-validate"
        ).rows
        #expect(rows.format == .csv)
        #expect(rows.delimiter == UInt8(ascii: ";"))
        #expect(!rows.hasHeader)
        #expect(rows.columns == ["device", "name"])
        #expect(rows.mapping == ["token": "device", "id": "name"])
        #expect(!rows.validates)
        #expect(try send("--provider=simulator", "--format=ndjson").rows.format == .ndjson)
        #expect(
            try send("--provider=simulator", "--delimiter=tab").rows.delimiter
                == UInt8(ascii: "\t"))
    }

    @Test func `options of report and engine are taken over`() throws {
        let configuration = try send(
            "--provider=simulator", "--report", "out.ndjson", "--overwrite", "--carry", "a,b",
            "--report-token", "hash", "--connections", "7", "--streams", "500", "--lanes", "3",
            "--no-adaptive",
            "--max-attempts", "2", "--timeout", "1500ms", "--connect-timeout", "3s",
            "--give-up-after", "2h")
        #expect(configuration.report.path == "out.ndjson")
        #expect(configuration.report.overwrites)
        #expect(configuration.report.carriedColumns == ["a", "b"])
        #expect(configuration.report.token == .hash)
        #expect(configuration.engine.connections == 7)
        #expect(configuration.engine.streams == 500)
        #expect(!configuration.engine.isAdaptive)
        #expect(configuration.engine.lanes == 3)
        #expect(configuration.engine.attemptsMax == 2)
        #expect(configuration.engine.timeout == .milliseconds(1500))
        #expect(configuration.engine.connectTimeout == .seconds(3))
        #expect(configuration.engine.giveUpAfter == .seconds(7200))
    }

    // MARK: Headers

    @Test func `header values are taken over`() throws {
        let provider = try send(
            "--provider=simulator", "--topic", "com.example.app", "--push-type", "background",
            "--priority", "5", "--collapse-id", "news"
        ).provider
        #expect(provider.topic == "com.example.app")
        #expect(provider.pushType == "background")
        #expect(provider.priority == "5")
        #expect(provider.collapseID == "news")
        #expect(provider.expiration == nil)
    }

    @Test func `an expiration is a time, a while from now, or zero`() throws {
        func expiration(_ text: String) throws -> String? {
            try send("--provider=simulator", "--expiration", text).provider.expiration
        }
        #expect(try expiration("0") == "0")
        #expect(try expiration("1700000000") == "1700000000")
        #expect(try expiration("2023-11-14T22:13:20Z") == "1700000000")
        let later = try send("--provider=simulator", "--expiration", "+1h").provider
        #expect(later.expiration == nil)
        #expect(later.expiresAfter == .seconds(3600))
    }

    // MARK: Provider

    @Test func `rows in doubt are sent again when that is asked for`() throws {
        let engine = try send("--provider=simulator", "--delivery", "at-least-once").engine
        #expect(engine.delivery == .atLeastOnce)
    }

    @Test func `the last attempt has a time, or a while from now`() throws {
        let moment = try send("--provider=simulator", "--until", "2100-01-01T00:00:00Z").engine
        #expect(moment.untilMilliseconds == 4_102_444_800_000)
        let before = WallClock.milliseconds
        let later = try #require(
            try send("--provider=simulator", "--until=+2h").engine.untilMilliseconds)
        #expect(later >= before + 7_200_000 && later <= WallClock.milliseconds + 7_200_000)
        let past = usage { _ = try send("--provider=simulator", "--until", "1000000000") }
        #expect(past?.contains("has passed") == true)
    }

    @Test func `environment, port and endpoint choose the address`() throws {
        let key = ["--key", "k.p8", "--key-id", "ABC123DEFG", "--team-id", "DEF123GHIJ"]
        func endpoint(_ words: String...) throws -> String {
            let arguments = try arguments(["send"] + key + words)
            var configuration = Configuration()
            try configuration.readProvider(arguments)
            return configuration.provider.endpoint.description
        }
        #expect(try endpoint() == "https://api.push.apple.com")
        #expect(try endpoint("--environment", "sandbox") == "https://api.sandbox.push.apple.com")
        #expect(try endpoint("--port", "2197") == "https://api.push.apple.com:2197")
        #expect(try endpoint("--endpoint", "https://[::1]:8443") == "https://[::1]:8443")
        #expect(try endpoint("--endpoint", "http://localhost:8080") == "http://localhost:8080")
        #expect(try endpoint("--endpoint", "https://gateway.example") == "https://gateway.example")
    }

    @Test func `bounds on outcomes add up, and none is none`() throws {
        func bounds(_ words: String...) throws -> [String] {
            let arguments = try arguments(["send", "--provider", "simulator"] + words)
            var configuration = try Configuration(rowsOf: arguments)
            try configuration.readEngine(arguments)
            return (configuration.guards.stopIf + configuration.guards.failIf)
                .map(\.description)
        }
        #expect(try bounds() == ["suspect>50%", "unknown>50%", "invalid>10%"])
        #expect(try bounds("--stop-if", "none") == [])
        #expect(
            try bounds("--stop-if", "suspect > 20%, failed>10", "--stop-if=unknown>0")
                == ["suspect>20%", "failed>10", "unknown>0"])
        #expect(
            try bounds("--fail-if", "unregistered>5%") == [
                "suspect>50%", "unknown>50%", "invalid>10%", "unregistered>5%",
            ])
        #expect(
            usage { _ = try bounds("--stop-if", "none", "--stop-if", "failed>1") }
                == "fanfare send: --stop-if: none stands alone")
    }

    @Test func `files beside the report are named`() throws {
        let report = try send(
            "--provider", "simulator", "--unregistered", "u.csv", "--retry-rows", "again"
        ).report
        #expect(report.unregisteredPath == "u.csv" && report.retryRowsPath == "again")
    }

    @Test func `credentials are files and ids`() throws {
        let (key, team) = ("ABC123DEFG", "DEF123GHIJ")
        #expect(
            try send("--key", "k.p8", "--key-id", key, "--team-id", team).provider.credentials
                == .token(keyFile: "k.p8", keyID: key, teamID: team))
        let file = "keys/AuthKey_ABC123DEFG.p8"
        #expect(
            try send("--key", file, "--team-id", team).provider.credentials
                == .token(keyFile: file, keyID: key, teamID: team))
        #expect(
            try send("--key", file, "--key-id", "0123456789", "--team-id", team).provider
                .credentials
                == .token(keyFile: file, keyID: "0123456789", teamID: team))
        #expect(
            try send("--certificate", "c.p12", "--passphrase-file", "p").provider.credentials
                == .certificate(file: "c.p12", keyFile: nil, passphraseFile: "p"))
        #expect(
            try send("--certificate", "c.pem", "--certificate-key", "k.pem").provider.credentials
                == .certificate(file: "c.pem", keyFile: "k.pem", passphraseFile: nil))
    }

    @Test(arguments: [
        (["--key", "k.p8", "--team-id", "DEF123GHIJ"], "--key: needs --key-id as well"),
        (["--key", "AuthKey_ABC.p8", "--team-id", "DEF123GHIJ"], "--key: needs --key-id as well"),
        (
            ["--key", "k.p8", "--key-id", "ABC", "--team-id", "DEF123GHIJ"],
            "--key-id: 'ABC' is not an identifier"
        ),
        (
            ["--key", "k.p8", "--key-id", "ABC123DEFG", "--team-id", "com.example"],
            "--team-id: 'com.example' is not an identifier"
        ),
    ])
    func `an identifier that Apple cannot have given is refused`(
        words: [String], message: String
    ) {
        let found = usage {
            var configuration = Configuration()
            try configuration.readProvider(try arguments(["send"] + words))
        }
        #expect(found?.contains(message) == true, "\(found ?? "taken")")
    }

    @Test func `a bound from below is for the end of a job`() throws {
        #expect(
            usage {
                var configuration = Configuration()
                try configuration.readEngine(
                    try arguments(["send", "--provider", "simulator", "--stop-if", "accepted<90%"]))
            }
                == "fanfare send: --stop-if: accepted<90% is for --fail-if: at the beginning of a job "
                + "there are too few of all")
    }

    @Test func `Apple's own hosts want credentials, others may not`() throws {
        #expect(usage { _ = try send() }?.contains("no credentials for APNs; give --key") == true)
        // Those who have an Android app only learn here what to give.
        #expect(usage { _ = try send() }?.contains("for FCM --service-account FILE") == true)
        #expect(
            usage { _ = try send("--provider", "apns") }?.contains("--service-account") == false)
        #expect(usage { _ = try send("--environment", "sandbox") } != nil)
        #expect(try send("--endpoint", "https://127.0.0.1:1").provider.credentials == .none)
        #expect(try send("--provider", "simulator").provider.credentials == .none)
    }

    @Test func `trust is in a file, and only loopback goes unchecked`() throws {
        let endpoint = "https://127.0.0.1:1"
        let unchecked = try send("--endpoint", endpoint, "--insecure").provider
        #expect(!unchecked.verifiesServer)
        let trusting = try send("--endpoint", endpoint, "--ca-file", "ca.pem").provider
        #expect(trusting.verifiesServer)
        #expect(trusting.caFile == "ca.pem")
        #expect(
            usage { _ = try send("--endpoint", "https://example.com", "--insecure") } != nil)
    }

    // MARK: Payload

    @Test func `a payload is a file, a text or single options`() throws {
        let path = FileManager.default.temporaryDirectory.appending(
            path: "fanfare-cli-\(UUID().uuidString).json"
        ).path
        try #"{"aps":{"badge":1}}"#.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let arguments = try arguments(["check", "--payload", path])
        #expect(
            try Configuration(rowsOf: arguments).payload
                == .template(json: Array(#"{"aps":{"badge":1}}"#.utf8), name: path))
        #expect(try template("--payload-json", #"{"a":1}"#) == #"{"a":1}"#)
        #expect(try template("--alert", "Hello {{name}}") == #"{"aps":{"alert":"Hello {{name}}"}}"#)
        #expect(try template() == nil)
        #expect(try template("--badge", "1k") == #"{"aps":{"badge":1000}}"#)
        #expect(
            try template("--alert", "x", "--relevance-score", "0.80")
                == #"{"aps":{"alert":"x","relevance-score":0.80}}"#)
    }

    @Test func `single options make the payload of the documentation`() throws {
        let json = try #require(
            try template(
                "--title", "T", "--subtitle", "S", "--body", "B", "--badge", "3", "--sound",
                "default", "--category", "C", "--thread-id", "X", "--content-available",
                "--mutable-content", "--interruption-level", "time-sensitive",
                "--relevance-score", "0.5", "--target-content-id", "W", "--data", "a=1",
                "--data", "b=two"))
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
        let root = try #require(object as? [String: Any])
        let aps = try #require(root["aps"] as? [String: Any])
        let alert = try #require(aps["alert"] as? [String: String])
        #expect(alert == ["title": "T", "subtitle": "S", "body": "B"])
        #expect(aps["badge"] as? Int == 3)
        #expect(aps["sound"] as? String == "default")
        #expect(aps["category"] as? String == "C")
        #expect(aps["thread-id"] as? String == "X")
        #expect(aps["content-available"] as? Int == 1)
        #expect(aps["mutable-content"] as? Int == 1)
        #expect(aps["interruption-level"] as? String == "time-sensitive")
        #expect(aps["relevance-score"] as? Double == 0.5)
        #expect(aps["target-content-id"] as? String == "W")
        #expect(Set(root.keys) == ["aps", "a", "b"])
        #expect(usage { _ = try template("--alert", "x", "--data", "aps=1") } != nil)
        #expect(usage { _ = try template("--data", "a=1", "--data", "a=2") } != nil)
    }

    @Test func `a payload file that is not there is told by its name`() throws {
        let arguments = try arguments(["check", "--payload", "/nowhere/p.json"])
        do {
            _ = try Configuration(rowsOf: arguments)
            Issue.record("no error")
        } catch CommandError.job(let error) {
            #expect(error.code == .input)
            #expect(
                error.message == "/nowhere/p.json cannot be read: no such file or directory")
        }
    }

    @Test func `a pace is a rate, and what goes with it`() throws {
        #expect(try send("--provider", "simulator").engine.rate == nil)
        let engine = try send(
            "--provider", "simulator", "--rate", "100/15s", "--burst", "7", "--ramp", "2m"
        ).engine
        #expect(engine.rate == SendingRate(100, per: .seconds(15)))
        #expect(engine.burst == 7 && engine.ramp == .seconds(120))
        let hourly = try send("--provider", "simulator", "--rate", "90k/h").engine
        #expect(hourly.rate == SendingRate(90_000, per: .seconds(3600)))
        #expect(hourly.burst == nil && hourly.ramp == .zero)
        for option in ["--burst=5", "--ramp=5s"] {
            let message = usage { _ = try send("--provider", "simulator", option) }
            #expect(message?.contains("needs --rate as well") == true, "\(option)")
        }
    }

    @Test func `a value that makes no sense is told before anything is opened`() {
        for words in [
            ["--lanes", "0"], ["--connections", "-1"], ["--timeout", "0s"], ["--port", "0"],
            ["--priority", "7"], ["--report-token", "all"], ["--expiration", "soon"],
            ["--rate", "5000x"],
        ] {
            let message = usage {
                let arguments = try arguments(["send", "--provider=simulator"] + words)
                var configuration = try Configuration(rowsOf: arguments)
                try configuration.readEngine(arguments)
                try configuration.readProvider(arguments)
            }
            #expect(message?.contains(words[0]) == true, "\(words)")
        }
    }
}
