import FanfareCore
import Foundation
import Testing

@testable import Fanfare
@testable import FanfareCLI

/// The words of `fanfare cluster` about a job, and about a rate.
@Suite struct ClusterStatusTests {
    /// - Parameters:
    ///   - rate: The job's rate in starts per second; `nil` for none.
    ///   - state: The job's state.
    /// - Returns: The job with two workers.
    private static func status(
        rate: Int64? = 1500, state: ClusterJobState = .running
    ) -> ClusterControl.Status {
        var job = ClusterJob(
            terms: ClusterTerms(
                fingerprint: 1, protocolVersion: 1, rate: rate.map { $0 * ShareRule.unitsPerStart }),
            prover: nil, cutter: nil,
            generation: ClusterGeneration(ordinal: 0, timeline: 1, nonce: 0))
        job.state = state
        job.cutRows = 900
        job.isAllCut = true
        job.holds = [.none, ProviderHold(milliseconds: 11_001), .longest]
        return ClusterControl.Status(
            name: "july", job: job,
            workers: [
                .init(
                    name: "web3", label: "web3", state: .active, rows: 480,
                    share: 750 * ShareRule.unitsPerStart,
                    silentSeconds: 0.7),
                // A third of a start per second.
                .init(
                    name: "web4", label: "web4", state: .lost, rows: 0, share: 333_333,
                    silentSeconds: 20),
            ], waitingRows: 300, grantedRows: 120, doubtfulRows: 0)
    }

    @Test func `holds are shown with the time that is left`() {
        #expect(
            Self.status().table == """
                july: running, 480 of 900 rows have an outcome
                waiting 300, granted 120, in doubt 0
                provider 2 wants nothing for 12 s
                provider 3 wants nothing for 60 s
                rate 1500/s
                  web3: active, 480 rows, share 750/s, heard of 0 s ago
                  web4: lost, 0 rows, share 0.33/s, not heard of for 20 s

                """)
    }

    @Test func `a worker that is far from the server is told so`() {
        for (milliseconds, isFar) in [(999, false), (1_000, true)] as [(UInt64, Bool)] {
            var worker = ClusterControl.WorkerStatus(
                name: "w", label: "w", state: .active, rows: 1, share: 0, silentSeconds: 1)
            worker.requestMilliseconds = milliseconds
            let status = ClusterControl.Status(
                name: "july", job: Self.status().job, workers: [worker], waitingRows: 0,
                grantedRows: 0, doubtfulRows: 0)
            #expect(status.table.contains("requests take \(milliseconds) ms") == isFar)
            #expect(status.json.contains("\"request_milliseconds\": \(milliseconds)"))
        }
    }

    @Test func `a name from the tables does nothing to a terminal, and scripts get it whole`()
        throws
    {
        let name = "w\u{1B}]0;title\u{7}\u{1B}[2J\u{9B}1m\u{202E}\r\n  w1: done"
        let status = ClusterControl.Status(
            name: "july", job: Self.status().job,
            workers: [
                .init(name: name, label: name, state: .active, rows: 1, share: 0, silentSeconds: 0)
            ], waitingRows: 0, grantedRows: 0, doubtfulRows: 0)
        let lines = status.table.split(separator: "\n").map(String.init)
        #expect(lines.count == 6)
        let shown =
            "w\u{FFFD}]0;title\u{FFFD}\u{FFFD}[2J\u{FFFD}1m\u{FFFD}\u{FFFD}\u{FFFD}  w1: done"
        #expect(lines.last == "  \(shown): active, 1 rows, share 0/s, heard of 0 s ago")
        let workers = try #require(try Self.object(status)["workers"] as? [[String: Any]])
        #expect(workers.map { $0["name"] as? String } == [name])
    }

    // MARK: What a job waits for

    private static func status(
        _ state: ClusterJobState, verdict: ClusterVerdict? = nil, isPaused: Bool = false,
        workers: [ClusterControl.WorkerStatus], doubtful: UInt64 = 0
    ) -> ClusterControl.Status {
        var job = ClusterJob(
            terms: ClusterTerms(fingerprint: 1, protocolVersion: 1, rate: nil), prover: nil,
            cutter: nil, generation: ClusterGeneration(ordinal: 0, timeline: 1, nonce: 0))
        (job.state, job.verdict, job.isPaused) = (state, verdict, isPaused)
        (job.cutRows, job.isAllCut) = (900, true)
        return ClusterControl.Status(
            name: "july", job: job, workers: workers, waitingRows: 0, grantedRows: 0,
            doubtfulRows: doubtful)
    }

    private static func worker(
        _ name: String, _ state: ClusterWorker.State = .active, silent: Double = 1,
        doubtful: UInt64 = 0, writesOff: Double? = nil
    ) -> ClusterControl.WorkerStatus {
        var worker = ClusterControl.WorkerStatus(
            name: name, label: name, state: state, rows: 450, share: 0, silentSeconds: silent)
        (worker.doubtfulRows, worker.writesOffSeconds) = (doubtful, writesOff)
        return worker
    }

    /// The lines behind that of the four numbers, and before those of the workers.
    private static func waits(_ status: ClusterControl.Status) -> [String] {
        status.table.split(separator: "\n").dropFirst(2).map(String.init)
            .filter { !$0.hasPrefix(" ") }
    }

    @Test func `a job says whose rows it waits for, and until when`() {
        let dead = Self.worker("w2", .lost, silent: 37, doubtful: 213)
        #expect(
            Self.waits(
                Self.status(
                    .running, workers: [Self.worker("w1", writesOff: 39.2), dead], doubtful: 213))
                == [
                    "waiting for w2 to come back: its 213 rows are written off in 40 s; start it again before that"
                ])
        #expect(
            Self.waits(Self.status(.running, workers: [Self.worker("w1"), dead], doubtful: 213))
                == [
                    "w2 has 213 rows in doubt: start it again; else others write them off a minute after all else is done"
                ])
        let givenUp = Self.worker("w2", .givenUp, silent: 37, doubtful: 213)
        #expect(
            Self.waits(Self.status(.running, workers: [Self.worker("w1"), givenUp], doubtful: 213))
                == [
                    "w2 was written off: others write the lines of its 213 rows"
                ])
    }

    @Test func `a job whose workers are all dead says so, whatever they believed last`() throws {
        let dead = [Self.worker("w1", silent: 17), Self.worker("w2", silent: 20, doubtful: 9)]
        let running = Self.status(.running, workers: dead, doubtful: 9)
        #expect(
            Self.waits(running) == [
                "no worker was heard of for 17 s: start them again, or others with reports of their own"
            ])
        #expect(running.table.contains("\n  w1: lost, 450 rows, not heard of for 17 s\n"))
        let states = try #require(try Self.object(running)["workers"] as? [[String: Any]])
        #expect(states.map { $0["state"] as? String } == ["lost", "lost"])
        #expect(try Self.object(running)["workers_alive"] as? Int == 0)

        let stopping = Self.status(.stopping, verdict: .ordered, workers: dead, doubtful: 9)
        #expect(stopping.table.hasPrefix("july: stopped, "))
        #expect(try Self.object(stopping)["state"] as? String == "stopped")
        #expect(
            Self.waits(stopping) == [
                "stopped on request",
                "fanfare cluster resume lets it go on; then start the workers again",
            ])
    }

    @Test(arguments: [
        (ClusterJobState.proving, "paused"), (.running, "paused"), (.stopping, "stopping, paused"),
        (.stopped, "stopped, paused"), (.finished, "finished"),
    ])
    func `that a job is paused hides no stop, and a finished one is not paused`(
        state: ClusterJobState, words: String
    ) throws {
        let status = Self.status(
            state, verdict: nil, isPaused: true, workers: [Self.worker("w1")])
        #expect(status.table.hasPrefix("july: \(words), "))
        #expect(try Self.object(status)["paused"] as? Bool == (state != .finished))
    }

    @Test(arguments: [
        (
            ClusterVerdict.outcomes,
            ClusterStopWords(worker: "w2", reason: "--stop-if failed>3: 4 rows"),
            "stopped by w2: --stop-if failed>3: 4 rows"
        ),
        (
            .ordered, ClusterStopWords(worker: nil, reason: "ops at 10.0.0.5"),
            "stopped on request of ops at 10.0.0.5"
        ),
        (
            .inputsDiffer(atRow: 99), ClusterStopWords(worker: "w2", reason: nil),
            "stopped by w2: its workers do not see the same file, from row 100 on their bytes differ"
        ),
        (
            .grantedTwice(10..<20), ClusterStopWords(worker: "w2", reason: nil),
            "stopped by w2: the server has forgotten writes, and rows 11 to 20 were granted twice"
        ),
    ])
    func `a stop says by whom and why`(
        verdict: ClusterVerdict, words: ClusterStopWords, text: String
    ) throws {
        var status = Self.status(.stopping, verdict: verdict, workers: [Self.worker("w1")])
        status.stop = words
        #expect(Self.waits(status) == [text])
        let object = try Self.object(status)
        #expect(object["stopped_by"] as? String == words.worker)
        #expect(object["reason"] as? String == words.reason)
    }

    @Test func `outcomes, speed and the time that is left are told`() throws {
        var worker = Self.worker("w1")
        worker.outcomes = [440, 8, 0, 0, 0, 0, 2]
        worker.rowsPerSecond = 5
        (worker.report, worker.machine) = ("/r/july.csv", "m1")
        var job = try #require(Self.status(.running, workers: []).job)
        job.cutRows = 900
        let status = ClusterControl.Status(
            name: "july", job: job, workers: [worker], waitingRows: 440, grantedRows: 10,
            doubtfulRows: 0)
        #expect(
            status.table == """
                july: running, 450 of 900 rows have an outcome
                waiting 440, granted 10, in doubt 0
                accepted 440, unregistered 8, unknown 2
                5 rows/s, 1 min 30 s left
                  w1: active, 450 rows, heard of 1 s ago, /r/july.csv on m1

                """)
        let object = try Self.object(status)
        #expect((object["outcomes"] as? [String: Int])?["unregistered"] == 8)
        #expect(object["rows_per_second"] as? Int == 5 && object["seconds_left"] as? Int == 90)
    }

    @Test func `a job whose providers do not answer says so`() throws {
        let words = [
            "no row got an outcome in the last second: the workers' live views and logs say why"
        ]
        func waits(
            _ worker: ClusterControl.WorkerStatus = Self.worker("w1"), granted: UInt64 = 10,
            _ change: (inout ClusterJob) -> Void = { _ in }
        ) throws -> [String] {
            var job = try #require(Self.status(.running, workers: []).job)
            change(&job)
            return Self.waits(
                ClusterControl.Status(
                    name: "july", job: job, workers: [worker], waitingRows: 440,
                    grantedRows: granted, doubtfulRows: 0))
        }
        #expect(try waits() == words)
        #expect(try waits { $0.state = .proving } == words)
        // The first of these lines is the rate.
        #expect(
            try waits { $0.terms.rate = 2 * ShareRule.unitsPerStart }.dropFirst() == words[...])
        // Something else keeps them from it, or nothing does.
        var quick = Self.worker("w1")
        quick.rowsPerSecond = 1
        #expect(try !waits(quick).contains(words[0]))
        #expect(try waits(granted: 0) == [])
        #expect(try waits { $0.isPaused = true } == [])
        #expect(try !waits { $0.isOpen = false }.contains(words[0]))
        #expect(try !waits { $0.holds = [.none, .longest] }.contains(words[0]))
        #expect(try waits { $0.terms.rate = ShareRule.unitsPerStart }.count == 1)
        #expect(try !waits(Self.worker("w1", silent: 17)).contains(words[0]))
        #expect(try !waits { $0.state = .stopped }.contains(words[0]))
        #expect(try waits { $0.state = .finished } == [])
    }

    // MARK: All jobs

    private static let jobs: [ClusterControl.JobLine] = [
        .init(
            name: "august", state: nil, isPaused: false, rows: 0, isAllCounted: false,
            ageSeconds: 3,
            workers: 0, alive: 0, silentSeconds: nil),
        .init(
            name: "july", state: .running, isPaused: true, rows: 900, isAllCounted: false,
            ageSeconds: 125, workers: 3, alive: 2, silentSeconds: 0.4),
        .init(
            name: "june", state: .stopping, isPaused: false, rows: 900, isAllCounted: true,
            ageSeconds: 7200, workers: 1, alive: 0, silentSeconds: 3600),
    ]

    @Test func `a list of jobs has their states and ages, and hides none`() throws {
        #expect(
            ClusterJobList.table(Self.jobs, leftOut: 7) == """
                august: no worker has joined yet, begun 3 s ago
                july: paused, 900 rows so far, 2 of 3 workers alive, begun 2 min 05 s ago, heard of 0 s ago
                june: stopped, 900 rows, 0 of 1 worker alive, begun 2 h 00 min ago, heard of 1 h 00 min ago
                … and 7 older ones; fanfare cluster remove takes out those that are done with

                """)
        #expect(ClusterJobList.table([], leftOut: 0) == "There are no jobs\n")
        let object = try #require(
            try JSONSerialization.jsonObject(
                with: Data(ClusterJobList.json(Self.jobs, leftOut: 7).utf8)) as? [String: Any])
        #expect(object["left_out"] as? Int == 7)
        let jobs = try #require(object["jobs"] as? [[String: Any]])
        #expect(jobs.map { $0["state"] as? String } == ["new", "running", "stopped"])
        #expect(jobs.map { $0["silent_seconds"] as? Int } == [nil, 0, 3600])
    }

    private static func object(_ status: ClusterControl.Status) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(status.json.utf8)) as? [String: Any])
    }

    @Test func `scripts get them, too`() throws {
        let holds = try #require(try Self.object(Self.status())["holds"] as? [[String: Int]])
        #expect(holds == [["provider": 2, "seconds": 12], ["provider": 3, "seconds": 60]])
    }

    // MARK: The rate

    @Test func `scripts get the rate and each worker's share of it`() throws {
        let object = try Self.object(Self.status())
        #expect(object["rate"] as? Double == 1500)
        let workers = try #require(object["workers"] as? [[String: Any]])
        #expect(workers.map { $0["share"] as? Double } == [750, 0.333])
    }

    @Test(arguments: [(nil as Int64?, ClusterJobState.running), (1500, .finished)])
    func `a worker without a part of a rate has no share`(
        rate: Int64?, state: ClusterJobState
    ) throws {
        let status = Self.status(rate: rate, state: state)
        #expect(!status.table.contains("share"))
        #expect(status.table.contains("rate") == (rate != nil))
        let object = try Self.object(status)
        #expect(object["rate"] as? Double == rate.map(Double.init))
        let workers = try #require(object["workers"] as? [[String: Any]])
        #expect(workers.map { $0["share"] is NSNull } == [true, true])
    }

    @Test(arguments: [
        ([ClusterDecision.setRate(2_000_000_000)], "july is running, its rate 2000/s"),
        ([.setRate(250_000)], "july is running, its rate 0.25/s"),
        ([.pause(true)], "july is paused"),
        ([.pause(false), .goOn], "july is running"),
    ])
    func `an order is answered with what has changed`(
        decisions: [ClusterDecision], text: String
    ) throws {
        var job = try #require(Self.status().job)
        for decision in decisions {
            if case .setRate(let rate) = decision { job.terms.rate = rate }
            if case .pause(let pauses) = decision { job.isPaused = pauses }
        }
        #expect(ClusterCommand.text(of: Self.status(of: job), after: decisions) == text)
    }

    private static func status(
        of job: ClusterJob, _ workers: [ClusterControl.WorkerStatus] = [Self.worker("w1")]
    ) -> ClusterControl.Status {
        ClusterControl.Status(
            name: "july", job: job, workers: workers, waitingRows: 0, grantedRows: 0,
            doubtfulRows: 0)
    }

    @Test(
        arguments: [
            (1, false, "stopping"), (1, true, "stopping, paused"), (17, false, "stopped"),
            (17, true, "stopped, paused"),
        ] as [(Double, Bool, String)])
    func `an order is answered with the words of status`(
        silent: Double, isPaused: Bool, words: String
    ) throws {
        var job = try #require(Self.status().job)
        (job.state, job.isPaused) = (.stopping, isPaused)
        let status = Self.status(of: job, [Self.worker("w1", silent: silent)])
        #expect(
            ClusterCommand.text(of: status, after: [.stop(.ordered)]) == "july is \(words)")
        #expect(status.table.hasPrefix("july: \(words), "))
    }

    @Test(arguments: [
        ([ClusterDecision.pause(true)], "pause"), ([.pause(false), .goOn], "resume"),
        ([.stop(.ordered)], "stop"), ([.setRate(2_000_000_000)], "send at another rate"),
    ])
    func `an order to a finished job says that it does nothing`(
        decisions: [ClusterDecision], verb: String
    ) throws {
        let status = Self.status(state: .finished)
        #expect(
            ClusterCommand.text(of: status, after: decisions)
                == "july is finished: there is nothing to \(verb)")
    }

    // MARK: Options

    private static func refusal(_ words: String...) throws -> String? {
        guard case .run(let arguments) = try ArgumentParser().parse(["cluster"] + words) else {
            return nil
        }
        do throws(CommandError) {
            _ = try ClusterCommand.run(arguments)
            return nil
        } catch {
            guard case .usage(let usage) = error else { return nil }
            return usage.message
        }
    }

    /// No server is asked: there is none at this address.
    @Test func `an action refuses each option that would be without effect`() throws {
        let taken: [(action: String, options: Set<String>)] = [
            ("init", ["print"]), ("list", ["json"]), ("status", ["job", "json"]),
            ("pause", ["job"]), ("resume", ["job", "new-settings"]), ("rate", ["job"]),
            ("stop", ["job"]), ("write-off", ["job"]),
            ("remove", ["job", "unfinished", "free-name"]),
        ]
        #expect(taken.map { $0.action } == ClusterCommand.Action.allCases.map(\.rawValue))
        for (action, options) in taken {
            for option in Commands.cluster.options where option.name != "help" {
                let isTaken = ClusterCommand.Action(rawValue: action)?.takes(option)
                #expect(isTaken == options.contains(option.name), "\(action) --\(option.name)")
                guard isTaken == false else { continue }
                let value = option.type == nil ? "" : "=july"
                let text = try Self.refusal(action, "host=/nowhere", "--\(option.name)\(value)")
                #expect(text?.hasPrefix("\(action) takes no --\(option.name), which") == true)
            }
        }
        #expect(
            try Self.refusal("pause", "host=/nowhere", "--json")
                == "pause takes no --json, which is for list and status")
    }

    @Test(arguments: [
        ("fast", "'fast' is not a rate; write for example rate SERVER 5000/s"),
        (
            "20/1",
            "'20/1' has a time behind its slash that has no unit; write for example rate SERVER 20/s"
        ),
    ])
    func `a wrong rate is refused with a right one`(rate: String, text: String) throws {
        let words = ["cluster", "rate", "postgresql://db.example/push", rate, "--job", "july"]
        guard case .run(let arguments) = try ArgumentParser().parse(words) else {
            Issue.record("no command")
            return
        }
        let error = #expect(throws: CommandError.self) { try ClusterCommand.run(arguments) }
        guard case .usage(let usage) = error else {
            Issue.record("another error")
            return
        }
        #expect(usage.message == text)
    }
}
