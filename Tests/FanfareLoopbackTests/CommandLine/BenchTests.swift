import FanfareJSON
import FanfareTestSupport
import Foundation
import Testing

/// `bench` as a process; figures that depend on the machine's speed are not looked at.
@Suite struct BenchTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
    }

    private func json(_ name: String) throws -> JSONValue {
        var text = tool.folder.text(of: name)
        return try text.withUTF8 { try JSONValue.parse($0) }
    }

    @Test func `a load test of the simulator shows and writes its result`() throws {
        try tool.run(
            "bench", "--provider", "simulator", "--count", "500", "--in-flight", "20", "--summary",
            "bench.json", "--progress", "none"
        ).expect(0, says: "closed loop, 20 in flight", "500 answered", "response time")
        let json = try json("bench.json")
        #expect(json["schema"] == .string("fanfare-bench/1"))
        #expect(json["settings"]?["service"] == .string("simulator"))
        guard case .array(let steps) = json["steps"] else {
            Issue.record("no steps")
            return
        }
        #expect(steps.count == 1 && steps[0]["answered"] == .integer(500))
        #expect(steps[0]["statuses"]?["200"] == .integer(500))
    }

    @Test func `the result may go to standard output`() throws {
        let result = try tool.run(
            "bench", "--provider", "simulator", "--count", "10", "--rate", "1000/s", "--summary",
            "-")
        #expect(
            result.exitCode == 0 && result.output.hasPrefix("{\n  \"schema\": \"fanfare-bench/1\""))
    }

    @Test func `nothing to test, or no server there`() throws {
        try tool.run("bench").expect(2, says: "URL, or --provider simulator")
        try tool.run("bench", "https://127.0.0.1:1", "-k").expect(
            3, says: "no connection to the provider")
        try tool.run("bench", "--endpoint", "http://192.0.2.1").expect(2, says: "not encrypted")
    }

    @Test func `the page needs nothing else`() throws {
        try tool.run(
            "bench", "--provider", "simulator", "--rate", "100..300/s", "--steps", "3",
            "--duration", "100ms", "--warm-up", "0s", "--html", "bench.html", "--progress", "none"
        ).expect(0)
        let page = tool.folder.text(of: "bench.html")
        #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
        #expect(page.matches(of: /role="img"/).count == 3)
        for word in ["http:", "https:", "<script", "url(", "@import", "src=", "href="] {
            #expect(!page.contains(word), "\(word)")
        }
        try tool.run("bench", "--provider", "simulator", "--summary", "a", "--html", "a")
            .expect(2, says: "--summary and --html name the same file")
    }

    @Test func `a condition that holds ends with code 5 when all is written`() throws {
        let test = [
            "bench", "--provider", "simulator", "--count", "100", "--in-flight", "5", "--quiet",
            "--summary", "bench.json", "--html", "bench.html", "--fail-if",
        ]
        try tool.run(test + ["rate>0,p99>1h"])
            .expect(5, says: "Crossed: --fail-if rate>0; measured", "answers a second")
        #expect(try json("bench.json")["thresholds_crossed"] == .array([.string("rate>0")]))
        #expect(tool.folder.text(of: "bench.html").contains("Crossed: --fail-if rate&gt;0"))
        // A request waits for 10 s at most.
        let passed = try tool.run(test + ["p99>1h", "--fail-if", "errors>100"])
        #expect(
            passed.exitCode == 0 && !passed.errors.contains("Crossed"), "\(passed.errors)")
        #expect(try json("bench.json")["thresholds_crossed"] == .array([]))
    }

    @Test func `a bad condition is told before anything is sent`() throws {
        let test = ["bench", "--provider", "simulator", "--summary", "bench.json", "--fail-if"]
        try tool.run(test + ["p99>250"]).expect(2, says: "without a unit", "'p99>250ms'")
        try tool.run(test + ["rate<95%"]).expect(
            2, says: "--fail-if rate<95%: a closed loop asks for no rate")
        try tool.run(test + ["regression>5%"]).expect(2, says: "needs --baseline")
        #expect(!tool.folder.exists("bench.json"))
    }

    /// The place of a knee is a matter of speed: see `KneeTests`.
    @Test func `a search for the knee that finds none says so`() throws {
        try tool.folder.write(
            #"{"rules":[{"then":{"status":503,"reason":"ServiceUnavailable"}}]}"#,
            to: "scenario.json")
        try tool.run(
            "bench", "--provider", "simulator", "--simulator-scenario", "scenario.json",
            "--find-knee", "--rate", "4/s", "--p99", "10s", "--errors", "5%", "--duration", "20ms",
            "--warm-up", "0s", "--summary", "knee.json", "--progress", "none"
        ).expect(
            1, says: "Knee: Not even 1 a second keep a 99th percentile of 10.0 s and 5 % errors")
        let json = try json("knee.json")
        let knee = try #require(json["knee"])
        #expect(knee["is_complete"] == .bool(true) && knee["rate"] == .null)
        guard case .array(let steps) = json["steps"] else {
            Issue.record("no steps")
            return
        }
        // Four, two, one.
        #expect(steps.count == 3)
        #expect(steps.allSatisfy { $0["within_bounds"] == .bool(false) })
    }

    // MARK: Baseline

    /// A test whose throughput is bounded by its rate, so that it repeats itself.
    private let steady = [
        "bench", "--provider", "simulator", "--rate", "200/s", "--duration", "500ms", "--warm-up",
        "0s", "--progress", "none",
    ]

    private func baseline(throughput: String, p99: String, as name: String) throws {
        #expect(try tool.run(steady + ["--summary", "measured.json"]).exitCode == 0)
        var text = tool.folder.text(of: "measured.json")
        for (member, value) in [
            ("requests_per_second", throughput), ("cpu_us_per_request", "1000000000"),
        ] {
            text = text.replacing(
                try Regex("\"\(member)\": [0-9.]+"), with: "\"\(member)\": \(value)")
        }
        for percentile in ["p50", "p99"] {
            text = text.replacing(
                try Regex("\"\(percentile)\": [0-9.]+"), with: "\"\(percentile)\": \(p99)")
        }
        try tool.folder.write(text, to: name)
    }

    @Test func `a result that is worse than its baseline ends with code 5`() throws {
        try baseline(throughput: "100000.0", p99: "100000.0", as: "old.json")
        try tool.run(steady + ["--baseline", "old.json", "--summary", "new.json"])
            .expect(5, says: "answers/s", "regressed", "1 of 5 figures is worse")
        #expect(tool.folder.exists("new.json"))
        try tool.run(steady + ["--baseline", "old.json", "--fail-if", "regression>10%"])
            .expect(
                5, says: "10 % worse is allowed", "Crossed: --fail-if regression>10%; answers/s")
    }

    @Test func `one that is not worse ends with code 0`() throws {
        try baseline(throughput: "1.0", p99: "100000.0", as: "old.json")
        try tool.run(steady + ["--baseline", "old.json", "--max-regression", "50%"])
            .expect(0, says: "50 % worse is allowed", "No figure is worse")
    }

    @Test func `one with other settings ends with code 2 before anything is sent`() throws {
        try baseline(throughput: "1.0", p99: "100000.0", as: "old.json")
        try tool.run(steady + ["--baseline", "old.json", "--connections", "2"]).expect(
            2, says: "measured with other settings: connections 4 (now 2)")
        try tool.folder.write(#"{"schema":"fanfare.summary/1"}"#, to: "summary.json")
        try tool.run(steady + ["--baseline", "summary.json"]).expect(
            2, says: "it has the schema 'fanfare.summary/1'")
        try tool.run(steady + ["--baseline", "none.json"]).expect(
            2, says: "none.json cannot be read")
        try tool.run(steady + ["--baseline", "old.json", "--summary", "old.json"]).expect(
            2, says: "would replace old.json, which --baseline reads")
        try tool.run(steady + ["--max-regression", "3%"]).expect(
            2, says: "--max-regression needs --baseline")
    }

    @Test func `runs are kept, and compared from the sixth on`() throws {
        try tool.run(steady + ["--history", "runs"]).expect(2, says: "mkdir -p runs makes one")
        try FileManager.default.createDirectory(
            atPath: tool.folder.path("runs"), withIntermediateDirectories: true)
        try tool.run(steady + ["--history", "runs"]).expect(
            0,
            says: "0 earlier runs with these settings in runs: a run is compared once there are 5.")
        #expect(tool.folder.text(of: "runs/index.html").contains("One run with these settings"))
        // Five runs that no run is as good as, and one with other settings.
        try baseline(throughput: "100000.0", p99: "100000.0", as: "old.json")
        for number in 1...5 {
            try tool.folder.write(
                tool.folder.text(of: "old.json"),
                to: "runs/bench-2026-11-2\(number)T03-00-00.000Z.json")
        }
        let other = tool.folder.text(of: "old.json")
            .replacing("\"connections\": 4", with: "\"connections\": 5")
        try tool.folder.write(other, to: "runs/bench-2026-11-26T03-00-00.000Z.json")
        try tool.run(steady + ["--history", "runs"]).expect(
            5, says: "Compared with the median of 6 runs in runs", "answers/s", "regressed")
        try tool.folder.write("{}", to: "runs/bench-2027.json")
        try tool.folder.write("{", to: "runs/bench-2028.json")
        try tool.run(steady + ["--history", "runs"]).expect(
            5, says: "--history runs/bench-2027.json", "no schema", "this run is left out",
            "--history runs/bench-2028.json", "Compared with the median of 7 runs in runs")
    }

    @Test func `a folder of runs keeps a page that is not ours`() throws {
        try FileManager.default.createDirectory(
            atPath: tool.folder.path("runs"), withIntermediateDirectories: true)
        try tool.folder.write("<h1>My site</h1>", to: "runs/index.html")
        try tool.run(steady + ["--history", "runs"]).expect(
            4, says: "runs/index.html is not a page of earlier runs", "name another folder")
        #expect(tool.folder.text(of: "runs/index.html") == "<h1>My site</h1>")
        try tool.folder.write("", to: "file")
        try tool.run(steady + ["--history", "file"]).expect(2, says: "--history file is a file")
    }

    @Test func `each measured request has a line`() throws {
        struct Line: Decodable {
            var step: Int
            var sentAt: String
            var waitMs: Double
            var serviceMs: Double
            var responseMs: Double
            var status: Int?
            var failure: String?
        }
        try tool.run(
            "bench", "--provider", "simulator", "--count", "3000", "--in-flight", "20", "--lanes",
            "2", "--out", "requests.ndjson", "--summary", "bench.json", "--progress", "none"
        ).expect(0)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let lines = try tool.folder.text(of: "requests.ndjson").split(separator: "\n").map {
            try decoder.decode(Line.self, from: Data($0.utf8))
        }
        #expect(lines.count == 3000)
        #expect(lines.allSatisfy { $0.status == 200 && $0.failure == nil && $0.step == 1 })
        // Each is rounded to a thousandth.
        #expect(lines.allSatisfy { abs($0.waitMs + $0.serviceMs - $0.responseMs) < 0.0016 })
        #expect(lines.allSatisfy { $0.serviceMs > 0 && $0.sentAt.hasPrefix("20") })
        try tool.run(
            "bench", "--provider", "simulator", "--out", "a.json", "--summary", "a.json"
        ).expect(2, says: "--summary and --out name the same file")
    }

    @Test func `requests without room for their lines are counted`() throws {
        let full = "/dev/full"
        try #require(FileManager.default.fileExists(atPath: full))
        try tool.run(
            "bench", "--provider", "simulator", "--count", "50", "--lanes", "1", "--out", full,
            "--progress", "none"
        ).expect(4, says: "/dev/full cannot be written", "50 requests are not in it")
    }

    @Test func `a result that cannot be written is told before anything is sent`() throws {
        try tool.run("bench", "--provider", "simulator", "--summary", "nowhere/b.json")
            .expect(4, says: "nowhere/b.json cannot be written")
    }
}
