import FanfareTestSupport
import Testing

/// A message to any provider, from the command line to the wire.
@Suite struct MessageRunTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(3), to: "rows.csv")
    }

    @Test func `a message is a payload and headers`() throws {
        try tool.folder.write(
            #"{"title": "Doors open", "body": "At eight", "priority": "normal", "ttl": 0}"#,
            to: "message.json")
        let result = try tool.run(
            "push", Rows.token(1), "--provider", "simulator", "--topic", "com.example.app",
            "--message", "message.json", "--body", "At nine", "--collapse", "doors", "--verbose")
        result.expect(
            0, says: #"> {"aps":{"alert":{"title":"Doors open","body":"At nine"}}}"#,
            "> apns-priority: 5", "> apns-expiration: 0", "> apns-collapse-id: doors")
    }

    @Test func `a sample has what would be sent`() throws {
        let payload = #"{"aps":{"alert":{"title":"Hi"}},"link":"app://orders/17","order":"17"}"#
        try tool.run(
            "check", "rows.csv", "--sample", "1", "--title", "Hi", "--data", "order=17", "--link",
            "app://orders/17"
        ).expect(0, says: payload)
    }

    @Test func `what no message may have is told before anything is sent`() throws {
        let simulator = ["--provider", "simulator", "--topic", "com.example.app"]
        try tool.run(["send", "rows.csv", "--image", "http://example.com/a.jpg"] + simulator)
            .expect(2, says: "the message: image is not an https URL")
        try tool.run(["send", "rows.csv", "--title", "x", "--payload-json", "{}"] + simulator)
            .expect(2, says: "--payload-json and --title exclude each other; write one of them")
        #expect(!tool.folder.exists("fanfare-report.csv"))
    }
}
