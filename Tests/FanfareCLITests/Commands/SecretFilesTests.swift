import Fanfare
import FanfareBase
import FanfareTestSupport
import Glibc
import Testing

@testable import FanfareCLI

/// The warnings about files with secrets that others may read.
@Suite struct SecretFilesTests {
    private let folder: TemporaryFolder
    /// The folder by its path without links.
    private let top: String

    init() throws {
        folder = try TemporaryFolder()
        let found = try #require(unsafe realpath(folder.path, nil))
        defer { unsafe free(found) }
        top = unsafe String(cString: found)
    }

    private func parsed(_ words: [String]) throws -> ParsedArguments {
        guard case .run(let arguments) = try ArgumentParser().parse(words) else {
            throw UsageError(command: nil, "did not run")
        }
        return arguments
    }

    private func paths(_ words: String...) throws -> [String] {
        SecretFiles.files(try parsed(words)).map(\.path)
    }

    private func warnings(about paths: [String]) -> [String] {
        SecretFiles.warnings(about: paths.map { SecretFiles.File(path: $0) }, below: top)
    }

    private func write(_ name: String, _ mode: mode_t) throws -> String {
        let path = try folder.write("secret", to: name)
        #expect(chmod(path, mode) == 0)
        return path
    }

    @Test func `a sentence says which file, and the command that shuts it`() throws {
        let (open, shut) = (try write("a key.p8", 0o644), try write("shut.p8", 0o640))
        #expect(
            warnings(about: [shut, open]) == [
                "\(open) has a secret that every user of this machine can read; "
                    + "chmod o= '\(open)' ends that"
            ])
    }

    /// No owner can give a file away on Linux, and a group that reads it is in order.
    @Test func `the file of another user is its owner's to shut`() {
        #expect(
            SecretFiles.advice(on: "/etc/a key", .ofAnother)
                == "its owner can end that with chmod o= '/etc/a key'")
    }

    @Test func `a file of header fields may have a secret`() throws {
        let path = try write("fields", 0o644)
        let arguments = try parsed(["bench", "https://127.0.0.1/", "--header", "@\(path)"])
        #expect(
            SecretFiles.warnings(arguments, isContainer: false, below: top) == [
                "\(path) may have a secret that every user of this machine can read; "
                    + "chmod o= \(path) ends that"
            ])
    }

    // MARK: Files that others name

    /// A job with a provider of this proof of identity.
    private func described(_ auth: String) throws -> (ParsedArguments, Configuration) {
        let provider = try folder.write(
            """
            {"fanfare_provider": 1, "name": "acme", "settings": {"url": {}},
             "origin": "${set:url}", "auth": \(auth),
             "request": {"path": "/", "body": {"to": "${row:token}"}},
             "answer": {"rules": [], "otherwise": {"outcome": "rejected"}}}
            """, to: "acme.json")
        let arguments = try parsed(
            ["send", "rows.csv", "--provider", provider, "--set", "url=https://a.example"])
        var configuration = try Configuration(rowsOf: arguments)
        try configuration.readEngine(arguments)
        try configuration.readProvider(arguments)
        return (arguments, configuration)
    }

    @Test func `a token's file in a description is warned of, and not in a container`() throws {
        let path = try write("token", 0o644)
        let (arguments, configuration) = try described(
            #"{"kind": "bearer_file", "file": "\#(path)"}"#)
        func warnings(isContainer: Bool) -> [String] {
            SecretFiles.warnings(
                arguments, configuration, isContainer: isContainer, below: top)
        }
        #expect(
            warnings(isContainer: false) == [
                "\(path) has a secret that every user of this machine can read; "
                    + "chmod o= \(path) ends that"
            ])
        #expect(warnings(isContainer: true) == [])
    }

    @Test func `a workload identity is no secret, and its token is one`() throws {
        let token = try write("subject", 0o644)
        let account = try folder.write(
            """
            {"type": "external_account", "audience": "//iam.googleapis.com/projects/1",
             "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
             "token_url": "https://sts.googleapis.com/v1/token",
             "credential_source": {"file": "\(token)"}}
            """, to: "account.json")
        #expect(chmod(account, 0o644) == 0)
        let (arguments, configuration) = try described(
            #"{"kind": "service_account", "file": "\#(account)", "scope": "https://a.example/s"}"#)
        let files = SecretFiles.files(arguments, configuration, below: top)
        #expect(files.map(\.path) == [token])
        let own = try parsed(["send", "rows.csv", "--service-account", account])
        #expect(SecretFiles.files(own, below: top).map(\.path) == [token])
    }

    // MARK: Where they are shown

    @Test(
        arguments: [
            ([], ["fanfare: warning: w", "fanfare: n"]),
            (["--quiet"], ["fanfare: warning: w"]),
            (["--progress", "none"], ["fanfare: warning: w"]),
            (["--progress", "json"], []),
        ] as [([String], [String])])
    func `all warnings are shown but among lines of JSON`(
        words: [String], lines: [String]
    ) throws {
        let output = ResultOutput(try parsed(["send", "rows.csv"] + words))
        #expect(output.lines(notices: ["n"], warnings: ["w"]) == lines)
    }

    // MARK: What is looked at

    @Test func `a file that is named twice is warned of once`() throws {
        let path = try write("key", 0o644)
        try folder.link("link", to: path)
        let other = try write("other", 0o604)
        let warnings = warnings(about: [path, folder.path("link"), path, other])
        #expect(warnings.map { $0.hasPrefix(path) } == [true, false])
        #expect(warnings.last?.hasPrefix(other) == true)
    }

    @Test func `every option with a secret in a file is looked at`() throws {
        #expect(
            try paths(
                "send", "rows.csv", "--key", "k", "--key-id", "A", "--team-id", "B",
                "--access-token-file", "t", "--proxy-credentials-file", "p", "--notify", "@n",
                "--notify-secret-file", "s", "--provider", "ntfy", "--secret", "token=@x",
                "--secret", "y=@z"
            ).sorted() == ["k", "n", "p", "s", "t", "x", "z"])
        #expect(
            try paths(
                "send", "rows.csv", "--certificate", "c", "--certificate-key", "k",
                "--passphrase-file", "p", "--service-account", "a", "--notify",
                "https://example.org"
            ).sorted() == ["a", "c", "k", "p"])
        #expect(
            try paths("bench", "https://127.0.0.1/", "--header", "@h", "--header", "a: b") == ["h"])
        #expect(
            try paths("provider", "try", "ntfy", "--row", "{}", "--secret", "token=@x") == ["x"])
        #expect(try paths("simulate") == [])
    }

    /// A new option with a file has to be put among those with a secret, or among the others here.
    @Test func `all options with files are known to have a secret, or to have none`() {
        let open: Set<String> = [
            "append-to", "answer", "baseline", "body-file", "ca-file", "config", "control",
            "endpoint", "from-sqlite", "history", "html", "log", "message", "metrics-file", "out",
            "output", "payload", "payload-by", "report", "requests", "retry-rows", "seed-list",
            "simulator-scenario", "summary", "suppress", "unregistered", "variant",
        ]
        let commands = [
            Commands.send, Commands.check, Commands.push, Commands.bench, Commands.provider,
        ]
        let names = commands.flatMap(\.options)
            .filter { $0.form?.paths(in: "@a:b=c").isEmpty == false }.map(\.name)
        let unknown = Set(names).subtracting(open).subtracting(SecretFiles.optionNames)
        #expect(unknown == [])
        #expect(SecretFiles.optionNames.allSatisfy { !open.contains($0) })
    }

    @Test func `a certificate and a configuration without a key are no secrets`() {
        for text in [
            "PRIVATE KEY", "-----BEGIN PRIVATE KEY-----", "-----BEGIN ENCRYPTED PRIVATE KEY-----",
            #"{"private_key": "-----BEGIN PRIVATE KEY-----\\nAA"}"#, "0\u{3}",
        ] {
            #expect(hasKey(text), "\(text)")
        }
        for text in [
            "-----BEGIN CERTIFICATE-----", #"{"type": "external_account"}"#, "PRIVATE KE", "",
        ] {
            #expect(!hasKey(text), "\(text)")
        }
    }

    private func hasKey(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBufferPointer { SecretFiles.hasKey($0) }
    }

    @Test(
        arguments: [
            (["KUBERNETES_SERVICE_HOST"], [], true), (["container"], [], true),
            (["ECS_CONTAINER_METADATA_URI_V4"], [], true), (["K_SERVICE"], [], true),
            ([], ["/.dockerenv"], true), ([], ["/run/.containerenv"], true), ([], [], false),
        ] as [([String], [String], Bool)])
    func `a container is recognized`(variables: [String], files: [String], expected: Bool) {
        #expect(
            SecretFiles.isContainer(
                { variables.contains($0) ? "1" : nil }, { files.contains($0) }) == expected)
        // A variable without a value says nothing.
        #expect(
            SecretFiles.isContainer(
                { variables.contains($0) ? "" : nil }, { files.contains($0) }) == !files.isEmpty)
    }
}
