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

    private func paths(_ words: String...) throws -> [String] {
        guard case .run(let arguments) = try ArgumentParser().parse(words) else {
            throw UsageError(command: nil, "did not run")
        }
        return SecretFiles.paths(arguments)
    }

    private func write(_ name: String, _ mode: mode_t) throws -> String {
        let path = try folder.write("secret", to: name)
        #expect(chmod(path, mode) == 0)
        return path
    }

    @Test func `a sentence says which file, and the command that shuts it`() throws {
        let (open, shut) = (try write("a key.p8", 0o644), try write("shut.p8", 0o640))
        #expect(
            SecretFiles.warnings(about: [shut, open], below: top) == [
                "\(open) has a secret that every user of this machine can read; "
                    + "chmod 600 '\(open)' keeps it to its owner"
            ])
    }

    @Test func `a file that is named twice is warned of once`() throws {
        let path = try write("key", 0o644)
        try folder.link("link", to: path)
        let other = try write("other", 0o604)
        let warnings = SecretFiles.warnings(
            about: [path, folder.path("link"), path, other], below: top)
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
            "-----BEGIN PRIVATE KEY-----", "-----BEGIN ENCRYPTED PRIVATE KEY-----",
            #"{"private_key": "-----BEGIN PRIVATE KEY-----\\nAA"}"#, "0\u{3}",
        ] {
            #expect(SecretFiles.hasKey(Array(text.utf8)), "\(text)")
        }
        for text in ["-----BEGIN CERTIFICATE-----", #"{"type": "external_account"}"#, ""] {
            #expect(!SecretFiles.hasKey(Array(text.utf8)), "\(text)")
        }
    }

    @Test(
        arguments: [
            (["KUBERNETES_SERVICE_HOST"], [], true), (["container"], [], true),
            ([], ["/.dockerenv"], true), ([], ["/run/.containerenv"], true), ([], [], false),
        ] as [([String], [String], Bool)])
    func `a container is recognized`(variables: [String], files: [String], expected: Bool) {
        #expect(
            SecretFiles.isContainer(
                { variables.contains($0) ? "1" : nil }, { files.contains($0) }) == expected)
    }
}
