import FanfareTestSupport
import Testing

/// The words of `send` that `check` takes, too: providers and credentials.
@Suite struct CheckedCredentialTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(10), to: "rows.csv")
        try TestAuthority.server.writePEM(to: tool.folder.path("AuthKey_ABC123DEFG.p8"))
    }

    private func check(_ options: String...) throws -> CommandLineTool.Result {
        try tool.run(
            ["check", "rows.csv", "--title", "Hi", "--topic", "com.example.app"] + options)
    }

    @Test func `a key that can be read and used is taken`() throws {
        try check("--key", "AuthKey_ABC123DEFG.p8", "--team-id", "DEF123GHIJ")
            .expect(0, says: "valid", "10")
    }

    @Test func `a key that is none is refused as send does`() throws {
        let options = ["--team-id", "DEF123GHIJ", "--key-id", "ABC123DEFG", "--key"]
        try tool.folder.write("no key", to: "bad.p8")
        try tool.folder.write(RFC7515.rsaKey, to: "rsa.p8")
        for file in ["bad.p8", "rsa.p8", "missing.p8"] {
            let checked = try check(
                options[0], options[1], options[2], options[3], options[4], file)
            let sent = try tool.run(
                ["send", "rows.csv", "--title", "Hi", "--topic", "com.example.app"] + options + [
                    file
                ]
            )
            #expect(checked.exitCode == sent.exitCode && checked.exitCode != 0)
            #expect(checked.errors.contains(file), "\(checked.errors)")
        }
    }

    @Test func `a service account is read without asking anyone`() throws {
        let key = RFC7515.rsaKey.replacing("\n", with: #"\n"#)
        try tool.folder.write(
            """
            {"type":"service_account","project_id":"example-1","private_key":"\(key)",
             "client_email":"push@example-1.iam.gserviceaccount.com"}
            """, to: "account.json")
        try tool.folder.write("token\ndGhpcyBpcyBub3QgaGV4:APA91bHPRgkF3JUikC4E\n", to: "f.csv")
        try tool.run("check", "f.csv", "--title", "Hi", "--service-account", "account.json")
            .expect(0)
        try tool.folder.write("{}", to: "empty.json")
        try tool.run("check", "f.csv", "--title", "Hi", "--service-account", "empty.json")
            .expect(2, says: "empty.json")
    }

    @Test func `a mixed list for the simulator says what to write`() throws {
        let rows = "token\n\(Rows.token(1))\ndGhpcyBpcyBub3QgaGV4:APA91bHPRgkF3JUikC4E\n"
        try tool.folder.write(rows, to: "mixed.csv")
        let words = ["mixed.csv", "--title", "Hi", "--provider"]
        try tool.run(["check"] + words + ["simulator"])
            .expect(0, says: "--provider apns,fcm,simulator")
        try tool.run(["send"] + words + ["simulator"])
            .expect(0, says: "--provider apns,fcm,simulator")
        try tool.run(["send"] + words + ["apns,fcm,simulator", "--overwrite"]).expect(0)
    }
}
