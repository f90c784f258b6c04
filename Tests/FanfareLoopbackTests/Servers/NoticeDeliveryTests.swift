import Fanfare
import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// Notices of the end of a job over HTTPS, to a server of Python's standard library; another implementation
/// of Standard Webhooks judges the signatures.
@Suite(.enabled(if: PythonEnvironment.isAvailable, PythonEnvironment.absence))
struct NoticeDeliveryTests {
    private static let secret = "whsec_plJ3nmyCDGBKInavdOK15jsl"
    private let tool: CommandLineTool
    private let server: ChildProcess
    private let url: String

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(20), to: "rows.csv")
        try tool.folder.write(Self.secret, to: "secret")
        try tool.folder.write(TestAuthority.shared.caPEM, to: "ca.pem")
        try TestAuthority.server.writePEM(to: tool.folder.path("server.pem"))
        let port: UInt16
        (server, port) = try PythonEnvironment.serve("notice-receiver", in: tool.folder)
        url = "https://127.0.0.1:\(port)/hooks/SECRET"
    }

    private struct Received: Decodable {
        var path: String
        var id: String
        var signed: Bool
        var body: String
    }

    private func received() throws -> [Received] {
        try tool.folder.text(of: "received").split(separator: "\n").map {
            try JSONDecoder().decode(Received.self, from: Data($0.utf8))
        }
    }

    private func send(_ arguments: String...) throws -> CommandLineTool.Result {
        defer {
            server.send(SIGKILL)
            _ = server.waitUntilExit()
        }
        return try tool.run(
            ["send", "rows.csv", "--notify", url, "--notify-secret-file", "secret"] + arguments
                + CommandLineTool.simulator)
    }

    @Test func `a receiver with an authority of its own gets the summary, signed`() throws {
        let result = try send("--ca-file", "ca.pem", "--summary", "summary.json")
        result.expect(0)
        #expect(!result.errors.contains("--notify"), "\(result.errors)")
        let notices = try received()
        // The first try was answered 503.
        try #require(notices.count == 2)
        #expect(notices.allSatisfy { $0.signed && $0.path == "/hooks/SECRET" })
        #expect(notices[0].id == notices[1].id)
        #expect(notices[1].body == tool.folder.text(of: "summary.json"))
    }

    @Test func `a receiver that nothing vouches for is told nothing`() throws {
        let result = try send()
        result.expect(0, says: "--notify: https://127.0.0.1:", "was not told")
        #expect(!result.errors.contains("SECRET"))
        #expect(!tool.folder.exists("received"))
    }
}
