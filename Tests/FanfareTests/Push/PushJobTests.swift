import FanfareBase
import FanfareCore
import FanfareSimulator
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Jobs as a program runs them, against the simulator on a loopback port.
@Suite struct PushJobTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func configuration(_ simulator: Simulator, report: String? = nil) -> Configuration {
        var configuration = Configuration()
        configuration.payload = .template(
            json: Array(#"{"aps":{"alert":"Hi {{name|friend}}"}}"#.utf8), name: "template")
        configuration.provider.endpoint = simulator.endpoint
        configuration.provider.caPEM = simulator.caPEM
        configuration.provider.topic = "com.example.app"
        configuration.engine.lanes = 1
        configuration.report.path = report.map { folder.path($0) } ?? ReportOptions.noFile
        return configuration
    }

    /// Rows whose ids are their numbers, and whose tokens begin with what a scenario can tell apart.
    private func rows(_ count: Int, prefix: String = "aa") -> [PushRow] {
        (1...count).map { PushRow(token: token($0, prefix), id: "\($0)") }
    }

    private func token(_ row: Int, _ prefix: String = "aa") -> String {
        prefix + String(String(row + 0x1_0000_0000, radix: 16).dropFirst())
            + String(repeating: "0", count: 56 - prefix.utf8.count)
    }

    private func take(_ outcomes: PushOutcomes) async throws -> [PushOutcome] {
        var taken: [PushOutcome] = []
        for try await outcome in outcomes { taken.append(outcome) }
        return taken
    }

    // MARK: Outcomes

    @Test(arguments: [nil, "r.csv", "r.ndjson", "r.csv.gz"])
    func `each row has one outcome, with a report and without`(report: String?) async throws {
        let simulator = try Simulator(
            scenario: """
                {"rules":[
                    {"when":{"tokenPrefix":"d0"},"then":{"status":410,"timestamp":1700000000123}},
                    {"when":{"tokenPrefix":"d1"},"then":{"status":400,"reason":"BadDeviceToken"}}
                ]}
                """)
        let rows =
            rows(1000) + [
                PushRow(token: token(1001, "d0"), id: "dead"), PushRow(token: token(1002, "d1")),
                PushRow(token: "no, token"),
            ]
        let job = PushJob(configuration(simulator, report: report), rows: rows)
        let outcomes = try await take(job.outcomes).sorted { $0.row < $1.row }
        #expect(outcomes.map(\.row) == Array(1...1003))
        #expect(outcomes.prefix(1000).allSatisfy { $0.kind == .accepted && $0.id == "\($0.row)" })
        let accepted = try #require(outcomes.first)
        #expect(accepted.token == token(1) && accepted.status == 200 && accepted.attempts == 1)
        #expect(accepted.latency != nil && accepted.sentAtMilliseconds != nil)
        #expect(accepted.messageID?.utf8.count == 36 && accepted.reason == nil)
        #expect(outcomes.allSatisfy { $0.provider == .apns })
        let dead = outcomes[1000]
        #expect(dead.id == "dead" && dead.kind == .unregistered && dead.status == 410)
        #expect(dead.unregisteredAtMilliseconds == 1_700_000_000_123)
        #expect(outcomes[1001].kind == .suspect && outcomes[1001].reason == "BadDeviceToken")
        let invalid = outcomes[1002]
        #expect(invalid.kind == .invalid && invalid.token == "no, token")
        #expect(invalid.reason?.hasPrefix("line 1003: ") == true && invalid.latency == nil)

        let result = try await job.result
        #expect(result.isComplete && result.failure == nil && !result.isResumable)
        #expect(result.rowsRead == 1003 && result.count(of: .accepted) == 1000)
        #expect(job.progress.finished == 1003 && job.progress.count(of: .unregistered) == 1)
        #expect(simulator.stop().total == 1002)
    }

    @Test func `an outcome is in the report before it is handed over`() async throws {
        let simulator = try Simulator()
        let job = PushJob(configuration(simulator, report: "r.csv"), rows: rows(2000))
        var isMissing = false
        for try await outcome in job.outcomes {
            // Each block's first outcome will do.
            guard outcome.row % 500 == 1 else { continue }
            let lines = try folder.reportLines("r.csv")
            isMissing = isMissing || lines[Int(outcome.row)] == nil
        }
        #expect(!isMissing)
    }

    @Test func `outcomes come while the rows do`() async throws {
        let simulator = try Simulator(usesTLS: false)
        let rows = AsyncStream<PushRow>.makeStream()
        let job = PushJob(configuration(simulator), rows: rows.stream)
        var outcomes = job.outcomes.makeAsyncIterator()
        // None of them has the next one to push it on.
        for row in self.rows(3) {
            rows.continuation.yield(row)
            #expect(try await outcomes.next()?.id == row.id)
        }
        rows.continuation.finish()
        #expect(try await outcomes.next() == nil)
        #expect(try await outcomes.next() == nil)
        #expect(try await job.result.rowsRead == 3)
    }

    @Test func `who takes no outcomes holds the job, and loses none`() async throws {
        let simulator = try Simulator(usesTLS: false)
        let count = 20_000
        var configuration = configuration(simulator)
        configuration.engine.connections = 1
        let job = PushJob(configuration, rows: rows(count))
        var outcomes = job.outcomes.makeAsyncIterator()
        var seen = [Bool](repeating: false, count: count + 1)
        seen[Int(try #require(try await outcomes.next()).row)] = true
        // Until nothing is in flight any more: it waits for us.
        try await Poll.wait {
            let progress = job.progress
            return progress.finished > 0 && progress.inFlight == 0
        }
        // The rows that may wait: blocks here, at the writer and in its queue, each of 64 KiB and
        // lines of 160 bytes at least; and those in flight on a connection of 1,000 streams.
        let blocks = Limits.outcomeBlocks + Limits.reportBlockCount(lanes: 1) + 3
        #expect(job.progress.finished < UInt64(blocks * Limits.reportBlockBytes / 160 + 1000))
        while let outcome = try await outcomes.next() {
            #expect(!seen[Int(outcome.row)])
            seen[Int(outcome.row)] = true
        }
        #expect(!seen.dropFirst().contains(false))
        #expect(simulator.stop().total == UInt64(count))
    }

    // MARK: Ends

    @Test func `a canceled task leaves a job that can be carried on`() async throws {
        let simulator = try Simulator()
        var configuration = configuration(simulator, report: "r.csv")
        let rows = rows(20_000)
        let first = PushJob(configuration, rows: rows)
        let task = Task {
            var taken: [PushOutcome] = []
            for try await outcome in first.outcomes {
                taken.append(outcome)
                if taken.count == 1000 { withUnsafeCurrentTask { $0?.cancel() } }
            }
            return taken
        }
        let taken = try await task.value
        let result = try await first.result
        #expect(!result.isComplete && result.isResumable && result.failure == nil)
        #expect(taken.count >= 1000 && taken.count < 20_000)
        #expect(UInt64(taken.count) == result.rowsRead)
        #expect(Set(try folder.reportLines("r.csv").keys) == Set(taken.map { Int($0.row) }))

        configuration.report.resumes = true
        let second = PushJob(configuration, rows: rows)
        let rest = try await take(second.outcomes)
        let whole = try await second.result
        #expect(whole.isComplete && whole.count(of: .accepted) == 20_000)
        #expect((taken + rest).map(\.row).sorted() == Array(1...20_000))
        #expect(try folder.reportLines("r.csv").count == 20_000)
        #expect(simulator.stop().total == 20_000)
    }

    @Test func `other rows do not carry a job on`() async throws {
        let simulator = try Simulator()
        var configuration = configuration(simulator, report: "r.csv")
        let first = PushJob(configuration, rows: rows(20_000))
        for try await _ in first.outcomes { first.stop() }
        #expect(try await first.result.isResumable)
        configuration.report.resumes = true
        let second = PushJob(configuration, rows: rows(20_000, prefix: "bb"))
        let result = try await second.run()
        #expect(result.failure?.code == .configuration)
        #expect(result.failure?.message.hasPrefix("row 1 (line 1) is not the one") == true)
        #expect(simulator.stop().total < 20_000)
    }

    @Test func `to leave the loop stops the job`() async throws {
        let simulator = try Simulator()
        let job = PushJob(configuration(simulator, report: "r.csv"), rows: rows(20_000))
        for try await _ in job.outcomes { break }
        let result = try await job.result
        #expect(!result.isComplete && result.isResumable && result.failure == nil)
        #expect(try folder.reportLines("r.csv").count == Int(result.rowsRead))
        #expect(result.rowsRead < 20_000)
    }

    @Test func `a job without outcomes runs to its end`() async throws {
        let simulator = try Simulator()
        var configuration = configuration(simulator, report: "r.csv")
        configuration.inputs = [
            .file(try folder.write("token,name\n\(token(1)),Ada\n", to: "rows.csv"))
        ]
        let result = try await PushJob(configuration, rows: rows(9)).run()
        #expect(result.isComplete && result.count(of: .accepted) == 10)
        #expect(try folder.reportLines("r.csv").count == 10)
    }

    @Test func `no rows are a job that is done`() async throws {
        let simulator = try Simulator()
        let none: [PushRow] = []
        let job = PushJob(configuration(simulator, report: "r.csv"), rows: none)
        #expect(try await take(job.outcomes).isEmpty)
        let result = try await job.result
        #expect(result.isComplete && result.rowsRead == 0)
        #expect(try folder.reportLines("r.csv").isEmpty)
        // Without any input at all the caller has forgotten something.
        let forgotten = PushJob(configuration(simulator))
        let error = await #expect(throws: FanfareError.self) { try await forgotten.run() }
        #expect(error?.code == .configuration)
    }

    @Test func `dead tokens are listed without a report, too`() async throws {
        let simulator = try Simulator(
            scenario: #"{"rules":[{"when":{"tokenPrefix":"dd"},"then":{"status":410}}]}"#)
        var configuration = configuration(simulator)
        configuration.report.unregisteredPath = folder.path("dead.csv")
        let rows = rows(3) + [PushRow(token: token(4, "dd"))]
        let job = PushJob(configuration, rows: rows)
        #expect(try await take(job.outcomes).count == 4)
        #expect(try folder.read("dead.csv").contains(token(4, "dd")))
        configuration.report.unregisteredPath = nil
        configuration.report.resumes = true
        let second = PushJob(configuration, rows: rows)
        let error = await #expect(throws: FanfareError.self) { try await second.run() }
        #expect(error?.message.hasSuffix("and there is none") == true)
    }

    @Test func `a canceled run stops, and has its result`() async throws {
        let simulator = try Simulator()
        let job = PushJob(configuration(simulator, report: "r.csv"), rows: rows(20_000))
        let task = Task { try await job.run() }
        try await Poll.wait { job.progress.finished > 0 }
        task.cancel()
        let result = try await task.value
        #expect(!result.isComplete && result.isResumable && result.failure == nil)
    }

    @Test func `rows that never come do not keep a job from stopping`() async throws {
        let simulator = try Simulator()
        let rows = AsyncStream<PushRow>.makeStream()
        let job = PushJob(configuration(simulator), rows: rows.stream)
        let task = Task { try await job.run() }
        task.cancel()
        let result = try await task.value
        #expect(!result.isComplete && result.rowsRead == 0)
        // And the same behind the first row.
        let more = AsyncStream<PushRow>.makeStream()
        more.continuation.yield(PushRow(token: token(1)))
        let second = PushJob(configuration(simulator), rows: more.stream)
        var count = 0
        for try await _ in second.outcomes {
            count += 1
            second.stop()
        }
        #expect(count == 1)
        withExtendedLifetime((rows, more)) {}
    }

    @Test func `a job that is stopped before it knows its rows is as it was`() async throws {
        let simulator = try Simulator()
        var configuration = configuration(simulator, report: "r.csv")
        let first = PushJob(configuration, rows: rows(10_000))
        for try await _ in first.outcomes { first.stop() }
        let lines = try folder.reportLines("r.csv").count
        configuration.report.resumes = true
        // Nothing shows that its rows are those of then.
        let rows = AsyncStream<PushRow>.makeStream()
        let second = PushJob(configuration, rows: rows.stream)
        second.stop()
        let task = Task { try await second.run() }
        second.stop()
        second.stop()
        task.cancel()
        let result = try await task.value
        #expect(!result.isComplete && result.isResumable && result.failure == nil)
        #expect(try folder.reportLines("r.csv").count == lines)
        withExtendedLifetime(rows) {}
    }

    @Test func `what is ordered before the start counts`() async throws {
        let simulator = try Simulator()
        let job = PushJob(configuration(simulator), rows: rows(100))
        job.stop()
        #expect(try await take(job.outcomes).isEmpty)
        let result = try await job.result
        #expect(!result.isComplete)
        #expect(simulator.stop().total == 0)
    }

    @Test func `an aborted job does not wait for answers`() async throws {
        let simulator = try Simulator(
            scenario: #"{"rules":[{"when":{"tokenPrefix":"dd"},"then":{"stall":"stream"}}]}"#)
        let rows = [PushRow(token: token(1)), PushRow(token: token(2, "dd"))]
        let job = PushJob(configuration(simulator), rows: rows)
        var kinds: [UInt64: PushOutcome.Kind] = [:]
        for try await outcome in job.outcomes {
            kinds[outcome.row] = outcome.kind
            if outcome.row == 1 { try await Poll.wait { job.progress.inFlight == 1 } }
            job.abort()
        }
        #expect(kinds == [1: .accepted, 2: .unknown])
    }

    // MARK: Failures

    private struct Broken: Error, CustomStringConvertible {
        var description: String { "the database has gone" }
    }

    @Test func `a sequence that fails ends the job behind its last row`() async throws {
        let simulator = try Simulator()
        let rows = rows(10)
        let sequence = AsyncThrowingStream<PushRow, any Error> { continuation in
            for row in rows { continuation.yield(row) }
            continuation.finish(throwing: Broken())
        }
        let job = PushJob(configuration(simulator, report: "r.csv"), rows: sequence)
        var count = 0
        let error = await #expect(throws: FanfareError.self) {
            for try await _ in job.outcomes { count += 1 }
        }
        #expect(count == 10)
        #expect(error?.code == .input)
        #expect(
            error?.message
                == "the sequence of rows cannot be read on after row 10: the database has gone")
        let result = try await job.result
        #expect(result.isResumable && result.failure?.message == error?.message)
    }

    @Test func `a report that cannot be written loses no outcome`() async throws {
        let simulator = try Simulator()
        var configuration = configuration(simulator)
        configuration.report.path = "/dev/full"
        configuration.report.overwrites = true
        let job = PushJob(configuration, rows: rows(100))
        var count = 0
        let error = await #expect(throws: FanfareError.self) {
            for try await _ in job.outcomes { count += 1 }
        }
        #expect(error?.code == .output)
        let result = try? await job.result
        // It may be the header already that finds no room: then there is no job.
        #expect(result == nil ? count == 0 : UInt64(count) == result?.rowsRead)
    }

    @Test func `a provider that refuses all rows is told as an error`() async throws {
        let simulator = try Simulator(
            scenario: #"{"rules":[{"then":{"status":403,"reason":"InvalidProviderToken"}}]}"#)
        let job = PushJob(configuration(simulator, report: "r.csv"), rows: rows(100))
        let error = await #expect(throws: FanfareError.self) {
            for try await _ in job.outcomes {}
        }
        #expect(error?.code == .provider)
        #expect(try await job.result.isResumable)
    }

    @Test func `a job that cannot start says why, to all who wait`() async throws {
        let simulator = try Simulator()
        var configuration = configuration(simulator)
        configuration.inputs = [.file(folder.path("none.csv"))]
        let job = PushJob(configuration)
        let other = Task { try await job.result }
        let error = await #expect(throws: FanfareError.self) { try await job.run() }
        #expect(error?.code == .input)
        await #expect(throws: FanfareError.self) { try await other.value }
    }

    @Test func `a job runs once`() async throws {
        let simulator = try Simulator()
        let job = PushJob(configuration(simulator), rows: rows(3))
        #expect(try await take(job.outcomes).count == 3)
        await #expect(throws: FanfareError.self) { try await job.run() }
        await #expect(throws: FanfareError.self) { try await take(job.outcomes) }
        #expect(try await job.result.rowsRead == 3)
    }

    @Test func `two jobs do not write one report`() async throws {
        let simulator = try Simulator()
        var configuration = configuration(simulator, report: "r.csv")
        let rows = AsyncStream<PushRow>.makeStream()
        rows.continuation.yield(PushRow(token: token(1)))
        let first = PushJob(configuration, rows: rows.stream)
        var outcomes = first.outcomes.makeAsyncIterator()
        let row = try await outcomes.next()?.row
        #expect(row == 1)
        configuration.report.overwrites = true
        let second = PushJob(configuration, rows: self.rows(3))
        let error = await #expect(throws: FanfareError.self) { try await second.run() }
        #expect(error?.code == .configuration)
        rows.continuation.finish()
        #expect(try await outcomes.next() == nil)
        #expect(try folder.reportLines("r.csv").count == 1)
    }

    // MARK: Steering

    @Test func `a paused job starts nothing`() async throws {
        let simulator = try Simulator()
        let job = PushJob(configuration(simulator), rows: rows(100))
        job.pause()
        async let outcomes = take(job.outcomes)
        try await Poll.wait { job.progress.isPaused }
        #expect(job.progress.finished == 0)
        job.resume()
        #expect(try await outcomes.count == 100)
    }

    @Test func `the rate of a job can be changed while it runs`() async throws {
        let simulator = try Simulator()
        var configuration = configuration(simulator)
        configuration.engine.rate = SendingRate(1, per: .seconds(3600))
        configuration.engine.burst = 1
        let job = PushJob(configuration, rows: rows(100))
        #expect(throws: FanfareError.self) { try job.setRate(nil) }
        var count = 0
        for try await _ in job.outcomes {
            if count == 0 { try job.setRate(nil) }
            count += 1
        }
        #expect(count == 100)
    }
}
