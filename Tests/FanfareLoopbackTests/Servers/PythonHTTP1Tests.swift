import Fanfare
import FanfareTestSupport
import Testing

/// Jobs over HTTP/1.1 to servers that are written in Python: Hypercorn, and http.server with chosen faults.
@Suite(.enabled(if: PythonEnvironment.isAvailable, PythonEnvironment.absence))
struct PythonHTTP1Tests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let description = """
        {"fanfare_provider": 1, "name": "acme", "origin": "https://push.acme.example",
         "auth": {"kind": "none"},
         "request": {"path": "/send/${row:token}", "body": {"to": "${row:token}"}},
         "answer": {"id": "/id", "rules": [
           {"status": 200, "at": "/id", "present": true, "outcome": "accepted"},
           {"status": 404, "outcome": "unregistered"}],
          "otherwise": {"outcome": "rejected"}}}
        """

    private func run(_ words: [String], to script: String) throws -> TestJob {
        let (process, port) = try PythonEnvironment.serve(script, in: folder)
        defer { withExtendedLifetime(process) {} }
        try folder.write(Self.description, to: "acme.json")
        var provider = try ProviderOptions.declared(folder.path("acme.json"))
        provider.endpoint = Endpoint(host: "127.0.0.1", port: port, usesTLS: false)
        return try TestJob(
            rows: "token\n" + words.map { $0 + "\n" }.joined(), provider: provider,
            folder: folder,
            adjust: {
                $0.payload = .column
                $0.engine.lanes = 1
                $0.engine.connections = 2
            })
    }

    /// The number of requests for each word.
    private var requests: [String: Int] {
        folder.text(of: "requests").split(separator: "\n").reduce(into: [:]) { count, line in
            count[String(line.prefix { $0 != " " }), default: 0] += 1
        }
    }

    @Test(arguments: [
        "plain", "early-hints", "continue", "two-interim", "chunks", "chunk-extension",
        "chunk-zeros", "trailers", "last", "until-end", "no-reason", "http-1.0",
    ])
    func `an answer that can be read in one way alone is one`(word: String) throws {
        // The next request finds the connection as it should be.
        let job = try run([word, "plain", "plain"], to: "http1-faults")
        job.expectAccounted(3)
        #expect(job.report.outcomes == ["accepted": 3], "\(job.result.stopMessage ?? "")")
        #expect(requests == [word: 1].merging(["plain": 2], uniquingKeysWith: +))
    }

    @Test(arguments: [
        "cut-body", "cut-head", "cut-at-once", "cut-interim", "two-lengths", "length-and-chunks",
        "line-feeds", "folded", "blank-before-colon", "other-protocol", "switching",
    ])
    func `any other one leaves its row in doubt, and no row is sent twice`(word: String) throws {
        let job = try run(["plain", word, "plain"], to: "http1-faults")
        job.expectAccounted(3)
        #expect(
            job.report.outcomes == ["accepted": 2, "unknown": 1], "\(job.result.stopMessage ?? "")")
        #expect(requests == [word: 1, "plain": 2])
    }

    @Test func `Hypercorn is sent to, and its connections end behind some requests`() throws {
        let words = (1...60).map { row in
            row % 10 == 0 ? "gone\(row)" : row % 3 == 0 ? "chunks\(row)" : "row\(row)"
        }
        let job = try run(words, to: "hypercorn-service")
        job.expectAccounted(60)
        #expect(job.report.outcomes["unregistered"] == 6)
        #expect(job.report.outcomes["accepted"] == 54, "\(job.report.outcomes)")
        #expect(requests == Dictionary(uniqueKeysWithValues: words.map { ($0, 1) }))
        // Each with its whole body, in HTTP/1.1.
        let lines = folder.text(of: "requests").split(separator: "\n")
        #expect(
            lines.allSatisfy { line in
                let word = line.prefix { $0 != " " }
                return line == "\(word) 1.1 \(#"{"to":""}"#.utf8.count + word.utf8.count)"
            })
    }
}
