import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// A running job with a page.
@Suite struct PageRunTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(200_000), to: "rows.csv")
    }

    private struct Job {
        let run: CommandLineTool.Run
        let port: UInt16
        let key: String?

        /// An order as the page's script sends it, with other fields in place of its own.
        func order(
            _ body: String, host: String? = nil, origin: String? = nil, key other: String? = nil
        ) -> String {
            let host = host ?? "127.0.0.1:\(port)"
            return
                "POST /control HTTP/1.1\r\nHost: \(host)\r\nOrigin: \(origin ?? "http://\(host)")\r\n"
                + "Sec-Fetch-Site: same-origin\r\nFanfare-Control: \(other ?? key ?? "")\r\n"
                + "Content-Type: text/plain\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }

        func get(_ path: String) -> String {
            "GET \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n"
        }
    }

    private func start(_ more: String...) throws -> Job {
        let run = try tool.start(
            ["send", "rows.csv", "--rate", "1000/s", "--page", "127.0.0.1:0"] + more
                + CommandLineTool.simulator)
        let place = /page at http:\/\/127\.0\.0\.1:([0-9]+)\/(?:#control=([A-Za-z0-9_-]+))?\n/
        let isUp = Poll.until(seconds: 30) { run.errors.contains(place) }
        try #require(isUp, "\(run.errors)")
        let match = try #require(run.errors.firstMatch(of: place))
        return Job(
            run: run, port: try #require(UInt16(match.output.1)),
            key: match.output.2.map(String.init))
    }

    private func snapshot(
        _ viewer: PageClient, _ condition: ([String: Any]) -> Bool
    ) throws -> [String: Any] {
        let came = viewer.read { text in
            PageClient.messages("snapshot", in: text).last.map(condition) == true
        }
        let last = PageClient.messages("snapshot", in: viewer.text).last
        try #require(came, "\(last ?? [:])")
        return try #require(last)
    }

    @Test func `a viewer sees the job, steers it, and gets its last page`() throws {
        let job = try start(
            "--page-control", "--log", "log", "--summary", "summary.json", "--html", "page.html")
        let key = try #require(job.key)
        #expect(key.utf8.count == 43)
        let page = try PageClient.ask(job.port, job.get("/"))
        #expect(
            page.hasPrefix("HTTP/1.1 200 OK\r\n") && page.contains("default-src 'none'; script-src")
        )
        #expect(page.contains("<h1 id=\"title\"") && !page.contains(key))
        #expect(try PageClient.ask(job.port, job.get("/final")).hasPrefix("HTTP/1.1 404 "))
        let viewer = try PageClient(job.port)
        viewer.send(job.get("/events"))
        let early = try snapshot(viewer) { $0["rows"] as? Int ?? 0 > 100 }
        #expect(early["state"] as? String == "running" && early["pace"] as? String == "1000/s")
        #expect(early["share"] as? Double ?? 0 > 0)
        #expect(viewer.text.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"))
        #expect(PageClient.messages("history", in: viewer.text).count == 1)
        let isToldOfEvents = viewer.read { text in
            let names = PageClient.messages("log", in: text).compactMap { $0["event"] as? String }
            return names.contains("job_started") && names.contains("connection_opened")
        }
        #expect(isToldOfEvents)
        func order(_ body: String) throws -> String {
            try PageClient.ask(job.port, job.order(body))
        }
        #expect(try order("pause").hasSuffix("paused: nothing new starts until resume\n"))
        _ = try snapshot(viewer) { $0["state"] as? String == "paused" }
        #expect(try order("rate 2000/s").hasSuffix("\r\n\r\nthe rate is 2000/s\n"))
        _ = try snapshot(viewer) { $0["pace"] as? String == "2000/s" }
        #expect(try order("rate fcm=1/s").hasPrefix("HTTP/1.1 409 "))
        #expect(try order("resume").hasPrefix("HTTP/1.1 200 "))
        let rows = try #require(
            try snapshot(viewer) { $0["state"] as? String == "running" }["rows"] as? Int)
        _ = try snapshot(viewer) { $0["rows"] as? Int ?? 0 > rows }
        #expect(try order("stop").hasPrefix("HTTP/1.1 200 "))
        let hasEnded = viewer.read { !PageClient.messages("end", in: $0).isEmpty }
        try #require(hasEnded)
        let end = try #require(PageClient.messages("end", in: viewer.text).first)
        #expect(end["has_page"] as? Bool == true)
        #expect((end["text"] as? String)?.contains("stopped on request") == true)
        // The job is over, and waits for this.
        let last = try PageClient.ask(job.port, job.get("/final"))
        #expect(last.hasPrefix("HTTP/1.1 200 OK\r\n") && last.contains("Stopped early"))
        job.run.end().expect(130, says: "stopped on request")
        let body = try #require(last.firstRange(of: "\r\n\r\n")).upperBound
        #expect(tool.folder.text(of: "page.html") == last[body...])
        let written = job.run.errors.components(separatedBy: key).count - 1
        #expect(written == 1)
        for name in ["log", "summary.json", "page.html", "fanfare-report.csv"] {
            let text = tool.folder.text(of: name)
            #expect(!text.isEmpty && !text.contains(key), "\(name)")
        }
        #expect(!job.run.output.contains(key))
    }

    @Test func `clients that mean ill, or do it badly, get nothing, and the job goes on`() throws {
        let job = try start("--page-control")
        func status(_ request: String) throws -> Int? {
            Int(try PageClient.ask(job.port, request).dropFirst("HTTP/1.1 ".count).prefix(3))
        }
        #expect(try status(job.order("stop", host: "attacker.example:\(job.port)")) == 421)
        #expect(try status(job.order("stop", origin: "http://attacker.example")) == 403)
        #expect(try status(job.order("stop", origin: "null")) == 403)
        #expect(try status(job.order("stop", key: String(repeating: "A", count: 43))) == 403)
        #expect(try status(job.order("stop").replacing("Fanfare-Control", with: "X")) == 403)
        #expect(try status(job.get("/control")) == 405)
        #expect(try status(job.order("stop").replacing("POST", with: "OPTIONS")) == 405)
        #expect(try status(job.order(String(repeating: "x", count: 300))) == 413)
        let long = String(repeating: "a: b\r\n", count: 20_000)
        #expect(try status("GET / HTTP/1.1\r\n\(long)") == 431)
        #expect(try status("\u{16}\u{3}\u{1}\r\n\r\n") == 400)
        #expect(
            try status(
                job.get("/events").replacing("\r\n\r\n", with: "\r\nOrigin: http://x\r\n\r\n"))
                == 403)
        // A pipelined order is thrown away, and so is what is no request.
        #expect(try status(job.get("/") + job.order("stop") + "junk \u{0}\r\n\r\n") == 200)
        // An order that stops in its middle, and clients that say nothing.
        let torn = try PageClient(job.port)
        torn.send(String(job.order("stop").dropLast(2)))
        let silent = try (0..<40).map { _ in try PageClient(job.port) }
        // As many that watch, and read nothing, as are taken in.
        let watching = try (0..<16).map { _ in
            let viewer = try PageClient(job.port)
            viewer.send(job.get("/events"))
            try #require(viewer.read { $0.contains("event: history\n") })
            return viewer
        }
        // They read nothing from here on, and one of them gives up its place.
        let viewer = try PageClient(job.port)
        viewer.send(job.get("/events"))
        try #require(viewer.read { $0.contains("event: history\n") })
        let rows = PageClient.messages("snapshot", in: viewer.text).last?["rows"] as? Int ?? 0
        let later = try snapshot(viewer) { $0["rows"] as? Int ?? 0 > rows }
        #expect(later["state"] as? String == "running")
        job.run.process.send(SIGINT)
        // All stay and fetch no last page: that holds the job up for a moment only.
        job.run.end().expect(130, says: "Stopped after")
        withExtendedLifetime((torn, silent, watching)) {}
    }

    @Test func `one server has the page and the metrics, if both have one address`() throws {
        let job = try start("--metrics", "localhost:0")
        #expect(job.key == nil)
        #expect(job.run.errors.contains("metrics at http://127.0.0.1:\(job.port)/metrics\n"))
        let metrics = try PageClient.ask(job.port, job.get("/metrics"))
        #expect(metrics.hasPrefix("HTTP/1.1 200 ") && metrics.contains("fanfare_rows_total"))
        let page = try PageClient.ask(job.port, job.get("/"))
        #expect(page.hasPrefix("HTTP/1.1 200 ") && !page.contains("<button"))
        #expect(try PageClient.ask(job.port, job.order("stop")).hasPrefix("HTTP/1.1 404 "))
        job.run.process.send(SIGINT)
        job.run.end().expect(130, says: "Stopped after")
    }

    @Test func `two addresses have a server each`() throws {
        let job = try start("--metrics", "127.0.0.2:0")
        let place = /metrics at http:\/\/127\.0\.0\.2:([0-9]+)\/metrics\n/
        let isUp = Poll.until(seconds: 30) { job.run.errors.contains(place) }
        try #require(isUp, "\(job.run.errors)")
        let match = try #require(job.run.errors.firstMatch(of: place))
        let port = try #require(UInt16(match.output.1))
        func metrics(_ path: String) throws -> String {
            try PageClient.ask(port, host: 2, job.get(path))
        }
        #expect(try metrics("/metrics").hasPrefix("HTTP/1.1 200 "))
        #expect(try metrics("/").hasPrefix("HTTP/1.1 404 "))
        #expect(try PageClient.ask(job.port, job.get("/metrics")).hasPrefix("HTTP/1.1 404 "))
        job.run.process.send(SIGINT)
        job.run.end().expect(130)
    }

    @Test func `a load test has a page, too`() throws {
        let run = try tool.start([
            "bench", "--provider", "simulator", "--rate", "200..400/s", "--steps", "2",
            "--warm-up", "0s", "--duration", "300s", "--page", "127.0.0.1:0", "--progress", "none",
            "--html", "bench.html",
        ])
        let place = /page at http:\/\/127\.0\.0\.1:([0-9]+)\/\n/
        let isUp = Poll.until(seconds: 30) { run.errors.contains(place) }
        try #require(isUp, "\(run.errors)")
        let match = try #require(run.errors.firstMatch(of: place))
        let job = Job(run: run, port: try #require(UInt16(match.output.1)), key: nil)
        #expect(try PageClient.ask(job.port, job.get("/")).contains("Load test of simulator"))
        let viewer = try PageClient(job.port)
        viewer.send(job.get("/events"))
        let moment = try snapshot(viewer) { $0["rows"] as? Int ?? 0 > 100 }
        #expect(moment["step"] as? String == "1 of 2" && moment["step_load"] as? String == "200/s")
        #expect(moment["share"] as? Double ?? 0 > 0 && moment["left"] as? Double ?? 0 > 1)
        run.process.send(SIGINT)
        let hasEnded = viewer.read { !PageClient.messages("end", in: $0).isEmpty }
        try #require(hasEnded)
        let last = try PageClient.ask(job.port, job.get("/final"))
        run.end().expect(130)
        let body = try #require(last.firstRange(of: "\r\n\r\n")).upperBound
        #expect(tool.folder.text(of: "bench.html") == last[body...])
    }

    @Test func `what cannot be had, or would be unsafe, is told before anything is written`() throws
    {
        func send(_ arguments: String...) throws -> CommandLineTool.Result {
            try tool.run(
                ["send", "rows.csv", "--report", "other.csv"] + arguments
                    + CommandLineTool.simulator)
        }
        try send("--page-control").expect(2, says: "--page-control needs --page as well")
        try send("--page-host", "jobs.example")
            .expect(2, says: "--page-host needs --page or --metrics as well")
        try send("--page", "0.0.0.0:0", "--page-control")
            .expect(2, says: "--page 0.0.0.0:0: --page-control needs a loopback address")
        try send("--page", "no.such.host:1").expect(2, says: "no.such.host is not an address")
        try send("--page", "9464").expect(2, says: "127.0.0.1:9464")
        #expect(!tool.folder.exists("other.csv"))
    }
}
