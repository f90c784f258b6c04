import FanfareBase
import FanfareSimulator
import FanfareTestSupport
import Synchronization
import Testing

@testable import Fanfare

/// A client that sends one notification at a time, against the simulator on a loopback port.
@Suite struct PushClientTests {
    private func configuration(_ simulator: Simulator) -> Configuration {
        var configuration = Configuration()
        configuration.payload = .template(#"{"aps":{"alert":"Hi {{name|friend}}"}}"#)
        configuration.provider.endpoint = simulator.endpoint
        configuration.provider.caPEM = simulator.caPEM
        configuration.provider.topic = "com.example.app"
        configuration.engine.lanes = 1
        return configuration
    }

    private func token(_ row: Int, _ prefix: String = "aa") -> String {
        prefix + String(String(row + 0x1_0000_0000, radix: 16).dropFirst())
            + String(repeating: "0", count: 56 - prefix.utf8.count)
    }

    // MARK: Outcomes

    @Test func `a notification has its outcome`() async throws {
        let simulator = try Simulator(
            scenario: #"{"rules":[{"when":{"tokenPrefix":"d0"},"then":{"status":410}}]}"#)
        let client = try PushClient(configuration(simulator))
        let accepted = try await client.send(PushRow(token: token(1), id: "u1"))
        #expect(accepted.kind == .accepted && accepted.id == "u1" && accepted.token == token(1))
        #expect(accepted.status == 200 && accepted.latency != nil)
        // None has another one to push it on.
        let dead = try await client.send(PushRow(token: token(2, "d0")))
        #expect(dead.kind == .unregistered && dead.status == 410)
        let invalid = try await client.send(PushRow(token: "no, token"))
        #expect(invalid.kind == .invalid && invalid.status == nil)
        await client.shutdown()
        let progress = client.progress
        #expect(progress.finished == 3 && progress.accepted == 1)
        #expect(simulator.stop().total == 2)
    }

    @Test func `many tasks send at once over the same connections`() async throws {
        let simulator = try Simulator(usesTLS: false)
        var configuration = configuration(simulator)
        configuration.engine.connections = 2
        let client = try PushClient(configuration)
        let count = 3000
        let rows = try await withThrowingTaskGroup(of: UInt64.self) { group -> Set<UInt64> in
            for row in 1...count {
                group.addTask { [self] in
                    let outcome = try await client.send(PushRow(token: token(row), id: "\(row)"))
                    // Each task gets its own.
                    #expect(outcome.id == "\(row)" && outcome.token == token(row))
                    #expect(outcome.kind == .accepted)
                    return outcome.row
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(rows == Set((1...count).map { UInt64($0) }))
        await client.shutdown()
        let requests = simulator.stop()
        #expect(requests.total == UInt64(count) && requests.accepted == UInt64(count))
        #expect((1...2).contains(client.progress.connectionsOpened))
    }

    @Test func `a notification has values and a payload of its own`() async throws {
        let simulator = try Simulator(usesTLS: false)
        let client = try PushClient(configuration(simulator))
        var row = PushRow(token: token(1), values: ["name": "Ada"])
        #expect(try await client.send(row).kind == .accepted)
        row.payload = #"{"aps":{"alert":"own"}}"#
        #expect(try await client.send(row).kind == .accepted)
        row.payload = "{"
        #expect(try await client.send(row).kind == .invalid)
        await client.shutdown()
    }

    // MARK: Ends

    @Test func `a shutdown waits for the answers that are due`() async throws {
        let simulator = try Simulator(
            scenario: #"{"rules":[{"then":{"latency":"1s"}}]}"#, usesTLS: false)
        let client = try PushClient(configuration(simulator))
        let sending = (1...20).map { row in
            Task { [self] in try await client.send(PushRow(token: token(row))) }
        }
        try await Poll.wait { client.progress.inFlight > 0 }
        await client.shutdown()
        var sent: UInt64 = 0
        for task in sending {
            // One that came too late was not sent.
            switch await task.result {
            case .success(let outcome):
                #expect(outcome.kind == .accepted)
                sent += 1
            case .failure(let error): #expect((error as? FanfareError)?.code == .stopped)
            }
        }
        await #expect(throws: FanfareError.self) {
            try await client.send(PushRow(token: token(99)))
        }
        await client.shutdown()
        #expect(sent > 0)
        #expect(simulator.stop().total == sent)
    }

    @Test func `a client that never sent is shut down at once`() async throws {
        let simulator = try Simulator(usesTLS: false)
        let client = try PushClient(configuration(simulator))
        await client.shutdown()
        let error = await #expect(throws: FanfareError.self) {
            try await client.send(PushRow(token: token(1)))
        }
        #expect(error?.code == .stopped)
        #expect(simulator.stop().total == 0)
    }

    @Test func `an aborted client leaves requests in flight in doubt`() async throws {
        let simulator = try Simulator(
            scenario: #"{"rules":[{"then":{"stall":"stream"}}]}"#, usesTLS: false)
        let client = try PushClient(configuration(simulator))
        let sending = Task { [self] in try await client.send(PushRow(token: token(1))) }
        try await Poll.wait { client.progress.inFlight == 1 }
        client.abort()
        #expect(try await sending.value.kind == .unknown)
        await client.shutdown()
    }

    @Test func `a client that is dropped ends its job`() async throws {
        let simulator = try Simulator(usesTLS: false)
        let hasEnded = Mutex(false)
        do {
            let client = try PushClient(configuration(simulator)) { event in
                if event.name == "job_ended" { hasEnded.withLock { $0 = true } }
            }
            #expect(try await client.send(PushRow(token: token(1))).kind == .accepted)
        }
        try await Poll.wait { hasEnded.withLock { $0 } }
    }

    @Test func `a client that is dropped ends its job, watched or not`() async throws {
        let simulator = try Simulator(usesTLS: false)
        let hasEnded = Mutex(false)
        let updates: ProgressUpdates
        do {
            let client = try PushClient(configuration(simulator)) { event in
                if event.name == "job_ended" { hasEnded.withLock { $0 = true } }
            }
            updates = client.progress(every: .milliseconds(5))
            #expect(try await client.send(PushRow(token: token(1))).kind == .accepted)
        }
        // It ends when the client is gone.
        for await _ in updates {}
        try await Poll.wait { hasEnded.withLock { $0 } }
    }

    // MARK: Cancellation

    @Test func `a task that is canceled before it sends does not send`() async throws {
        let simulator = try Simulator(usesTLS: false)
        let client = try PushClient(configuration(simulator))
        let task = Task { [self] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.send(PushRow(token: token(1)))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await client.send(PushRow(token: token(2))).kind == .accepted)
        await client.shutdown()
        #expect(simulator.stop().total == 1)
    }

    @Test func `a task that is canceled later has its outcome`() async throws {
        let simulator = try Simulator(
            scenario: #"{"rules":[{"then":{"latency":"1s"}}]}"#, usesTLS: false)
        let client = try PushClient(configuration(simulator))
        let task = Task { [self] in try await client.send(PushRow(token: token(1))) }
        try await Poll.wait { client.progress.inFlight == 1 }
        task.cancel()
        #expect(try await task.value.kind == .accepted)
        await client.shutdown()
    }

    @Test func `rows that the job has not taken can be taken back`() async throws {
        let session = PushSession()
        let waiting = (0..<100).map { row in
            Task { try await session.send(PushRow(token: "\(row)")) }
        }
        for task in waiting { task.cancel() }
        for task in waiting {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        session.close()
        #expect(await session.next() == nil)
    }

    // MARK: Trouble

    @Test func `what stops the job is an error, and the next one begins anew`() async throws {
        let simulator = try Simulator(
            scenario: """
                {"rules":[{"when":{"tokenPrefix":"bad"},
                    "then":{"status":403,"reason":"InvalidProviderToken"}}]}
                """)
        let client = try PushClient(configuration(simulator))
        // The row that was refused has its outcome, or the error of the job.
        var hasStopped = false
        do {
            let outcome = try await client.send(PushRow(token: token(1, "bad")))
            #expect(outcome.kind == .rejected && outcome.reason == "InvalidProviderToken")
        } catch let error as FanfareError {
            #expect(error.code == .provider)
            hasStopped = true
        }
        // The refused job may be just about to end.
        var kind: PushOutcome.Kind?
        for _ in 0..<100 where kind == nil {
            kind = try? await client.send(PushRow(token: token(2))).kind
        }
        #expect(kind == .accepted)
        await client.shutdown()
        // The figures of the job that was stopped are among those of the client.
        #expect(client.progress.connectionsOpened >= (hasStopped ? 2 : 1))
        #expect(client.progress.accepted == 1)
    }

    @Test func `settings of a job with an end are refused`() throws {
        func refusal(_ change: (inout Configuration) -> Void) -> String? {
            var configuration = Configuration()
            change(&configuration)
            do throws(FanfareError) {
                _ = try PushClient(configuration)
                return nil
            } catch {
                #expect(error.code == .configuration)
                return error.message
            }
        }
        #expect(refusal { _ in } == nil)
        #expect(refusal { $0.report.path = ReportOptions.noFile } == nil)
        #expect(refusal { $0.inputs = [.file("rows.csv")] }?.contains("has inputs, ") == true)
        #expect(refusal { $0.report.path = "r.csv" }?.contains("a report") == true)
        #expect(refusal { $0.report.resumes = true }?.contains("a report") == true)
        #expect(refusal { $0.report.unregisteredPath = "d.csv" }?.contains("lists of rows") == true)
        #expect(refusal { $0.rows.choice.limit = 10 }?.contains("a choice of rows") == true)
        #expect(
            refusal { $0.engine.untilMilliseconds = 4_000_000_000_000 }?
                .contains("a latest start") == true)
        #expect(
            refusal { $0.cluster = ClusterOptions(address: "db", job: "j", worker: "w") }?
                .contains("several workers") == true)
        #expect(
            refusal { $0.window = HoursOptions(opensMinute: 0, closesMinute: 60) }?
                .contains("hours") == true)
    }

    // MARK: Events and progress

    @Test func `a handler gets the events of the log`() async throws {
        let simulator = try Simulator(usesTLS: false)
        let events = Mutex<[JobEvent]>([])
        let client = try PushClient(configuration(simulator)) { event in
            events.withLock { $0.append(event) }
        }
        _ = try await client.send(PushRow(token: token(1)))
        await client.shutdown()
        let all = events.withLock { $0 }
        #expect(all.first?.name == "job_started" && all.last?.name == "job_ended")
        let opened = try #require(all.first { $0.name == "connection_opened" })
        #expect(opened.connection == 1 && opened.level == .info && opened.milliseconds > 0)
        #expect(opened.description.hasPrefix("connection_opened lane=0 connection=1"))
        #expect(!all.contains { "\($0)".contains(token(1)) })
    }

    @Test func `the progress of a job is a sequence with its latencies`() async throws {
        let simulator = try Simulator(usesTLS: false)
        var configuration = configuration(simulator)
        configuration.report.path = ReportOptions.noFile
        configuration.engine.rate = SendingRate(2000)
        let job = PushJob(configuration, rows: (1...1000).map { PushRow(token: token($0)) })
        let updates = job.progress(every: .milliseconds(20))
        let watching = Task {
            var all: [ProgressSnapshot] = []
            for await progress in updates { all.append(progress) }
            return all
        }
        try await job.run()
        let all = await watching.value
        // The sequence ends by itself, with the last figures.
        let last = try #require(all.last)
        #expect(last.finished == 1000 && last.accepted == 1000)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.finished <= $1.finished })
        let latencies = last.latencies
        #expect(latencies.count > 0 && latencies.count <= 1000)
        let least = try #require(latencies.min)
        let median = try #require(latencies.percentile(50))
        let most = try #require(latencies.max)
        #expect(least <= median && median <= most)
    }

    @Test func `the progress of a client ends with it, or with the task`() async throws {
        let simulator = try Simulator(usesTLS: false)
        let client = try PushClient(configuration(simulator))
        let watching = Task {
            var last: ProgressSnapshot?
            for await progress in client.progress(every: .milliseconds(5)) { last = progress }
            return last
        }
        let canceled = Task {
            for await _ in client.progress(every: .seconds(3600)) {}
        }
        canceled.cancel()
        await canceled.value
        _ = try await client.send(PushRow(token: token(1)))
        await client.shutdown()
        #expect(await watching.value?.accepted == 1)
    }

    @Test func `the progress of a client ends after it was aborted`() async throws {
        let simulator = try Simulator(usesTLS: false)
        let client = try PushClient(configuration(simulator))
        _ = try await client.send(PushRow(token: token(1)))
        client.abort()
        var last: ProgressSnapshot?
        for await progress in client.progress(every: .milliseconds(5)) { last = progress }
        #expect(last?.accepted == 1)
        let unused = try PushClient(configuration(simulator))
        unused.abort()
        for await _ in unused.progress(every: .milliseconds(5)) {}
    }
}
