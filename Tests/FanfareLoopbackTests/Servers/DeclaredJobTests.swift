import Fanfare
import FanfareTestSupport
import Foundation
import Synchronization
import Testing

/// Jobs to a service that a file describes, over HTTP/1.1 and HTTP/2.
@Suite struct DeclaredJobTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let description = """
        {"fanfare_provider": 1, "name": "acme", "settings": {"key": {"secret": true}},
         "origin": "https://push.acme.example",
         "auth": {"kind": "header", "name": "authorization", "value": "Key ${secret:key}"},
         "request": {"path": "/send/${row:token}", "headers": {"x-title": "${row:title}"},
          "body": {"to": "${row:token}", "text": "${row:text|hello}"}},
         "token": {"shape": "[a-z0-9]{1,16}"},
         "answer": {"id": "/id", "rules": [
           {"status": 200, "outcome": "accepted"},
           {"status": 401, "outcome": "failed", "job": "stop", "reason": "/error"},
           {"status": 404, "outcome": "unregistered", "reason": "/error"},
           {"status": 429, "outcome": "throttled", "retry": "later"}],
          "otherwise": {"outcome": "rejected", "reason": "/error"}}}
        """

    private static let accepted = #"{"id":"m"}"#

    private func acme(_ endpoint: Endpoint, _ change: (String) -> String = { $0 }) throws
        -> ProviderOptions
    {
        try folder.write(change(Self.description), to: "acme.json")
        try folder.write("k1\n", to: "key.txt")
        var provider = try ProviderOptions.declared(
            folder.path("acme.json"), secretFiles: ["key": folder.path("key.txt")])
        provider.endpoint = endpoint
        return provider
    }

    private func run(
        _ rows: String, to server: TextServer, adjust: (inout Configuration) -> Void = { _ in }
    ) throws -> TestJob {
        try TestJob(
            rows: rows, provider: acme(server.endpoint), folder: folder,
            adjust: {
                $0.payload = .column
                $0.engine.lanes = 1
                $0.engine.connections = 1
                adjust(&$0)
            })
    }

    private static let rows = "token,title\na1,One\nb2,Two\nc3,Three\n"

    @Test func `each row becomes the request that the file describes`() throws {
        let server = try TextServer { _, count in .answer(200, #"{"id":"m\#(count)"}"#) }
        let job = try run(Self.rows, to: server)
        job.expectAccounted(3)
        #expect(job.report.outcomes == ["accepted": 3], "\(job.result.stopMessage ?? "")")
        let first = try #require(server.requests.first)
        #expect(first.line == "POST /send/a1 HTTP/1.1")
        #expect(first.body == #"{"to":"a1","text":"hello"}"#)
        #expect(first.fields["authorization"] == "Key k1")
        #expect(first.fields["x-title"] == "One")
        #expect(first.fields["content-type"] == "application/json")
        #expect(server.requests.map(\.line).last == "POST /send/c3 HTTP/1.1")
        let line = try job.report.line(2)
        #expect(line["provider"] == "acme" && line["message_id"] == "m2" && line["status"] == "200")
        #expect(job.result.summaryJSON.contains("k1") == false)
    }

    @Test func `rows that cannot be sent say why, and the others are`() throws {
        let server = try TextServer { _, _ in .answer(200, Self.accepted) }
        let job = try run(
            "token,title,text\nA1,One,x\na1,,\na1,\"a\nb\",\na1,Good,\n", to: server)
        job.expectAccounted(4)
        #expect(
            try (1...4).map { try job.report.line($0)["reason"] } == [
                "line 2: token does not look like the provider's: [a-z0-9]{1,16}",
                "line 3: a header field has no valid value: x-title",
                "line 4: a header field has no valid value: x-title", "",
            ])
        #expect(server.requests.map(\.body) == [#"{"to":"a1","text":"hello"}"#])
        let missing = try acme(server.endpoint)
        #expect(
            throws: FanfareError.self, "a column that is needed is asked for before the first row"
        ) {
            try TestJob(rows: "token\na1\n", provider: missing, folder: folder) {
                $0.payload = .column
            }
        }
    }

    @Test func `a refused token is dead, and a row that comes too soon is sent again`() throws {
        let server = try TextServer { request, count in
            if request.body.contains("a1") { return .answer(404, #"{"error":"gone"}"#) }
            return count == 2
                ? .answer(429, fields: ["retry-after: 1"]) : .answer(200, Self.accepted)
        }
        let job = try run(Self.rows, to: server)
        job.expectAccounted(3)
        let refused = try job.report.line(1)
        #expect(refused["outcome"] == "unregistered" && refused["reason"] == "gone")
        let again = try job.report.line(2)
        #expect(again["outcome"] == "accepted" && again["attempts"] == "2")
        #expect(server.requests.count == 4)
    }

    @Test func `what is cut off behind the whole request is in doubt, and not sent again`() throws {
        let server = try TextServer { request, _ in
            request.body.contains("b2") ? .cut : .answer(200, Self.accepted)
        }
        let job = try run(Self.rows, to: server)
        job.expectAccounted(3)
        #expect(job.report.outcomes == ["accepted": 2, "unknown": 1])
        #expect(try job.report.line(2)["reason"] == "connection lost")
        #expect(server.requests.count { $0.body.contains("b2") } == 1)
    }

    @Test func `a key that is refused stops the job, which is carried on with another`() throws {
        let isOpen = Atomic(false)
        let server = try TextServer { request, _ in
            let isLate = request.body.contains("c3") && !isOpen.load(ordering: .relaxed)
            return isLate ? .answer(401, #"{"error":"no such key"}"#) : .answer(200, Self.accepted)
        }
        let first = try run(Self.rows, to: server)
        #expect(first.report.outcomes == ["accepted": 2])
        #expect(first.result.summary.stop?.answer?.reason == "no such key")
        #expect(first.result.isResumable)
        isOpen.store(true, ordering: .relaxed)
        let second = try run(Self.rows, to: server) {
            $0.report.overwrites = false
            $0.report.resumes = true
        }
        second.report.expectEveryRowOnce(3)
        #expect(second.report.outcomes == ["accepted": 3])
        #expect(
            server.requests.map { String($0.line.dropFirst(11).prefix(2)) } == [
                "a1", "b2", "c3", "c3",
            ])
    }

    @Test func `rows share requests, and each has its own line`() throws {
        let server = try TextServer { request, _ in
            let count = request.body.count { $0 == "\"" } / 2 - 3
            let results = (0..<count).map { $0 == 1 ? #"{"e":"gone"}"# : #"{"id":"m"}"# }
            return .answer(200, "{\"r\":[\(results.joined(separator: ","))]}")
        }
        try folder.write(
            #"""
            {"fanfare_provider": 1, "name": "many", "origin": "https://many.example",
             "auth": {"kind": "none"},
             "request": {"path": "/", "body": {"to": [], "text": "${row:text}"}},
             "batch": {"rows": 100, "tokens": "/to"},
             "answer": {"rules": [{"status": 200, "outcome": "accepted"}],
              "otherwise": {"outcome": "rejected"},
              "rows": {"by": "index", "list": "/r", "id": "/id",
               "rules": [{"at": "/e", "is": ["gone"], "outcome": "unregistered"}],
               "otherwise": {"outcome": "accepted"}}}}
            """#, to: "many.json")
        var provider = try ProviderOptions.declared(folder.path("many.json"))
        provider.endpoint = server.endpoint
        let rows = (1...250).map { "t\($0),hello\n" }.joined()
        let job = try TestJob(rows: "token,text\n" + rows, provider: provider, folder: folder) {
            $0.payload = .column
            $0.engine.lanes = 1
            $0.engine.connections = 1
        }
        job.expectAccounted(250)
        let requests = server.requests
        #expect((3...10).contains(requests.count), "\(requests.count)")
        #expect(
            job.report.outcomes == [
                "accepted": 250 - requests.count, "unregistered": requests.count,
            ])
        let sent = (1...250).map { row in
            requests.count { $0.body.contains("\"t\(row)\"") }
        }
        #expect(sent.allSatisfy { $0 == 1 })
    }

    @Test func `HTTP/2 is spoken where the file says so`() throws {
        let peer = try ScriptedPeer { $0.beKind() }
        var provider = try acme(peer.provider.endpoint) {
            $0.replacing(#""auth":"#, with: #""protocol": "h2", "auth":"#)
                .replacing(#""id": "/id", "#, with: "")
        }
        provider.endpoint = peer.provider.endpoint
        let job = try TestJob(rows: Self.rows, provider: provider, folder: folder) {
            $0.payload = .column
        }
        job.expectAccounted(3)
        #expect(job.report.outcomes == ["accepted": 3], "\(job.result.stopMessage ?? "")")
    }

    @Test func `rows of a job with several providers go by their word`() throws {
        let server = try TextServer { _, _ in .answer(200, Self.accepted) }
        let peer = try ScriptedPeer { $0.beKind() }
        let token = Rows.token(7)
        let acme = try acme(server.endpoint)
        let job = try TestJob(
            rows: "token,title,provider\n\(token),x,ios\na1,One,acme\nb2,Two,shop\nc3,x,\n",
            provider: peer.provider, folder: folder
        ) {
            $0.routes.append(acme)
            $0.rows.providerWords = ["shop": .declared("acme")]
        }
        job.expectAccounted(4)
        #expect(
            try (1...4).map { try job.report.line($0)["provider"] } == ["apns", "acme", "acme", ""])
        #expect(job.report.outcomes == ["accepted": 3, "invalid": 1])
        #expect(server.requests.count == 2)
    }
}
