import Fanfare
import FanfareTestSupport
import Foundation
import Testing

/// Messages to FCM over other people's HTTP/2: Hypercorn as a service, h2o and nghttpd as mere servers.
@Suite struct FCMTransportTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("ya29.hypercorn\n", to: "access-token")
    }

    private func job(
        rows: String, port: UInt16, adjust: (inout Configuration) -> Void = { _ in }
    ) throws -> TestJob {
        var provider = ProviderOptions.fcm
        provider.endpoint = Endpoint(host: "127.0.0.1", port: port)
        provider.caPEM = TestAuthority.shared.caPEM
        provider.project = "example-1"
        provider.credentials = .accessToken(file: folder.path("access-token"))
        return try TestJob(rows: rows, provider: provider, folder: folder) {
            $0.payload = .message(Message(title: "Hi {{name}}"))
            $0.guards.stopIf = []
            adjust(&$0)
        }
    }

    private func rows(_ count: Int, dead: (Int) -> Bool = { _ in false }) -> String {
        "token,name\n"
            + (1...count).map {
                "\(dead($0) ? "dead" : "good")\($0):APA91b-\(String(repeating: "x", count: 130)),Zoë \($0)\n"
            }.joined()
    }

    @Test(.enabled(if: PythonEnvironment.isAvailable, PythonEnvironment.absence))
    func `a service of Hypercorn's gets each message once, and its answers are understood`() throws
    {
        try TestAuthority.server.writePEM(to: folder.path("server.pem"))
        let (process, port) = try PythonEnvironment.serve("fcm-hypercorn", in: folder)
        defer { process.send(SIGKILL) }
        let job = try job(rows: rows(2_000) { $0 % 10 == 0 }, port: port) { $0.engine.lanes = 2 }
        job.expectAccounted(2_000)
        #expect(
            job.report.outcomes == ["accepted": 1_800, "unregistered": 200],
            """
            \(job.result.stopMessage ?? "") \(folder.text(of: "python.log"))
            \(job.report.lines.first { $0["outcome"] == "unknown" } ?? [:])
            """)
        for line in job.report.lines {
            let number = try #require(line["row"])
            #expect(line["attempts"] == "1")
            if line["outcome"] == "accepted" {
                #expect(line["message_id"] != "", "\(number)")
            }
        }
        let taken = folder.text(of: "taken").split(separator: "\n").map(String.init)
        #expect(taken.count == 2_000 && Set(taken).count == 2_000)
        #expect(taken.contains { $0.hasPrefix("good7:") && $0.hasSuffix(" Hi Zoë 7") })
    }

    @Test(.enabled(if: ServerProcess.Program.h2o.isAvailable, ServerProcess.Program.h2o.absence))
    func `messages go to h2o`() throws {
        let server = try ServerProcess(.h2o, folder: folder) { [folder] port in
            try folder.write(
                #"""
                listen:
                  host: 127.0.0.1
                  port: \#(port)
                  ssl:
                    certificate-file: server.pem
                    key-file: server.pem
                num-threads: 1
                \#(getuid() == 0 ? "user: root" : "")
                hosts:
                  default:
                    paths:
                      /:
                        mruby.handler: |
                          Proc.new do |request|
                            [200, {"content-type" => "application/json"},
                             ["{\"name\": \"projects/example-1/messages/0:1\"}"]]
                          end
                """#, to: "h2o.conf")
            return ["-c", "h2o.conf"]
        }
        let job = try job(rows: rows(3_000), port: server.port)
        job.expectAccounted(3_000)
        #expect(job.report.outcomes == ["accepted": 3_000], "\(job.result.stopMessage ?? "")")
        #expect(job.report.lines.allSatisfy { $0["attempts"] == "1" })
    }

    /// It echoes the message with 200: no name of FCM's, and the row is accepted all the same.
    @Test(
        .enabled(
            if: ServerProcess.Program.nghttpd.isAvailable, ServerProcess.Program.nghttpd.absence),
        arguments: ["1", "100"])
    func `messages go to nghttpd within its limit of streams`(streams: String) throws {
        let server = try ServerProcess(.nghttpd, folder: folder) { [folder] port in
            [
                "-a", "127.0.0.1", "-d", folder.url.path, "--echo-upload", "-m", streams,
                "\(port)", folder.path("server.pem"), folder.path("server.pem"),
            ]
        }
        let job = try job(rows: rows(500), port: server.port)
        job.expectAccounted(500)
        #expect(job.report.outcomes == ["accepted": 500], "\(job.result.stopMessage ?? "")")
        #expect(job.report.lines.allSatisfy { $0["attempts"] == "1" })
    }
}
