import Fanfare
import FanfareTestSupport
import Synchronization
import Testing

/// The report about a row whose connection ends in the middle of an exchange, over real sockets.
@Suite struct ConnectionEndTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    enum Ending: CaseIterable {
        case fin, reset, goAway, violation

        func happens(on talk: ScriptedPeer.Talk, last: UInt32) {
            switch self {
            case .fin: break
            case .reset: talk.resetsAtEnd()
            case .goAway: talk.say(.goAway(last: last))
            // DATA for the connection. RFC 9113 §6.1
            case .violation:
                talk.say(.data(0, "x"))
                talk.wait()
            }
        }
    }

    @Test(arguments: Ending.allCases, [Delivery.atMostOnce, .atLeastOnce])
    func `an answer that has begun counts, however the connection ends`(
        ending: Ending, delivery: Delivery
    ) throws {
        let peer = try ScriptedPeer { talk in
            guard talk.number == 1 else { return talk.beKind() }
            talk.say(.settings([(3, 3)]))
            let streams = talk.requests(3)
            guard streams.count == 3 else { return }
            talk.say(
                .headers(streams[0], [(":status", "200")]),
                .headers(streams[1], [(":status", "410")]),
                .data(streams[1], #"{"reason":"Unreg"#))
            talk.beHeard()
            ending.happens(on: talk, last: UInt32(streams[2]))
        }
        let job = try TestJob(oneConnectionTo: peer.provider, rows: 3, folder: folder) {
            $0.engine.delivery = delivery
        }
        job.expectAccounted(3)
        #expect(try job.report.line(1)["outcome"] == "accepted")
        #expect(try job.report.line(1)["attempts"] == "1")
        // Half an answer is no verdict on a token.
        #expect(try job.report.line(2)["outcome"] == "suspect")
        #expect(try job.report.line(2)["status"] == "410")
        // Of the third nothing was heard.
        let isSentAgain = delivery == .atLeastOnce
        #expect(try job.report.line(3)["outcome"] == (isSentAgain ? "accepted" : "unknown"))
    }

    @Test func `a stop leaves rows in doubt that wait to be repeated to the next run`() throws {
        let wasHeard = Atomic(false)
        let wasStopped = Atomic(false)
        let isKind = Atomic(false)
        let peer = try ScriptedPeer { talk in
            if isKind.load(ordering: .relaxed) { return talk.beKind() }
            talk.say(.settings())
            if !talk.requests(1).isEmpty { wasHeard.store(true, ordering: .relaxed) }
        }
        let stop: @Sendable (Job) -> Void = { job in
            guard wasHeard.load(ordering: .relaxed),
                !wasStopped.exchange(true, ordering: .relaxed)
            else { return }
            job.interrupt()
        }
        func run(_ adjust: (inout Configuration) -> Void) throws -> TestJob {
            try TestJob(
                oneConnectionTo: peer.provider, rows: 3, folder: folder,
                adjust: {
                    $0.engine.delivery = .atLeastOnce
                    adjust(&$0)
                }, meanwhile: stop)
        }
        // More attempts than there is time for.
        let first = try run { $0.engine.attemptsMax = 1000 }
        #expect(first.result.exitCode == 130)
        #expect(first.report.lines.isEmpty)
        #expect(folder.exists("report.csv.checkpoint"))
        isKind.store(true, ordering: .relaxed)
        let second = try run {
            $0.report.overwrites = false
            $0.report.resumes = true
        }
        second.expectAccounted(3)
        #expect(second.report.outcomes == ["accepted": 3])
        // It is in each row's `apns-id`.
        #expect(try Self.jobID(of: second) == Self.jobID(of: first))
    }

    private static func jobID(of job: TestJob) throws -> Substring {
        let lines = job.result.summaryJSON.split(separator: "\n")
        return try #require(lines.first { $0.contains("\"job_id\"") })
    }

    @Test(arguments: Ending.allCases)
    func `a request whose body the window held back is sent again, and no attempt counts`(
        ending: Ending
    ) throws {
        let peer = try ScriptedPeer { talk in
            guard talk.number == 1 else { return talk.beKind() }
            // INITIAL_WINDOW_SIZE (4) is 0: HEADERS come, and no body. RFC 9113 §6.9.2
            talk.say(.settings([(4, 0)]))
            let streams = talk.requests(20, areWhole: false)
            ending.happens(on: talk, last: UInt32(streams.last ?? 0))
        }
        let job = try TestJob(oneConnectionTo: peer.provider, rows: 20, folder: folder)
        job.expectAccounted(20)
        #expect(job.report.outcomes == ["accepted": 20])
        #expect(job.report.lines.allSatisfy { $0["attempts"] == "1" })
    }

    @Test func `a request whose body the window held back until its time was over is sent again`()
        throws
    {
        let resets = Atomic(0)
        let peer = try ScriptedPeer { talk in
            guard talk.number == 1 else { return talk.beKind() }
            talk.say(.settings([(3, 5), (4, 0)]))
            _ = talk.requests(5, areWhole: false)
            // A sign of life, so that only the requests' time is over.
            talk.beHeard()
            for _ in 0..<5 {
                while let frame = talk.next(), frame.kind != ScriptedPeer.Frame.reset {}
                resets.add(1, ordering: .relaxed)
            }
        }
        let job = try TestJob(oneConnectionTo: peer.provider, rows: 5, folder: folder) {
            $0.engine.timeout = .milliseconds(500)
        }
        job.expectAccounted(5)
        #expect(resets.load(ordering: .relaxed) == 5)
        #expect(job.report.outcomes == ["accepted": 5])
        #expect(job.report.lines.allSatisfy { $0["attempts"] == "1" })
    }

    @Test func `an answer that is complete before the body was sent ends the attempt`() throws {
        let codes = Mutex<[[UInt8]]>([])
        let peer = try ScriptedPeer { talk in
            talk.say(.settings([(4, 0)]))
            for stream in talk.requests(3, areWhole: false) {
                talk.say(
                    .headers(stream, [(":status", "413")]),
                    .data(stream, #"{"reason":"PayloadTooLarge"}"#, ends: true))
            }
            while let frame = talk.next() {
                if frame.kind == ScriptedPeer.Frame.reset {
                    codes.withLock { $0.append(frame.payload) }
                }
            }
        }
        // Longer than the test may take: nothing here waits for it.
        let job = try TestJob(oneConnectionTo: peer.provider, rows: 3, folder: folder) {
            $0.engine.timeout = .seconds(300)
        }
        #expect(job.report.lines.map { $0["status"] } == ["413", "413", "413"])
        // NO_ERROR. RFC 9113 §8.1
        #expect(codes.withLock { $0 } == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    }

    /// docs/decisions/032: the status counts, with any end of the stream behind it.
    @Test func `a 200 without END_STREAM that is then reset is accepted`() throws {
        let peer = try ScriptedPeer { talk in
            talk.say(.settings())
            // NO_ERROR, INTERNAL_ERROR, REFUSED_STREAM, CANCEL. RFC 9113 §7
            for (stream, code) in zip(talk.requests(4), [0, 2, 7, 8] as [UInt32]) {
                talk.say(.headers(stream, [(":status", "200")]), .reset(stream, code: code))
            }
            talk.wait()
        }
        let job = try TestJob(oneConnectionTo: peer.provider, rows: 4, folder: folder) {
            $0.engine.delivery = .atLeastOnce
        }
        job.expectAccounted(4)
        #expect(job.report.outcomes == ["accepted": 4])
        #expect(job.report.lines.allSatisfy { $0["attempts"] == "1" })
    }

    /// One stream at a time: a second connection would not be answered.
    @Test func `a peer that ends no stream is answering, and keeps its connection`() throws {
        let connections = Atomic(0)
        let peer = try ScriptedPeer { talk in
            connections.wrappingAdd(1, ordering: .relaxed)
            talk.say(.settings([(3, 1)]))
            for _ in 0..<2 {
                guard let stream = talk.requests(1).first else { return }
                talk.say(.headers(stream, [(":status", "200")]))
            }
            talk.wait()
        }
        let job = try TestJob(oneConnectionTo: peer.provider, rows: 2, folder: folder) {
            $0.engine.timeout = .seconds(1)
        }
        job.expectAccounted(2)
        #expect(job.report.outcomes == ["accepted": 2])
        #expect(connections.load(ordering: .relaxed) == 1)
    }

    // docs/decisions/033, RFC 9113 §8.1.1
    @Test func `an answer that breaks HTTP is in doubt, and its connection goes on`() throws {
        let bad: [[(String, String)]] = [
            [(":status", "200"), ("X-UP", "1")], [(":status", "200"), ("connection", "close")],
            [("x", "1"), (":status", "200")], [(":status", "200"), ("apns-id", "a\r\nb")],
            [(":status", "200"), ("content-length", "5")], [(":status", "200"), (":path", "/")],
        ]
        let peer = try ScriptedPeer { talk in
            talk.say(.settings())
            let streams = talk.requests(bad.count + 1)
            guard let last = streams.last else { return }
            for (stream, fields) in zip(streams, bad) {
                talk.say(.headers(stream, fields, ends: true))
            }
            talk.say(.headers(last, [(":status", "200")], ends: true))
            talk.wait()
        }
        let job = try TestJob(oneConnectionTo: peer.provider, rows: bad.count + 1, folder: folder)
        job.expectAccounted(bad.count + 1)
        #expect(job.report.outcomes == ["unknown": bad.count, "accepted": 1])
        #expect(try job.report.line(bad.count + 1)["outcome"] == "accepted")
        #expect(job.report.lines.count { $0["reason"] == "malformed answer" } == bad.count)
    }

    @Test func `an even last id of a GOAWAY costs no answered row`() throws {
        let peer = try ScriptedPeer { talk in
            guard talk.number == 1 else { return talk.beKind() }
            talk.say(.settings([(3, 4)]))
            let streams = talk.requests(4)
            guard streams == [1, 3, 5, 7] else { return }
            talk.say(.goAway(last: 4))
            for stream in streams[..<2] {
                talk.say(.headers(stream, [(":status", "200")], ends: true))
            }
            talk.wait()
        }
        let job = try TestJob(oneConnectionTo: peer.provider, rows: 4, folder: folder)
        job.expectAccounted(4)
        #expect(job.report.outcomes == ["accepted": 4])
        #expect(job.report.lines.allSatisfy { $0["attempts"] == "1" })
    }

    /// 65,535 bytes of DATA are all that a connection takes without WINDOW_UPDATE. RFC 9113 §6.9.2
    @Test func `a connection whose window never comes back is replaced, and its rows are sent`()
        throws
    {
        let connections = Atomic(0)
        let peer = try ScriptedPeer { talk in
            connections.add(1, ordering: .relaxed)
            talk.beKind()
        }
        let text = String(repeating: "x", count: 4000)
        let job = try TestJob(
            oneConnectionTo: peer.provider, rows: 50,
            payload: #"{"aps":{"alert":"\#(text)"}}"#, folder: folder
        ) {
            $0.engine.timeout = .seconds(1)
        }
        job.expectAccounted(50)
        #expect(job.report.outcomes == ["accepted": 50])
        #expect(connections.load(ordering: .relaxed) >= 4)
    }
}
