import Fanfare
import FanfareTestSupport
import Foundation
import Testing

/// Jobs to a service that gives out tokens, made of Python's http.server.
@Suite(.enabled(if: PythonEnvironment.isAvailable, PythonEnvironment.absence))
final class DescribedTokenJobTests {
    private let folder: TemporaryFolder
    private let process: ChildProcess
    private let port: UInt16

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("s3 &cret", to: "secret")
        (process, port) = try PythonEnvironment.serve("push-service", in: folder)
    }

    deinit { process.send(SIGKILL) }

    private func run(_ rows: String, secret: String = "s3 &cret") throws -> TestJob {
        try folder.write(secret + "\n", to: "secret.txt")
        var provider = try ProviderOptions.declared(
            "hms", settings: ["app_id": "10086"],
            secretFiles: ["client_secret": folder.path("secret.txt")])
        provider.endpoint = Endpoint(host: "127.0.0.1", port: port, usesTLS: false)
        return try TestJob(rows: rows, provider: provider, folder: folder) {
            $0.payload = .column
            $0.engine.connections = 1
            $0.engine.lanes = 1
        }
    }

    /// The requests to the service, in order.
    private func asked() -> [String] {
        folder.text(of: "asked").split(separator: "\n").map(String.init)
    }

    @Test func `a token that expires is renewed once, and no attempt counts`() throws {
        let job = try run("token,title,body\nAAAA,One,x\nBADB,Two,x\nCCCC,Three,x\n")
        job.expectAccounted(3)
        #expect(
            job.report.outcomes == ["accepted": 2, "unregistered": 1],
            "\(job.result.stopMessage ?? "") \(folder.text(of: "python.log"))")
        #expect(job.report.lines.allSatisfy { $0["attempts"] == "1" })
        #expect(try job.report.line(2)["outcome"] == "unregistered")
        let asked = asked()
        #expect(asked.count { $0.contains("/oauth2/v3/token") } == 2)
        #expect(asked.count { $0.contains("\"status\": 401") } == 1)
        #expect(asked.last?.contains("Bearer at/2+=") == true)
        // Tokens and secrets stand nowhere.
        let told = job.result.summaryJSON + folder.text(of: "report.csv")
        #expect(!told.contains("at/") && !told.contains("s3 &"))
    }

    @Test func `credentials that are refused stop the job before the first row`() throws {
        let job = try run("token,title,body\nAAAA,One,x\n", secret: "other-secret")
        let message = try #require(job.result.stopMessage)
        // The secret that the service repeats is left out.
        #expect(
            message.contains(
                "127.0.0.1 gives no access token: it answers 401 (1101); look at app_id and "
                    + "client_secret of hms, with which it is asked"))
        #expect(!message.contains("other-secret"))
        #expect(asked().count == 1)
    }
}
