import Testing

/// `fanfare provider` with the built tool.
@Suite struct ProviderCommandRunTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
    }

    private static let row =
        #"{"token":"04cac74a714f61bf0899","title":"Doors open","body":"at eight"}"#

    @Test func `what is shown can be checked`() throws {
        let list = try tool.run("provider", "list")
        list.expect(0)
        let names = list.output.split(separator: "\n").compactMap { $0.split(separator: " ").first }
        #expect(names.contains("expo") && names.contains("webhook"))
        for name in names.map(String.init) {
            let shown = try tool.run("provider", "show", name)
            shown.expect(0)
            try tool.folder.write(shown.output, to: "\(name).json")
            let checked = try tool.run("provider", "check", "\(name).json")
            checked.expect(0)
            #expect(checked.output.hasPrefix("\(name).json: \(name) is right: "))
        }
    }

    @Test func `what is wrong with files is told for each`() throws {
        let text = try tool.run("provider", "show", "ntfy").output
        try tool.folder.write(
            text.replacing("\"path\": \"/\"", with: "\"path\": \"up\"")
                .replacing("\"origin\"", with: "\"orgin\""), to: "ntfy.json")
        let result = try tool.run("provider", "check", "ntfy.json", "gotify")
        result.expect(
            2, says: "fanfare provider: ntfy.json: line ",
            "/orgin is not known here; did you mean origin?",
            "/request/path does not begin with /; write / before it")
        #expect(result.output.hasPrefix("gotify: gotify is right: "))
        try tool.folder.write("{\n", to: "half.json")
        try tool.run("provider", "check", "half.json")
            .expect(2, says: "half.json: line ", "not valid JSON")
        try tool.run("provider", "check", "nowhere.json").expect(
            4, says: "nowhere.json cannot be read")
        try tool.run("provider", "try", "ntfy.json", "--row", "{}")
            .expect(2, says: "more; fanfare provider check ntfy.json")
    }

    @Test func `an example that does not hold is told`() throws {
        let text = try tool.run("provider", "show", "ntfy").output
        try tool.folder.write(
            text.replacing("\"message\": \"at eight\"", with: "\"message\": \"at nine\""),
            to: "ntfy.json")
        try tool.run("provider", "check", "ntfy.json").expect(
            2, says: "/examples/0/request/body is not what the rows become")
    }

    @Test func `a row is tried with its secrets masked`() throws {
        try tool.folder.write("hunter2\n", to: "secret.txt")
        let result = try tool.run(
            "provider", "try", "tpns", "--row", Self.row, "--set", "access_id=1500001048",
            "--secret", "secret=@secret.txt")
        result.expect(0)
        #expect(result.output.hasPrefix("> POST https://api.tpns.tencent.com/v3/push/app\n"))
        #expect(result.output.contains("\n> accessid: 1500001048\n"))
        #expect(result.output.contains(#""content":"at eight""#))
        // The signature is the real one, of 64 digits in Base64.
        let sign = result.output.split(separator: "\n").first { $0.hasPrefix("> sign: ") }
        #expect(sign?.count == "> sign: ".count + 88)
        let without = try tool.run(
            "provider", "try", "tpns", "--row", Self.row, "--set", "access_id=1500001048")
        #expect(without.output.contains("\n> sign: •••\n"))
        let basic = try tool.run(
            "provider", "try", "jpush", "--row", Self.row, "--set", "app_key=k", "--secret",
            "master=@secret.txt")
        #expect(basic.output.contains("\n> authorization: Basic •••\n"))
        let form = try tool.run(
            "provider", "try", "pushover", "--row",
            #"{"token":"uQiRzpo4DXghDmr9QzzfQu27cmVRsG","body":"b"}"#, "--secret",
            "token=@secret.txt")
        #expect(form.output.contains("\n> token=%E2%80%A2%E2%80%A2%E2%80%A2&user=uQiRz"))
        for run in [result, without, basic, form] {
            #expect(!(run.output + run.errors).contains("hunter2"))
        }
    }

    @Test func `a secret that no request could have is refused, as send does`() throws {
        try tool.folder.write("hunter2\nhunter3\n", to: "secret.txt")
        let result = try tool.run(
            "provider", "try", "ntfy", "--row", Self.row, "--secret", "token=@secret.txt")
        result.expect(
            2,
            says: "the secret token of ntfy has a line break or another control character in it",
            "stands in the header field authorization; write its value into the file")
        #expect(!result.errors.contains("hunter"))
    }

    @Test func `an answer is told what it means`() throws {
        try tool.folder.write(
            #"{"code":"80100000","msg":"{\"illegal_tokens\":[\"b\",\"z\"]}","requestId":"r1"}"#,
            to: "answer.json")
        let rows = ["a", "b"].flatMap { ["--row", #"{"token":"\#($0)","title":"t","body":"b"}"#] }
        let result = try tool.run(
            ["provider", "try", "hms", "--set", "app_id=7", "--answer", "answer.json"] + rows)
        result.expect(0)
        #expect(
            result.output.hasPrefix(
                "* the token is asked for at https://oauth-login.cloud.huawei.com/oauth2/v3/token\n"
            ))
        #expect(result.output.contains("\n> authorization: Bearer •••\n"))
        #expect(
            result.output.hasSuffix(
                """
                row 1: accepted; id r1
                row 2: unregistered; id r1; sent again: no
                * the answer names 1 token that was not sent

                """))
        let piped = try tool.run(
            ["provider", "try", "hms", "--set", "app_id=7", "--answer", "-", "--status", "503"]
                + rows,
            input: "HTTP/1.1 500 Internal Server Error\r\n\r\n<html>")
        piped.expect(0)
        #expect(piped.output.contains("\n< 503\n<\n< <html>\n"))
        #expect(piped.output.contains("\nrow 2: throttled (shared); sent again: after a delay\n"))
    }

    @Test func `a command line that makes no sense is told`() throws {
        try tool.run("provider").expect(2, says: "list, show, check or try is missing")
        try tool.run("provider", "lis").expect(2, says: "did you mean list?")
        try tool.run("provider", "show", "ntfi").expect(2, says: "did you mean ntfy?")
        try tool.run("provider", "show").expect(2, says: "show takes one name")
        try tool.run("provider", "list", "ntfy").expect(2, says: "provider show ntfy")
        try tool.run("provider", "check").expect(2, says: "provider check FILE")
        try tool.run("provider", "check", "ntfy", "--set", "a=b").expect(
            2, says: "--set goes with try only")
        try tool.run("provider", "try", "ntfy").expect(2, says: "try needs a row", "--row")
        try tool.run("provider", "try", "ntfy", "--row", "{").expect(
            2, says: "--row: ", "not valid JSON")
        try tool.run("provider", "try", "ntfy", "--row", Self.row, "--set", "ur=x")
            .expect(2, says: "ntfy has no setting ur; did you mean url?")
        try tool.run("provider", "try", "tpns", "--row", Self.row)
            .expect(2, says: "needs the setting access_id", "--set access_id=VALUE")
        try tool.run("provider", "try", "ntfy", "--row", Self.row, "--secret", "token=hunter2")
            .expect(2, says: "is a secret itself")
        try tool.run("provider", "try", "ntfy", "--row", #"{"token":"a b"}"#)
            .expect(2, says: "ntfy: token has characters that no token has")
        try tool.run("provider", "try", "ntfy", "--row", Self.row, "--secret", "token=@nowhere")
            .expect(4, says: "nowhere cannot be read")
        try tool.run("provider", "try", "ntfy", "--row", Self.row, "--answer", "nowhere")
            .expect(4, says: "nowhere cannot be read")
    }
}
