import FanfareBase
import FanfareCore
import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// Real processes that share a job over a real PostgreSQL server, against a provider that notes every request.
///
/// Each test has a server and a provider of its own. Jobs have a rate where something is to happen in their midst.
@Suite(.enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct ClusterTests {
    private let tool: CommandLineTool
    private let engine: PostgresServer
    private let provider: NotingProvider

    init() throws {
        tool = try CommandLineTool()
        engine = try PostgresServer()
        provider = try NotingProvider(in: tool.folder)
        try tool.run("cluster", "init", engine.address).expect(0)
    }

    private func rows(_ count: Int) throws {
        try tool.folder.write(Rows.csv(count), to: "rows.csv")
    }

    private func start(
        _ worker: String, at ruled: String? = nil, _ options: String...
    ) throws -> CommandLineTool.Run {
        try tool.start(
            [
                "send", "rows.csv", "--cluster", engine.address, "--job", "july", "--worker",
                worker, "--endpoint", ruled ?? provider.endpoint, "--topic", "com.example.app",
                "--alert",
                "hi",
                "--connections", "2", "--report", "\(worker).csv", "--progress", "none",
            ] + options)
    }

    /// The rest of a job whose midst was of interest.
    private func hurry() throws {
        try tool.run("cluster", "rate", engine.address, "1000000/s", "--job", "july").expect(0)
    }

    /// The number of requests for each row that the provider has seen.
    private func requests(_ count: Int) throws -> [Int] {
        var requests = Array(repeating: 0, count: count + 1)
        for (row, number) in try provider.requests() { requests[row] = number }
        return requests
    }

    /// The outcomes of the rows in some workers' reports; each row has one line in all of them.
    private func outcomes(_ workers: [String]) throws -> [UInt64: [String]] {
        var outcomes: [UInt64: [String]] = [:]
        for worker in workers {
            for line in tool.folder.text(of: "\(worker).csv").split(separator: "\n").dropFirst() {
                let fields = line.split(separator: ",", omittingEmptySubsequences: false)
                let row = try #require(UInt64(fields[0]))
                outcomes[row, default: []].append(
                    fields.contains("worker lost") ? "lost" : String(line))
            }
        }
        return outcomes
    }

    @Test func `two workers send each row once`() throws {
        let count = 20_000
        try rows(count)
        let workers = try ["a", "b"].map { try start($0) }
        for worker in workers { worker.end(seconds: 60).expect(0) }
        let requests = try requests(count)
        #expect(requests[1...].allSatisfy { $0 == 1 })
        let outcomes = try outcomes(["a", "b"])
        #expect(outcomes.count == count)
        #expect(outcomes.values.allSatisfy { $0.count == 1 })
        #expect(
            try engine.query("SELECT state, cut_rows FROM fanfare.jobs") == "finished|\(count)")
        // On a busy machine one may be done before the other has begun.
        #expect(try engine.query("SELECT sum(lines) FROM fanfare.workers") == "\(count)")
    }

    @Test func `a killed worker's rows go on, and it loses nothing when it comes back`() throws {
        let count = 20_000
        try rows(count)
        let (a, b) = (try start("a", "--rate", "1000/s"), try start("b", "--rate", "1000/s"))
        let isUnderWay = Poll.until(seconds: 30) {
            ((try? engine.query(
                "SELECT count(*) FROM fanfare.workers WHERE lines > 100 AND name IN ('a', 'b')"))
                ?? "") == "2"
        }
        #expect(isUnderWay)
        b.process.send(SIGKILL)
        _ = b.end()
        // It comes back in its folder, and settles what it was granted.
        let again = try start("b", "--rate", "1000/s")
        try hurry()
        a.end(seconds: 60).expect(0)
        let last = again.end(seconds: 60)
        // Rows that were in flight when it was killed are in doubt.
        #expect([0, 1].contains(last.exitCode), "\(last.errors)")
        let requests = try requests(count)
        #expect(requests.allSatisfy { $0 <= 1 })
        let outcomes = try outcomes(["a", "b"])
        #expect(outcomes.count == count)
        #expect(outcomes.values.allSatisfy { $0.count == 1 && $0[0] != "lost" })
    }

    @Test func `a worker that leaves gives back what it did not send`() throws {
        let count = 20_000
        try rows(count)
        let (a, b) = (try start("a", "--rate", "1000/s"), try start("b", "--rate", "1000/s"))
        let isUnderWay = Poll.until(seconds: 30) {
            ((try? engine.query("SELECT count(*) FROM fanfare.workers WHERE lines > 100")) ?? "")
                == "2"
        }
        #expect(isUnderWay)
        b.process.send(SIGTERM)
        #expect(b.end().exitCode == 143)
        try hurry()
        a.end(seconds: 60).expect(0)
        #expect(try requests(count)[1...].allSatisfy { $0 == 1 })
        let outcomes = try outcomes(["a", "b"])
        #expect(outcomes.count == count && outcomes.values.allSatisfy { $0.count == 1 })
    }

    @Test func `a worker with another file leaves before the first row that differs`() throws {
        let count = 20_000
        try rows(count)
        let a = try start("a", "--rate", "1000/s")
        let isUnderWay = Poll.until(seconds: 30) {
            (try? engine.query("SELECT state FROM fanfare.jobs")) == "running"
        }
        #expect(isUnderWay)
        // The name is the same, and the length, so only the checksum of its part says that it is another file.
        let folder = try TemporaryFolder()
        let text = Rows.csv(count)
        try folder.write(String(text.dropLast(2)) + "f\n", to: "rows.csv")
        let output = folder.path("b.out")
        let b = try ChildProcess(
            CommandLineTool.path,
            [
                "send", "rows.csv", "--cluster", engine.address, "--job", "july", "--worker", "b",
                "--endpoint", provider.endpoint, "--topic", "com.example.app", "--alert", "hi",
                "--connections", "2", "--rate", "1000/s", "--report", "b.csv", "--progress", "none",
            ], output: output, errors: output, directory: folder.path)
        let status = b.waitUntilExit(seconds: 60)
        let said = folder.text(of: "b.out")
        #expect(status == 4 && said.contains("this machine's input has other bytes"), "\(said)")
        try hurry()
        a.end(seconds: 60).expect(0)
        #expect(try requests(count)[1...].allSatisfy { $0 == 1 })
    }

    @Test func `the server is killed and comes back, and no row is sent twice`() throws {
        let count = 20_000
        try rows(count)
        let workers = try ["a", "b"].map { try start($0, "--rate", "4000/s") }
        let isUnderWay = Poll.until(seconds: 30) {
            ((try? engine.query("SELECT sum(lines) > 5000 FROM fanfare.workers")) ?? "") == "t"
        }
        #expect(isUnderWay)
        try engine.stop("immediate")
        try engine.start()
        for worker in workers { worker.end(seconds: 60).expect(0) }
        #expect(try requests(count)[1...].allSatisfy { $0 == 1 })
        #expect(try outcomes(["a", "b"]).count == count)
    }

    @Test func `orders reach all workers`() throws {
        let count = 30_000
        try rows(count)
        let workers = try ["a", "b"].map { try start($0, "--rate", "2000/s") }
        let isUnderWay = Poll.until(seconds: 30) {
            ((try? engine.query("SELECT sum(lines) > 2000 FROM fanfare.workers")) ?? "") == "t"
        }
        #expect(isUnderWay)
        try tool.run("cluster", "pause", engine.address, "--job", "july").expect(0)
        try tool.run("cluster", "rate", engine.address, "1000000/s", "--job", "july").expect(0)
        let status = try tool.run("cluster", "status", engine.address, "--job", "july", "--json")
        #expect(status.exitCode == 0 && status.output.contains(#""paused": true"#), "\(status)")
        try tool.run("cluster", "resume", engine.address, "--job", "july").expect(0)
        try tool.run("cluster", "stop", engine.address, "--job", "july").expect(0)
        for worker in workers { #expect([0, 130].contains(worker.end(seconds: 60).exitCode)) }
    }

    @Test func `what cannot be shared is refused`() throws {
        try rows(10)
        try start("a", "--ordered").end().expect(2, says: "fanfare report puts")
        try start("a", "--delivery", "at-least-once").end().expect(2, says: "at most once")
        try start("a", "--deduplicate", "first").end().expect(2, says: "duplicates")
        try start("a", "--report", "none").end().expect(2)
        // Faults of the inputs, and of other files, are found after the server was asked for the job.
        try start("a", "--unregistered", "rows.csv").end().expect(2)
        try start("a", "--payload", "missing.json").end().expect(2)
        try tool.folder.write("[]", to: "dead.csv")
        try start("a", "--unregistered", "dead.csv").end().expect(2, says: "exists already")
        try tool.folder.write("[{\"token\":\"aa\"}]", to: "rows.csv")
        try start("a", "--format", "ndjson").end().expect(2, says: "is a JSON array")
        #expect(try engine.query("SELECT count(*) FROM fanfare.jobs") == "0")
        #expect(!FileManager.default.fileExists(atPath: tool.folder.path("a.csv")))
        let password = try tool.run(
            "send", "rows.csv", "--cluster", "postgresql://me:secret@db/push", "--job", "july")
        password.expect(2, says: "PGPASSFILE")
        #expect(!password.errors.contains("secret"))
    }

    /// A provider that answers as a rule of a scenario says, and else accepts.
    private func provider(_ rule: String) throws -> NotingProvider {
        provider.stop()
        return try NotingProvider(in: tool.folder, log: "ruled.ndjson", rule: rule)
    }

    /// Each tenth row has a payload that the provider rejects.
    private static let eachTenthIsBad =
        #"{"when":{"everyNth":10},"then":{"status":400,"reason":"PayloadEmpty"}}"#

    private func rejected(_ workers: [String]) -> [Int] {
        workers.map { worker in
            tool.folder.text(of: "\(worker).csv").split(separator: "\n")
                .count { $0.contains(",rejected,") }
        }
    }

    @Test func `a number of failures stops all workers when all together have it`() throws {
        try rows(40_000)
        let server = try provider(Self.eachTenthIsBad)
        defer { server.stop() }
        func start(_ worker: String) throws -> CommandLineTool.Run {
            try self.start(
                worker, at: server.endpoint, "--rate", "1000/s", "--stop-if", "rejected>600")
        }
        var workers = try ["a", "b"].map { try start($0) }
        let ends = workers.map { $0.end(seconds: 60) }
        #expect(ends.map(\.exitCode) == [3, 3], "\(ends.map(\.errors))")
        let messages = ends.map { $0.errors.replacing("\n", with: " ") }
        #expect(messages.contains { $0.contains("--stop-if rejected>600") }, "\(messages)")
        #expect(try engine.query("SELECT verdict FROM fanfare.jobs") == "outcomes")
        // Both have a part of them, and stop within two beats and what lanes have.
        let rejected = rejected(["a", "b"])
        #expect(rejected.allSatisfy { $0 > 0 }, "\(rejected)")
        #expect((601...1_300).contains(rejected[0] + rejected[1]), "\(rejected)")

        // Going on counts anew.
        try tool.run("cluster", "resume", engine.address, "--job", "july").expect(0)
        workers = try ["a", "b"].map { try start($0) }
        #expect(workers.map { $0.end(seconds: 60).exitCode } == [3, 3])
        let more = self.rejected(["a", "b"]).reduce(0, +) - rejected.reduce(0, +)
        #expect((601...1_300).contains(more), "\(more)")
    }

    @Test func `a job that goes on in the midst of a stop counts anew`() throws {
        try rows(40_000)
        let server = try provider(Self.eachTenthIsBad)
        defer { server.stop() }
        func start(_ worker: String) throws -> CommandLineTool.Run {
            try self.start(
                worker, at: server.endpoint, "--rate", "2000/s", "--stop-if", "rejected>500")
        }
        var workers = try ["a", "b"].map { try start($0) }
        let isStopping = Poll.until(seconds: 60) {
            ((try? engine.query("SELECT verdict FROM fanfare.jobs")) ?? "") == "outcomes"
        }
        #expect(isStopping)
        // Rows rejected from here to the order may count for either stop.
        let before = rejected(["a", "b"]).reduce(0, +)
        // Workers wait for their last answers, and one of the two may be about to stop the job, too.
        try tool.run("cluster", "resume", engine.address, "--job", "july").expect(0)
        for worker in workers { #expect([0, 3].contains(worker.end(seconds: 60).exitCode)) }
        workers = try ["a", "b"].map { try start($0) }
        for worker in workers { _ = worker.end(seconds: 60) }
        let more = rejected(["a", "b"]).reduce(0, +) - before
        #expect(more > 500, "\(before), and \(more) more")
    }

    @Test func `a worker that is started again goes on counting for all`() throws {
        try rows(20_000)
        let server = try provider(Self.eachTenthIsBad)
        defer { server.stop() }
        func start() throws -> CommandLineTool.Run {
            try self.start(
                "a", at: server.endpoint, "--rate", "1000/s", "--stop-if", "rejected>400")
        }
        let first = try start()
        let isUnderWay = Poll.until(seconds: 60) {
            ((try? engine.query("SELECT lines >= 3400 FROM fanfare.workers")) ?? "") == "t"
        }
        #expect(isUnderWay)
        first.process.send(SIGKILL)
        _ = first.end()
        let last = try start().end(seconds: 60)
        #expect(last.exitCode == 3, "\(last.errors)")
        // It has told some 340 before; without them it would have stopped after 740. At the kill it may lose a few that it had
        // counted, and not written yet: those of less than half a second.
        let rejected = rejected(["a"])[0]
        #expect((351...700).contains(rejected), "\(rejected)")
    }

    @Test func `all workers keep the time that a provider asks one of them for`() throws {
        // Rows that follow each other are asked to come again. One alone would hold up no other row. With two on their way at a time
        // no late answer of another one comes between, on a busy machine either.
        let (count, refused) = (2_600, 2_097...2_104)
        try tool.folder.write(
            Rows.csv(count) { refused ~= $0 ? "beef" : "" }, to: "rows.csv")
        let server = try provider(
            #"{"when":{"tokenPrefix":"beef","attempt":1},"then":{"status":503,"reason":"ServiceUnavailable","retryAfter":6}}"#
        )
        defer { server.stop() }
        let workers = try ["a", "b"].map {
            try start(
                $0, at: server.endpoint, "--rate", "1000/s", "--log", "\($0).log", "--lanes", "1",
                "--streams", "1")
        }
        for worker in workers { worker.end(seconds: 90).expect(0) }
        server.stop()
        var times: [Int] = []
        for line in tool.folder.text(of: "ruled.ndjson").split(separator: "\n") {
            times.append(Int(try #require(line.firstMatch(of: /"time":([0-9]+)/)).1) ?? 0)
        }
        #expect(times.count == count + refused.count)
        // The other one has heard of it after a beat, and both go on after six seconds.
        let longest = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? 0
        #expect(longest >= 4_500, "\(longest) ms without a request")
        for worker in ["a", "b"] {
            let log = tool.folder.text(of: "\(worker).log")
            #expect(log.contains("provider_holds") && log.contains("provider_goes_on"))
        }
    }

    @Test func `reports are held against the job, and a missing one is named`() throws {
        try rows(8_000)
        // Slow enough for the second one to come before all is done.
        let workers = try ["a", "b"].map { try start($0, "--rate", "400/s") }
        let isUnderWay = Poll.until(seconds: 60) {
            ((try? engine.query("SELECT count(*) FROM fanfare.workers WHERE lines > 0")) ?? "")
                == "2"
        }
        #expect(isUnderWay)
        try hurry()
        for worker in workers { worker.end(seconds: 60).expect(0) }
        let job = engine.address + "/july"
        try tool.run("report", "a.csv", "b.csv", "--of", job).expect(0, says: "has a line")
        try tool.run("report", "a.csv", "--of", job).expect(
            4, says: "b has told that its report has lines")
        // A worker that comes after the end has nothing to do, and says so; one that is started again is not told to send
        // everything again.
        for worker in ["c", "a"] {
            let late = try start(worker).end(seconds: 30)
            late.expect(0, says: "july is finished")
            #expect(!late.errors.contains("--overwrite"))
        }
        let late = try tool.run("cluster", "write-off", engine.address, "a", "--job", "july")
        late.expect(2, says: "july is finished")
        let status = try tool.run("cluster", "status", engine.address, "--job", "july")
        #expect(status.output.contains("a: done"), "\(status.output)")
        // A name does nothing to a terminal, wherever it is shown.
        _ = try engine.query("UPDATE fanfare.jobs SET name = E'j\\x1b]0;x\\x07\\nk'")
        let shown = "j\u{FFFD}]0;x\u{FFFD}\u{FFFD}k"
        let list = try tool.run("cluster", "list", engine.address).output
        #expect(list.hasPrefix(shown + ": finished, 8000 rows, 2 workers, begun "), "\(list)")
        try tool.run("cluster", "status", engine.address, "--job", "july")
            .expect(2, says: "there are \(shown)")
    }

    /// Code 2 would say that it is not to be started again.
    @Test func `a worker that finds no server may be started again`() throws {
        try rows(10)
        try engine.stop("immediate")
        try start("a").end(seconds: 30).expect(4, says: "cannot be used")
        try engine.start()
        try start("a").end(seconds: 60).expect(0)
    }

    @Test func `a worker with other settings is refused`() throws {
        try rows(1_000)
        try start("a").end().expect(0)
        let other = try start("b", "--priority", "5").end()
        #expect(other.exitCode == 2, "\(other.errors)")
        let text = other.errors.replacing("\n", with: " ")
        #expect(text.contains("other inputs or settings than this one (--priority"), "\(text)")
    }

    /// The sums of cuts were others then, and would look like another file in the midst of the job.
    @Test func `a worker of another version is refused when it joins`() throws {
        try rows(1_000)
        try start("a").end().expect(0)
        _ = try engine.query("UPDATE fanfare.jobs SET protocol = 1, state = 'running'")
        let other = try start("b").end()
        #expect(other.exitCode == 2, "\(other.errors)")
        let text = other.errors.replacing("\n", with: " ")
        #expect(text.contains("version 1") && text.contains("this program speaks 2"), "\(text)")
        #expect(try engine.query("SELECT count(*) FROM fanfare.workers") == "1")
    }
}
