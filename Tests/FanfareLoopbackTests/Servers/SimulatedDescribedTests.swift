import FanfareTestSupport
import Foundation
import Testing

/// `fanfare simulate` as a provider that a file describes, and `fanfare send` to it.
@Suite struct SimulatedDescribedTests {
    private let tool: CommandLineTool

    init() throws { tool = try CommandLineTool() }

    /// Starts a simulator, and waits for its address.
    private func simulate(
        _ arguments: String...
    ) throws -> (server: CommandLineTool.Run, endpoint: String) {
        let server = try tool.start(
            ["simulate", "--listen", "127.0.0.1:0"] + arguments)
        try #require(Poll.until(seconds: 60) { server.errors.contains("\n") }, "\(server.errors)")
        let line = try #require(server.errors.split(separator: "\n").first)
        return (server, String(try #require(line.split(separator: " ").last)))
    }

    @Test func `HMS is sent to with a token, and tells dead tokens from others`() throws {
        try tool.folder.write(
            #"{"rules":[{"when":{"tokenPrefix":"dead"},"then":{"outcome":"unregistered"}}]}"#,
            to: "scenario.json")
        let (server, endpoint) = try simulate(
            "--provider", "hms", "--cleartext", "--scenario", "scenario.json", "--log",
            "log.ndjson")
        #expect(server.errors.contains("simulating hms on http://127.0.0.1:"))
        let rows = (1...300).map { "\($0 % 10 == 0 ? "dead" : "live")\($0),Doors,at eight\n" }
        try tool.folder.write("token,title,body\n" + rows.joined(), to: "rows.csv")
        try tool.folder.write("s3cret\n", to: "secret.txt")
        try tool.run(
            "send", "rows.csv", "--provider", "hms", "--endpoint", endpoint, "--set",
            "app_id=10086", "--secret", "client_secret=@secret.txt"
        ).expect(0)
        let report = try tool.report()
        report.expectEveryRowOnce(300)
        #expect(report.outcomes == ["accepted": 270, "unregistered": 30])
        #expect(try report.line(10)["outcome"] == "unregistered")
        #expect(try report.line(1)["message_id"]?.isEmpty == false)
        server.process.send(SIGTERM)
        let end = server.end()
        end.expect(0, says: "1 access tokens")
        let log = tool.folder.text(of: "log.ndjson")
        #expect(log.contains(#""provider":"oauth","path":"/oauth2/v3/token""#))
        #expect(log.contains(#""provider":"hms","path":"/v1/10086/messages:send""#))
    }

    @Test func `over TLS and HTTP/2 the same file is answered`() throws {
        let (server, endpoint) = try simulate("--provider", "gotify", "--write-ca", "ca.pem")
        try tool.folder.write("token,title,body\nAabc,One,x\nAdef,Two,x\n", to: "rows.csv")
        try tool.run(
            "send", "rows.csv", "--provider", "gotify", "--set", "url=https://localhost",
            "--endpoint", endpoint, "--ca-file", "ca.pem"
        ).expect(0)
        #expect(try tool.report().outcomes == ["accepted": 2])
        server.process.send(SIGTERM)
        server.end().expect(0, says: "2 requests: 2 accepted")
    }

    @Test func `one row is pushed`() throws {
        let (server, endpoint) = try simulate(
            "--provider", "ntfy", "--cleartext", "--log", "log.ndjson")
        try tool.folder.write("tk\n", to: "secret.txt")
        let result = try tool.run(
            "push", "doors", "--provider", "ntfy", "--row", #"{"title":"Hi","body":"Open"}"#,
            "--secret", "token=@secret.txt", "--endpoint", endpoint)
        result.expect(0)
        #expect(result.output.contains(",ntfy,") && result.output.contains("accepted"))
        server.process.send(SIGTERM)
        server.end().expect(0, says: "1 requests: 1 accepted")
        #expect(tool.folder.text(of: "log.ndjson").contains(#""token":"doors""#))
    }

    @Test func `rows with URLs of their own are answered by their paths`() throws {
        try tool.folder.write(
            #"{"rules":[{"when":{"tokenPrefix":"/gone"},"then":{"outcome":"unregistered"}}]}"#,
            to: "scenario.json")
        let (server, endpoint) = try simulate(
            "--provider", "webhook", "--cleartext", "--scenario", "scenario.json")
        defer { server.process.send(SIGTERM) }
        let secret = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        try tool.folder.write(
            "endpoint,secret,payload\n\(endpoint)/in,\(secret),1\n"
                + "\(endpoint)/gone/1,\(secret),2\n",
            to: "rows.csv")
        let result = try tool.run(
            "send", "rows.csv", "--provider", "webhook", "--allow-host", "*:*",
            "--allow-private-hosts")
        result.expect(0)
        #expect(try tool.report().outcomes == ["accepted": 1, "unregistered": 1])
    }

    @Test func `what does not go together is told`() throws {
        try tool.run("simulate", "--provider", "hms", "--fcm-quota", "5").expect(
            2, says: "--fcm-quota is for APNs and FCM, and not for 'hms'")
        try tool.run("simulate", "--provider", "hms,ntfy").expect(
            2, says: "is simulated alone; name one")
        try tool.run("simulate", "--provider", "apns", "--access-token-life", "5s").expect(
            2, says: "goes with a provider that a file describes; --provider names it")
        try tool.folder.write(
            #"{"rules":[{"then":{"outcome":"rejected"}}]}"#, to: "scenario.json")
        try tool.run("simulate", "--scenario", "scenario.json").expect(
            2, says: "rules[0].then.outcome: is for providers that a file describes")
    }
}
