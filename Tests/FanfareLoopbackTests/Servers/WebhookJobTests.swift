import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// Jobs whose rows bring URLs of their own, to servers in Python: the package standardwebhooks verifies the
/// signatures, one server hangs up, and one never answers.
@Suite(.enabled(if: PythonEnvironment.isAvailable, PythonEnvironment.absence))
struct WebhookJobTests {
    private let tool: CommandLineTool
    private let servers: ChildProcess
    private let port: UInt16

    /// The secret of the specification's example.
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Self.secret, to: "secret")
        (servers, port) = try PythonEnvironment.serve("webhook-receiver", in: tool.folder)
    }

    private struct Received: Decodable {
        var host: String
        var path: String?
        var id: String
        var status: Int
        var body: String?
    }

    private func received() throws -> [Received] {
        try tool.folder.text(of: "received").split(separator: "\n").map {
            try JSONDecoder().decode(Received.self, from: Data($0.utf8))
        }
    }

    private func url(_ last: Int, _ path: String) -> String {
        "http://127.0.0.\(last):\(port)\(path)"
    }

    private func write(_ urls: [String], secret: String = WebhookJobTests.secret) throws {
        let rows = urls.enumerated().map { index, url in
            "\(url),\(secret),\"{\"\"n\"\":\(index + 1)}\"\n"
        }
        try tool.folder.write("endpoint,secret,payload\n" + rows.joined(), to: "rows.csv")
    }

    private func send(_ arguments: String...) throws -> CommandLineTool.Result {
        try tool.run(
            ["send", "rows.csv", "--provider", "webhook", "--progress", "none"] + arguments)
    }

    @Test func `signatures are verified, and a row keeps its id over its attempts`() throws {
        defer { servers.send(SIGKILL) }
        try write([url(1, "/in?a=b"), url(1, "/gone"), url(1, "/busy")])
        let result = try send("--allow-host", "*:*", "--allow-private-hosts", "--lanes", "2")
        result.expect(0)
        let report = try tool.report()
        report.expectEveryRowOnce(3)
        #expect(
            try (1...3).map { try report.line($0)["outcome"] } == [
                "accepted", "unregistered", "accepted",
            ])
        #expect(try report.line(3)["attempts"] == "2")
        #expect(try report.line(1)["provider"] == "webhook")
        let received = try received()
        #expect(received.first { $0.path == "/in?a=b" }?.body == #"{"n":1}"#)
        #expect(received.allSatisfy { $0.host == "127.0.0.1:\(port)" && $0.status != 401 })
        let again = received.filter { $0.path == "/busy" }
        #expect(again.map(\.status) == [503, 204] && again[0].id == again[1].id)
        #expect(Set(received.map(\.id)).count == 3)
    }

    @Test func `one secret signs the rows that have none`() throws {
        defer { servers.send(SIGKILL) }
        try tool.folder.write(
            "endpoint,payload\n\(url(1, "/a")),{}\n\(url(1, "/b")),{}\n", to: "rows.csv")
        let result = try send(
            "--allow-host", "*:*", "--allow-private-hosts", "--secret", "signing=@secret")
        result.expect(0)
        #expect(try received().map(\.status) == [204, 204])
    }

    @Test func `another secret is refused by the host, which stops nothing`() throws {
        defer { servers.send(SIGKILL) }
        try write([url(1, "/a"), url(1, "/b")], secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
        let result = try send("--allow-host", "*:*", "--allow-private-hosts")
        result.expect(1)
        #expect(try tool.report().outcomes == ["rejected": 2])
        #expect(try received().map(\.status) == [401, 401])
    }

    @Test func `rows of hosts that hang up or say nothing hold no others up`() throws {
        defer { servers.send(SIGKILL) }
        let urls = (1...2000).map { url($0 % 3 + 1, "/\($0)") }
        try write(urls)
        _ = try send(
            "--allow-host", "*:*", "--allow-private-hosts", "--timeout", "1s", "--give-up-after",
            "3s", "--stop-if", "none")
        let report = try tool.report()
        report.expectEveryRowOnce(2000)
        for (row, url) in urls.enumerated() where url.contains("127.0.0.1:") {
            let line = try report.line(row + 1)
            #expect(line["outcome"] == "accepted", "row \(row + 1): \(line)")
        }
        let bad = report.lines.filter { $0["outcome"] != "accepted" }
        #expect(bad.allSatisfy { $0["outcome"] == "unknown" || $0["outcome"] == "failed" })
        let failed = bad.filter { $0["outcome"] == "failed" }
        #expect(failed.allSatisfy { $0["reason"]?.hasPrefix("host was given up: ") == true })
        // Few are in doubt: what a host may act on is sent one by one once it is in trouble.
        #expect(bad.count - failed.count < 100)
        // No row twice, with any outcome.
        let ids = try received().map(\.id)
        #expect(Set(ids).count == ids.count)
    }

    @Test func `hosts that are not allowed are told, and asked for nothing`() throws {
        defer { servers.send(SIGKILL) }
        try write([
            url(1, "/plain"), "https://127.0.0.1:\(port)/", "https://10.0.0.1/",
            "https://localhost:\(port)/", "https://user@hooks.example.org/",
            "https://hooks.example.org/#top", "https://other.example.org/",
            "https://hooks.example.org:8443/", url(2, "/listed"),
        ])
        let result = try send(
            "--allow-host", "hooks.example.org", "--allow-host", "127.0.0.1:*")
        result.expect(1)
        let report = try tool.report()
        report.expectEveryRowOnce(9)
        let outcomes = try (1...9).map { try report.line($0) }
        // The list has the very address, which means it.
        #expect(outcomes[0]["outcome"] == "accepted")
        #expect(
            outcomes[2]["reason"]?.hasSuffix("has an address in place of a host's name") == true)
        #expect(outcomes[4]["reason"]?.hasSuffix("has a user's name or a password") == true)
        #expect(outcomes[5]["reason"]?.hasSuffix("has a fragment") == true)
        #expect(
            outcomes[6]["reason"]?.hasSuffix(
                "names the host other.example.org, which is not allowed") == true)
        #expect(
            outcomes[7]["reason"]?.hasSuffix("names the port 8443, which is not allowed") == true)
        #expect(outcomes[8]["outcome"] == "invalid")
        #expect(try received().allSatisfy { $0.host == "127.0.0.1:\(port)" })
    }

    /// `localhost.localdomain`-like names lead to this machine in the hosts file of most systems.
    @Test func `a name that leads to a private address is refused behind the look-up`() throws {
        defer { servers.send(SIGKILL) }
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, 255)
        let own = String(
            decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try write(["https://\(own.lowercased()):\(port)/"])
        _ = try send("--allow-host", "*:*")
        let line = try tool.report().line(1)
        #expect(line["outcome"] == "failed")
        let reason = try #require(line["reason"])
        // A machine whose own name leads nowhere has nothing to refuse.
        #expect(reason.contains("it leads to ") || reason.contains("look up"), "\(reason)")
        #expect(try !tool.folder.exists("received") || received().isEmpty)
    }

    @Test func `what is killed is carried on, and no row goes twice`() throws {
        defer { servers.send(SIGKILL) }
        try write((1...3000).map { url($0 % 50 == 0 ? 2 : 1, "/\($0)") })
        let arguments = [
            "send", "rows.csv", "--provider", "webhook", "--progress", "none", "--give-up-after",
            "3s",
            "--stop-if", "none", "--allow-host", "*:*", "--allow-private-hosts",
        ]
        let run = try tool.start(arguments)
        #expect(Poll.until(seconds: 30) { (try? received().count > 300) == true })
        run.process.send(SIGKILL)
        _ = run.end()
        _ = try tool.run(arguments + ["--resume"])
        try tool.report().expectEveryRowOnce(3000)
        let ids = try received().map(\.id)
        #expect(Set(ids).count == ids.count)
    }

    @Test func `what does not go together is told before the first row`() throws {
        defer { servers.send(SIGKILL) }
        try write([url(1, "/")])
        try send("--proxy", "http://127.0.0.1:9").expect(
            2, says: "looks up where they lead to", "--allow-private-hosts leaves that to the proxy"
        )
        try send("--allow-host", "a b").expect(2, says: "is no host")
        try send("--endpoint", "http://127.0.0.1:9").expect(2, says: "has a URL in each row")
        try tool.run(
            "send", "rows.csv", "--provider", "ntfy", "--allow-host", "a.example", "--set",
            "url=http://127.0.0.1:9"
        ).expect(2, says: "is for providers whose rows have URLs of their own, and ntfy has none")
    }
}
