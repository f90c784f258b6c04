import Fanfare
import FanfareTestSupport
import Foundation
import Testing

/// Jobs whose rows name their hosts, to servers inside the process.
@Suite struct HostJobTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let description = """
        {"fanfare_provider": 1, "name": "hook",
         "origin": {"column": "url", "allow_hosts": ["127.0.0.1:*"]}, "auth": {"kind": "none"},
         "request": {"body": {"n": "${row:n}"}},
         "answer": {"rules": [
           {"status": 200, "outcome": "accepted"},
           {"status": 401, "outcome": "failed", "job": "stop", "reason": "/error"},
           {"status": 404, "outcome": "suspect"},
           {"status": 429, "outcome": "throttled", "retry": "later", "reason": "/error"}],
          "otherwise": {"outcome": "rejected"}}}
        """

    private func run(
        _ rows: String, _ change: (inout ProviderOptions) -> Void = { _ in },
        adjust: (inout Configuration) -> Void = { _ in }
    ) throws -> TestJob {
        try folder.write(Self.description, to: "hook.json")
        var provider = try ProviderOptions.declared(folder.path("hook.json"))
        change(&provider)
        return try TestJob(rows: rows, provider: provider, folder: folder) {
            $0.payload = .column
            $0.engine.lanes = 1
            adjust(&$0)
        }
    }

    private func url(_ server: TextServer, host: String = "127.0.0.1") -> String {
        "http://\(host):\(server.endpoint.port)/in"
    }

    @Test func `an answer about all rows gives up its host, and not the job`() throws {
        let refusing = try TextServer { _, _ in .answer(401, #"{"error":"no such key"}"#) }
        let good = try TextServer { _, _ in .answer(200) }
        let urls = [url(refusing), url(good), url(refusing), url(good), url(refusing), url(good)]
        let rows = urls.enumerated().map { "\($1),\($0)\n" }.joined()
        let job = try run("url,n\n" + rows)
        job.expectAccounted(6)
        #expect(job.report.outcomes == ["accepted": 3, "failed": 3])
        #expect(job.result.stopMessage == nil)
        #expect(refusing.requests.count == 1)
        #expect(good.requests.count == 3)
        #expect(try job.report.line(1)["reason"] == "no such key")
        #expect(
            try job.report.line(3)["reason"]
                == "host was given up: the provider answered 401 no such key to row 1")
    }

    @Test func `a host that asks for a long wait keeps no place`() throws {
        let busy = try TextServer { _, _ in
            .answer(429, #"{"error":"slow down"}"#, fields: ["retry-after: 3600"])
        }
        let good = try TextServer { _, _ in .answer(200) }
        let urls = [url(busy), url(busy), url(busy), url(good), url(busy)]
        let rows = urls.enumerated().map { "\($1),\($0)\n" }.joined()
        // With four connections there is one place.
        let job = try run("url,n\n" + rows) { _ in
        } adjust: {
            $0.engine.connections = 4
        }
        job.expectAccounted(5)
        #expect(job.report.outcomes == ["accepted": 1, "throttled": 4])
        #expect(busy.requests.count == 1)
        #expect(try job.report.line(1)["reason"] == "slow down")
        for row in [2, 3, 5] {
            #expect(
                try job.report.line(row)["reason"]
                    == "host was given up: it answers 429 and asks for a wait of 1 h 00 min")
        }
    }

    @Test func `a host that waits gives its connection to others, and comes back`() throws {
        let busy = try TextServer { _, count in
            count == 1 ? .answer(429, fields: ["retry-after: 1"]) : .answer(200)
        }
        let good = try TextServer { _, _ in
            #expect(busy.requests.count == 1)
            return .answer(200)
        }
        let job = try run("url,n\n\(url(busy)),1\n\(url(good)),2\n\(url(good)),3\n") { _ in
        } adjust: {
            $0.engine.connections = 1
        }
        job.expectAccounted(3)
        #expect(job.report.outcomes == ["accepted": 3])
        #expect(busy.requests.count == 2)
    }

    @Test func `one host's outcomes stop no other's rows, unless the job says so`() throws {
        let bad = try TextServer { _, _ in .answer(404) }
        let good = try TextServer { _, _ in .answer(200) }
        let urls = Array(repeating: url(bad), count: 150) + Array(repeating: url(good), count: 20)
        let rows = "url,n\n" + urls.enumerated().map { "\($1),\($0)\n" }.joined()
        let job = try run(rows)
        job.expectAccounted(170)
        #expect(job.result.stopMessage == nil)
        #expect(job.report.outcomes["accepted"] == 20)
        let stopped = try run(rows) { _ in
        } adjust: {
            $0.guards.stopIf = [.wrongEnvironment]
        }
        #expect(stopped.result.exitCode == 3)
        #expect(stopped.result.stopMessage?.contains("suspect>50%") == true)
    }

    @Test func `the hosts of a job stand in place of those of the file`() throws {
        let server = try TextServer { _, _ in .answer(200) }
        let job = try run("url,n\n\(url(server)),1\n") {
            $0.allowedHosts = ["hooks.example.org"]
        }
        job.expectAccounted(1)
        #expect(
            try job.report.line(1)["reason"] == "line 2: URL is not one to send to: it is not https"
        )
        #expect(server.requests.isEmpty)
        #expect(throws: FanfareError.self) {
            try run("url,n\n\(url(server)),1\n") { $0.allowedHosts = ["a b"] }
        }
    }

    @Test func `this machine is asked by name where private hosts are allowed`() throws {
        let server = try TextServer { _, _ in .answer(200) }
        let rows = "url,n\n\(url(server, host: "localhost")),1\n"
        let refused = try run(rows) { $0.allowedHosts = ["*:*"] }
        #expect(refused.report.outcomes == ["invalid": 1])
        let allowed = try run(rows) {
            $0.allowedHosts = ["*:*"]
            $0.allowsPrivateHosts = true
        }
        #expect(allowed.report.outcomes == ["accepted": 1])
        #expect(server.requests.map(\.line) == ["POST /in HTTP/1.1"])
    }
}
