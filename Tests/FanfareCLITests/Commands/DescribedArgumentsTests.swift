import Fanfare
import FanfareTestSupport
import Testing

@testable import FanfareCLI

/// Providers that files describe, on the command line.
@Suite struct DescribedArgumentsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private enum Unexpected: Error { case help }

    private func send(_ words: String..., command: String = "send") throws -> Configuration {
        try sendAll(words, command: command)
    }

    private func sendAll(_ words: [String], command: String = "send") throws -> Configuration {
        let words = [command, "rows.csv"] + words
        guard case .run(let arguments) = try ArgumentParser().parse(words) else {
            throw Unexpected.help
        }
        var configuration = try Configuration(rowsOf: arguments)
        guard command == "send" else { return configuration }
        try configuration.readEngine(arguments)
        try configuration.readProvider(arguments)
        return configuration
    }

    private func message(_ body: () throws -> Configuration) -> String {
        do {
            _ = try body()
            return ""
        } catch let error as CommandError {
            switch error {
            case .usage(let error): return error.message
            case .job(let error): return error.message
            }
        } catch let error as UsageError {
            return error.message
        } catch {
            return "\(error)"
        }
    }

    private func own(_ name: String) throws -> String {
        try folder.write(
            """
            {"fanfare_provider": 1, "name": "\(name)", "settings": {"url": {}},
             "origin": "${set:url}", "auth": {"kind": "none"},
             "request": {"path": "/", "body": {"to": "${row:token}"}},
             "answer": {"rules": [], "otherwise": {"outcome": "rejected"}}}
            """, to: "\(name).json")
        return folder.path("\(name).json")
    }

    @Test func `a name or a file is a route, beside those that are built in`() throws {
        let job = try send(
            "--provider", "fcm,ntfy", "--endpoint", "fcm=https://127.0.0.1:1", "--set",
            "url=https://ntfy.example.org:8443", "--rate", "ntfy=5/s", "--route", "topic=ntfy")
        #expect(job.routes.map(\.provider) == [.fcm, .declared("ntfy")])
        #expect(job.routes[1].endpoint.description == "https://ntfy.example.org:8443")
        #expect(job.routes.map(\.rate) == [nil, SendingRate(5)])
        #expect(job.rows.providerWords == ["topic": .declared("ntfy")])
        let other = try send(
            "--provider", try own("acme"), "--set", "url=https://a.example", "--endpoint",
            "acme=http://127.0.0.1:7")
        #expect(other.routes.map(\.provider) == [.declared("acme")])
        #expect(other.routes[0].endpoint.description == "http://127.0.0.1:7")
        let check = try send(
            "--provider", "gotify", "--set", "url=https://g.example", command: "check")
        #expect(check.routes.map(\.provider) == [.declared("gotify")])
    }

    @Test func `a setting of two is for one by its name`() throws {
        let (one, two) = (try own("one"), try own("two"))
        let both = "\(one),\(two)"
        #expect(
            message { try send("--provider", both, "--set", "url=https://a.example") }
                .contains("url is a setting of one and two; write one.url=… for one of them"))
        let job = try send(
            "--provider", both, "--set", "one.url=https://a.example", "--set",
            "two.url=https://b.example")
        #expect(job.routes.map(\.endpoint.host) == ["a.example", "b.example"])
    }

    private static let withControl = "has a line break or another control character in it"

    @Test(arguments: [
        ("", "is empty"), ("\n", "is empty"), ("a ", "begins or ends with a blank"),
        ("a\t\n", "begins or ends with a blank"), ("a\nb\n", withControl), ("a\0", withControl),
    ])
    func `a secret that is none, or cannot stand where it belongs, is refused`(
        secret: String, problem: String
    ) throws {
        try folder.write(secret, to: "secret.txt")
        let told = message {
            try sendAll([
                "--provider", "ntfy", "--secret", "token=@" + folder.path("secret.txt"),
            ])
        }
        #expect(told.hasPrefix("the secret token of ntfy \(problem)"), "\(told)")
        #expect(told.hasSuffix("; write its value into the file, and nothing else"))
    }

    private func sendToJPush(_ secret: String) throws -> Configuration {
        try folder.write(secret, to: "secret.txt")
        return try sendAll([
            "--provider", "jpush", "--set", "app_key=a", "--secret",
            "master=@" + folder.path("secret.txt"),
        ])
    }

    @Test func `a password is encoded, and has no control characters`() throws {
        // RFC 7617 §2
        for secret in ["a\nb\n", "a\0", "a\u{7F}"] {
            let told = message { try sendToJPush(secret) }
            #expect(told.hasPrefix("the secret master of jpush \(Self.withControl)"), "\(told)")
        }
        for secret in ["", " a", "a ", " "] {
            #expect(try sendToJPush(secret).routes.map(\.provider) == [.declared("jpush")])
        }
    }

    @Test func `a secret in a body may have several lines`() throws {
        try folder.write("a\nb\n", to: "secret.txt")
        let job = try sendAll([
            "--provider", "pushover", "--secret", "token=@" + folder.path("secret.txt"),
        ])
        #expect(job.routes.map(\.provider) == [.declared("pushover")])
    }

    @Test func `what would be without effect is refused`() throws {
        let acme = try own("acme")
        #expect(
            message { try send("--provider", acme) }
                == "acme needs the setting url, which has no value; write --set url=VALUE")
        #expect(
            message { try send("--provider", acme, "--set", "urll=https://a.example") }
                .contains("acme has no setting urll; did you mean url?"))
        #expect(
            message { try send("--provider", "apns", "--set", "url=https://a.example") }
                .contains("--set goes with a provider that a file describes"))
        #expect(
            message {
                try send("--provider", "simulator,\(acme)", "--set", "url=https://a.example")
            }.contains("for no provider that a file describes"))
        #expect(
            message { try send("--provider", acme, "--set", "url=http://a.example") }
                .contains("acme: where requests go is not https"))
        #expect(
            message {
                try send(
                    "--provider", acme, "--set", "url=https://a.example", "--key", "k.p8",
                    "--key-id", "ABC123DEFG", "--team-id", "DEF123GHIJ")
            }.contains("is for apns, and this job sends to acme"))
        let typo = message { try send("--provider", "nfty") }
        #expect(typo.contains("is none of apns, fcm and simulator, and fanfare provider list does"))
        #expect(typo.hasSuffix("write for example --provider ntfy"))
        #expect(
            message { try send("--provider", "acme") }
                .hasSuffix("write for example --provider ./provider.json"))
        #expect(
            message {
                guard
                    case .run(let arguments) = try ArgumentParser().parse(
                        ["bench", "https://127.0.0.1:1", "--provider", "ntfy"])
                else { throw Unexpected.help }
                _ = try ProviderOptions.described(arguments)
                return Configuration()
            }.contains("fanfare send sends to it"))
    }

    // MARK: push

    private func push(_ words: String...) throws -> DescribedPush? {
        guard case .run(let arguments) = try ArgumentParser().parse(["push"] + words) else {
            throw Unexpected.help
        }
        var configuration = Configuration()
        try configuration.readRoutes(arguments)
        return try DescribedPush(configuration, arguments)
    }

    @Test func `push makes a row of each token, with the columns that are given`() throws {
        let rows = try push(
            "a\"1", "b2", "--provider", "ntfy", "--row", #"{"title":"Hi","n":[1, 2]}"#)
        #expect(
            rows?.lines == #"{"token":"a\"1","title":"Hi","n":[1,2]}"# + "\n"
                + #"{"token":"b2","title":"Hi","n":[1,2]}"# + "\n")
        #expect(try push("a1", "--provider", "ntfy")?.lines == #"{"token":"a1"}"# + "\n")
        #expect(try push("00", "--alert", "Hi") == nil)
    }

    @Test func `push says what does not go together`() {
        func told(_ body: () throws -> DescribedPush?) -> String {
            message {
                _ = try body()
                return Configuration()
            }
        }
        #expect(
            told { try push("a", "--provider", "ntfy,apns", "--row", "{}") }
                .contains("name it alone"))
        #expect(
            told { try push("a", "--provider", "ntfy", "--row", #"{"token":"b"}"#) }
                .contains("which the tokens are for"))
        #expect(
            told { try push("a", "--provider", "apns", "--row", "{}") }
                .contains("goes with a provider that a file describes"))
        #expect(
            told { try push("a", "--provider", "ntfy", "--verbose") }
                .contains("fanfare provider try shows the request"))
    }
}
