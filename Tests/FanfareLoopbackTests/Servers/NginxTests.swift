import Fanfare
import FanfareCore
import FanfareTestSupport
import Testing

/// nginx: an implementation of HTTP/2 that shares no line with ours, and the usual gateway.
@Suite(.enabled(if: ServerProcess.Program.nginx.isAvailable, ServerProcess.Program.nginx.absence))
struct NginxTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `an empty answer of 200 is accepted`() throws {
        let nginx = try Nginx(folder: folder)
        let job = try TestJob(rows: Rows.csv(5_000), provider: nginx.provider, folder: folder)
        job.expectAccounted(5_000)
        #expect(job.report.outcomes == ["accepted": 5_000])
        #expect(nginx.requests().count == 5_000)
    }

    // MARK: Statuses

    /// The server's answers to tokens with a prefix, and the outcomes that they must have.
    private static let answers: [(prefix: String, status: Int, reason: String, outcome: String)] = [
        ("a0", 200, "", "accepted"),
        ("a1", 400, "BadDeviceToken", "suspect"),
        ("a2", 410, "Unregistered", "unregistered"),
        ("a3", 413, "PayloadTooLarge", "rejected"),
        ("a4", 429, "TooManyRequests", "throttled"),
        ("a5", 500, "InternalServerError", "failed"),
        ("a6", 503, "ServiceUnavailable", "failed"),
        ("a7", 404, "BadPath", "rejected"),
    ]

    private static let answerLocations =
        answers.map { answer in
            let time = answer.status == 410 ? #","timestamp":1700000000123"# : ""
            let body =
                answer.status == 200 ? "" : #" '{"reason":"\#(answer.reason)"\#(time)}'"#
            return "location /3/device/\(answer.prefix) { return \(answer.status)\(body); }"
        }.joined(separator: "\n") + "\nlocation / { return 418; }"

    @Test func `each status and reason leads to its outcome`() throws {
        let nginx = try Nginx(folder: folder, locations: Self.answerLocations)
        let count = 250 * Self.answers.count
        let rows = Rows.csv(count) { Self.answers[$0 % Self.answers.count].prefix }
        let job = try TestJob(rows: rows, provider: nginx.provider, folder: folder) {
            $0.engine.attemptsMax = 2
        }
        job.expectAccounted(count)
        #expect(
            job.report.outcomes == [
                "accepted": 250, "suspect": 250, "unregistered": 250, "rejected": 500,
                "throttled": 250, "failed": 500,
            ])
        #expect(job.result.exitCode == 1)
        for (place, answer) in Self.answers.enumerated() {
            let line = try job.report.line(Self.answers.count + place)
            #expect(line["outcome"] == answer.outcome)
            #expect(line["status"] == String(answer.status))
            #expect(line["reason"] == answer.reason)
            let isTransient = answer.status == 429 || answer.status >= 500
            #expect(line["attempts"] == (isTransient ? "2" : "1"))
            #expect(
                line["unregistered_at"] == (answer.status == 410 ? "2023-11-14T22:13:20.123Z" : ""))
        }
        let requests = nginx.requests()
        #expect(requests.values.reduce(0, +) == count + 750, "750 rows were tried twice")
    }

    @Test func `a refused credential stops the job and burns no rows`() throws {
        let nginx = try Nginx(
            folder: folder,
            locations: """
                location /3/device/f { return 403 '{"reason":"InvalidProviderToken"}'; }
                location / { return 200; }
                """)
        let rows = Rows.csv(5_000) { $0 == 3_000 ? "f" : "" }
        let job = try TestJob(rows: rows, provider: nginx.provider, folder: folder)
        #expect(job.result.exitCode == 3)
        let message = try #require(job.result.stopMessage)
        #expect(message.contains("403 InvalidProviderToken"))
        #expect(message.contains("row 3000"))
        // All that was reported was accepted, and all that was accepted is reported.
        #expect(job.report.outcomes == ["accepted": job.report.lines.count])
        let accepted = nginx.requests().filter { $0.key.status == "200" }
        #expect(Set(accepted.map(\.key.token)) == Set(job.report.lines.compactMap { $0["token"] }))
        #expect(accepted.values.allSatisfy { $0 == 1 })
    }

    @Test func `a refusal that is not the provider's own is tried again`() throws {
        // A page of HTML comes from something in between, and is no verdict on the credential.
        let nginx = try Nginx(folder: folder, locations: "location / { return 403; }")
        let job = try TestJob(rows: Rows.csv(100), provider: nginx.provider, folder: folder) {
            $0.engine.attemptsMax = 2
        }
        job.expectAccounted(100)
        #expect(job.report.outcomes == ["failed": 100])
        #expect(job.result.exitCode == 1)
    }

    // MARK: Connections that end

    @Test(arguments: [1_000, 100, 7, 1])
    func `a server that closes after so many requests loses and repeats nothing`(
        requests limit: Int
    ) throws {
        let count = limit < 10 ? 500 : 5_000
        let nginx = try Nginx(folder: folder, "keepalive_requests \(limit);")
        let job = try TestJob(rows: Rows.csv(count), provider: nginx.provider, folder: folder)
        job.expectAccounted(count)
        #expect(job.report.outcomes == ["accepted": count])
        let requests = nginx.requests()
        #expect(requests.count == count)
        #expect(
            requests.values.allSatisfy { $0 == 1 }, "rows sent twice: \(requests.values.max()!)")
    }

    @Test func `a server that dies for good ends the job with all rows accounted for`() throws {
        let nginx = try Nginx(folder: folder)
        let server = nginx.server
        nonisolated(unsafe) var victim: ServerProcess? = server
        let job = try TestJob(
            rows: Rows.csv(200_000), provider: nginx.provider, folder: folder, secondsMax: 110,
            meanwhile: { job in
                guard job.progress.finished > 1_000 else { return }
                // Not killed: the log has to have all that was answered.
                victim?.shutDown()
                victim = nil
            })
        #expect(job.result.exitCode == 3)
        #expect(job.result.stopMessage?.contains("connection refused") == true)
        // Each reported row has a definite answer or is in doubt; the rest is left for another
        // time.
        let outcomes = job.report.outcomes
        #expect(Set(outcomes.keys).isSubset(of: ["accepted", "unknown"]))
        #expect(job.result.rowsRead == UInt64(job.report.lines.count))
        #expect(Set(job.report.rows).count == job.report.lines.count)
        #expect(job.report.lines.count < 200_000)
        let requests = nginx.requests()
        let accepted = job.report.lines.filter { $0["outcome"] == "accepted" }
        let known = Set(requests.keys.map(\.token))
        #expect(accepted.allSatisfy { known.contains($0["token"] ?? "") })
        // A request that reached the server is reported: as accepted, or as in doubt.
        #expect(known.isSubset(of: Set(job.report.lines.compactMap { $0["token"] })))
        #expect(requests.values.allSatisfy { $0 == 1 })
    }

    // MARK: Headers

    @Test(arguments: [(1, 100), (4, 1_000), (7, 4_000)])
    func `answers with large header blocks are understood`(fields: Int, bytes: Int) throws {
        // 28,000 bytes are more than a frame holds, and less than our limit of 32 KiB.
        let value = String(repeating: "v", count: bytes)
        let headers = (0..<fields).map { "add_header x-large-\($0) \(value) always;" }
        let nginx = try Nginx(folder: folder, headers.joined(separator: "\n"))
        let job = try TestJob(rows: Rows.csv(1_000), provider: nginx.provider, folder: folder)
        job.expectAccounted(1_000)
        #expect(job.report.outcomes == ["accepted": 1_000])
    }

    @Test func `an answer with too large a header block is in doubt`() throws {
        // The provider has done something; what it said was too long to be listened to.
        let value = String(repeating: "v", count: 4_000)
        let headers = (0..<9).map { "add_header x-large-\($0) \(value) always;" }
        let nginx = try Nginx(folder: folder, headers.joined(separator: "\n"))
        let job = try TestJob(rows: Rows.csv(10), provider: nginx.provider, folder: folder)
        job.expectAccounted(10)
        #expect(job.report.outcomes == ["unknown": 10])
        #expect(job.result.exitCode == 1)
        #expect(nginx.requests().values.allSatisfy { $0 == 1 }, "in doubt is not sent again")
    }

    // MARK: TLS

    @Test(arguments: ["TLSv1.2", "TLSv1.3"])
    func `each version of TLS that APNs takes works alone`(version: String) throws {
        let nginx = try Nginx(folder: folder, "ssl_protocols \(version);")
        let job = try TestJob(rows: Rows.csv(1_000), provider: nginx.provider, folder: folder)
        job.expectAccounted(1_000)
        #expect(job.report.outcomes == ["accepted": 1_000])
    }

    @Test func `a server without HTTP2 is refused by name`() throws {
        let nginx = try Nginx(folder: folder)
        let other = try ServerProcess(.nginx, folder: try TemporaryFolder()) { [folder] port in
            let text = folder.text(of: "nginx.conf")
                .replacing(":\(nginx.server.port) ssl http2", with: ":\(port) ssl")
            try folder.write(text, to: "http1.conf")
            return ["-p", folder.url.path, "-c", folder.path("http1.conf")]
        }
        let job = try TestJob(rows: Rows.csv(10), provider: other.provider, folder: folder)
        #expect(job.result.exitCode == 3)
        #expect(job.result.stopMessage?.contains("does not speak HTTP/2") == true)
        #expect(job.report.lines.isEmpty)
    }
}
