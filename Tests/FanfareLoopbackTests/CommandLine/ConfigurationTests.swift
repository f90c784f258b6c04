import FanfareTLS
import Foundation
import Testing

/// Command lines, keys and certificates that cannot work: exit 2 before anything is sent, with what
/// is wrong, where, and what would be right.
@Suite struct ConfigurationTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(10), to: "rows.csv")
    }

    private func send(_ options: String...) throws -> CommandLineTool.Result {
        try tool.run(
            [
                "send", "rows.csv", "--alert", "hi", "--topic", "com.example.app", "--endpoint",
                "https://127.0.0.1:9",
            ] + options)
    }

    private func sendWithKey(_ file: String) throws -> CommandLineTool.Result {
        try send("--key", file, "--key-id", "ABC123DEFG", "--team-id", "DEF123GHIJ")
    }

    private func expectNothingBegun(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(!tool.folder.exists("fanfare-report.csv"), sourceLocation: sourceLocation)
    }

    // MARK: Keys

    @Test func `a missing key file`() throws {
        try sendWithKey("AuthKey.p8")
            .expect(4, says: "AuthKey.p8 cannot be read: no such file or directory")
        expectNothingBegun()
    }

    @Test func `a key file that holds no key`() throws {
        try tool.folder.write("hello\n", to: "AuthKey.p8")
        try sendWithKey("AuthKey.p8").expect(2, says: "AuthKey.p8 holds no usable private key")
        expectNothingBegun()
    }

    @Test func `a key of the wrong kind`() throws {
        try tool.folder.openssl("genrsa", "-out", "rsa.pem", "2048")
        try sendWithKey("rsa.pem").expect(2, says: "rsa.pem holds no usable private key", "P-256")
        expectNothingBegun()
    }

    @Test func `a client certificate is good enough for the simulator in the process`() throws {
        try TestAuthority.shared.clientIdentity(commonName: "app")
            .writePEM(to: tool.folder.path("client.pem"))
        try tool.send("rows.csv", "--certificate", "client.pem").expect(0)
        #expect(try tool.report().outcomes == ["accepted": 10])
    }

    @Test func `a client certificate with the wrong passphrase`() throws {
        try TestAuthority.shared.clientIdentity(commonName: "app")
            .writePEM(to: tool.folder.path("client.pem"))
        try tool.folder.openssl(
            "pkcs12", "-export", "-in", "client.pem", "-out", "client.p12", "-passout", "pass:right"
        )
        try tool.folder.write("wrong\n", to: "passphrase.txt")
        try send("--certificate", "client.p12", "--passphrase-file", "passphrase.txt")
            .expect(2, says: "the passphrase for client.p12 is wrong")
        try send("--certificate", "client.p12")
            .expect(2, says: "client.p12", "passphrase", "--passphrase-file")
        expectNothingBegun()
    }

    // MARK: Options

    @Test func `an existing report is not replaced unasked`() throws {
        try tool.folder.write("precious\n", to: "fanfare-report.csv")
        try tool.send("rows.csv")
            .expect(2, says: "fanfare-report.csv exists already", "--overwrite", "--report FILE")
        #expect(tool.folder.text(of: "fanfare-report.csv") == "precious\n")
        try tool.send("rows.csv", "--overwrite").expect(0)
        try tool.report().expectEveryRowOnce(10)
    }

    @Test(arguments: [("--conections=3", "--connections"), ("--tpoic=a", "--topic")])
    func `a misspelled option is named with the right one`(wrong: String, right: String) throws {
        try send(wrong).expect(
            2, says: wrong.prefix { $0 != "=" }.description, right, "fanfare send")
        expectNothingBegun()
    }

    @Test func `an unknown option and an unknown command`() throws {
        try send("--frobnicate").expect(2, says: "--frobnicate", "--help")
        try tool.run("sned").expect(2, says: "sned", "send")
        expectNothingBegun()
    }

    @Test(arguments: [
        ["--connections", "none"], ["--connections", "0"], ["--timeout", "10"],
        ["--priority", "7"], ["--report", "outcomes.txt"], ["--push-type", "a b"],
    ])
    func `a value that cannot be is told with its option`(option: [String]) throws {
        try send(option[0], option[1]).expect(2, says: option[0], option[1])
        expectNothingBegun()
    }

    @Test func `APNs is not sent to without credentials`() throws {
        try tool.run("send", "rows.csv", "--alert", "hi")
            .expect(2, says: "no credentials", "--key", "--certificate", "--provider simulator")
        expectNothingBegun()
    }

    @Test func `a template with an unknown column`() throws {
        try tool.run(
            ["send", "rows.csv", "--title", "Hi {{nmae}}", "--provider", "simulator"]
        ).expect(4, says: "rows.csv has no column 'nmae'", "token")
        expectNothingBegun()
    }

    @Test func `a template that is not JSON`() throws {
        try tool.folder.write("hello", to: "payload.json")
        try tool.run("send", "rows.csv", "--payload", "payload.json", "--provider", "simulator")
            .expect(2, says: "payload.json is not a JSON object")
        expectNothingBegun()
    }

    @Test func `unverified servers are for loopback addresses only`() throws {
        try tool.run(
            "send", "rows.csv", "--alert", "hi", "--endpoint", "https://192.0.2.1", "--insecure"
        ).expect(2, says: "--insecure", "loopback", "--ca-file")
        expectNothingBegun()
    }

    @Test func `help goes to standard output`() throws {
        let result = try tool.run("--help")
        result.expect(0)
        #expect(result.output.contains("send"))
        #expect(result.errors.isEmpty)
    }
}
