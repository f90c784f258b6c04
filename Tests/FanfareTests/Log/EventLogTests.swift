import FanfareBase
import FanfareCore
import FanfareTestSupport
import Foundation
import Glibc
import Synchronization
import Testing

@testable import Fanfare

/// The lines that a job writes to its log.
@Suite struct EventLogTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func events(_ name: String = "log") throws -> [[String: Any]] {
        try folder.read(name).split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(value as? [String: Any])
        }
    }

    private func job(
        _ rules: String, level: LogOptions.Level = .info, tokens: [String]
    ) throws -> (job: Job, provider: SimulatedProvider) {
        let provider = try SimulatedProvider(rules)
        var configuration = Preparation.configuration(
            "token\n" + tokens.map { $0 + "\n" }.joined())
        configuration.provider.endpoint = provider.endpoint
        configuration.engine.connections = 1
        configuration.engine.lanes = 1
        configuration.report.path = folder.path("r.csv")
        configuration.log = LogOptions(path: folder.path("log"))
        configuration.log?.level = level
        return (try Job(configuration), provider)
    }

    private var tokens: [String] {
        (0..<50).map { String(String($0 + 0x1_0000_0000, radix: 16).dropFirst()) + tail }
    }

    private let tail = String(repeating: "ab", count: 28)

    @Test func `a job that goes well is told from its beginning to its end`() throws {
        let (job, provider) = try job("", tokens: tokens)
        defer { _ = provider.stop() }
        #expect(try job.run().exitCode == 0)
        let events = try events()
        let names = events.compactMap { $0["event"] as? String }
        #expect(names.first == "job_started" && names.last == "job_ended")
        let dialled = try #require(names.firstIndex(of: "connection_dialled"))
        let opened = try #require(names.firstIndex(of: "connection_opened"))
        let closed = try #require(names.firstIndex(of: "connection_closed"))
        #expect(dialled < opened && opened < closed)
        #expect(names.contains("stream_limit_changed"))
        #expect(events.last?["accepted"] as? Int == 50 && events.last?["exit_code"] as? Int == 0)
        #expect(events[closed]["cause"] as? String == "ours")
        #expect(job.logProblem == nil)
        // Neither tokens nor payloads.
        let text = try folder.read("log")
        #expect(!text.contains(tail) && !text.contains("aps"))
    }

    @Test func `GOAWAY is told with its reason, and only what the level takes in`() throws {
        let rule = """
            {"when": {"connection": 1, "after": 5}, "then": {"goaway":
            {"error": "ENHANCE_YOUR_CALM", "lastStreamID": "before", "reason": "Shutdown"}}}
            """
        let (job, provider) = try job(rule, level: .warning, tokens: tokens)
        defer { _ = provider.stop() }
        _ = try job.run()
        let events = try events()
        let goAway = try #require(events.first { $0["event"] as? String == "goaway_received" })
        #expect(goAway["error"] as? String == "ENHANCE_YOUR_CALM")
        #expect(goAway["reason"] as? String == "Shutdown")
        #expect(goAway["connection"] as? Int == 1 && goAway["lane"] as? Int == 0)
        #expect(goAway["last_stream_id"] is Int)
        #expect(events.allSatisfy { ["error", "warning"].contains($0["level"] as? String) })
    }

    @Test func `a GOAWAY without an error or words is no warning`() throws {
        let rule = """
            {"when": {"connection": 1, "after": 5}, "then": {"goaway":
            {"error": "NO_ERROR", "lastStreamID": "before"}}}
            """
        let (job, provider) = try job(rule, level: .info, tokens: tokens)
        defer { _ = provider.stop() }
        _ = try job.run()
        let goAway = try #require(
            try events().first { $0["event"] as? String == "goaway_received" })
        #expect(goAway["error"] as? String == "NO_ERROR")
        #expect(goAway["level"] as? String == "info")
    }

    @Test func `the frames of one connection are told, and nothing that is in them`() throws {
        let provider = try SimulatedProvider()
        defer { _ = provider.stop() }
        var configuration = Preparation.configuration(
            "token\n" + tokens.map { $0 + "\n" }.joined())
        configuration.provider.endpoint = provider.endpoint
        configuration.engine.connections = 1
        configuration.engine.lanes = 1
        configuration.report.path = folder.path("r.csv")
        configuration.log = LogOptions(path: folder.path("log"))
        configuration.log?.level = .error
        configuration.log?.framesOfConnection = 1
        #expect(try Job(configuration).run().exitCode == 0)
        let frames = try events().filter { $0["event"] as? String == "frame" }
        func select(_ direction: String, _ type: String) -> [[String: Any]] {
            frames.filter {
                $0["direction"] as? String == direction && $0["type"] as? String == type
            }
        }
        #expect(frames.allSatisfy { $0["connection"] as? Int == 1 })
        // RFC 9113 §3.4: SETTINGS are the first frame on either side.
        for direction in ["in", "out"] {
            let first = frames.first { $0["direction"] as? String == direction }
            #expect(first?["type"] as? String == "SETTINGS" && first?["stream"] as? Int == 0)
        }
        // A request is HEADERS and DATA on an odd stream of its own, §5.1.1.
        let streams = select("out", "HEADERS").compactMap { $0["stream"] as? Int }
        #expect(streams.sorted() == (0..<50).map { 2 * $0 + 1 })
        #expect(Set(select("out", "DATA").compactMap { $0["stream"] as? Int }) == Set(streams))
        #expect(Set(select("in", "HEADERS").compactMap { $0["stream"] as? Int }) == Set(streams))
        #expect(select("out", "GOAWAY").count == 1)
        #expect(try !folder.read("log").contains(tail))
    }

    @Test func `events are put behind what is there`() throws {
        try folder.write("{\"event\": \"earlier\"}\n", to: "log")
        let (job, provider) = try job("", level: .error, tokens: tokens)
        defer { _ = provider.stop() }
        job.stop()
        _ = try job.run()
        let names = try events().compactMap { $0["event"] as? String }
        #expect(names.first == "earlier" && names.dropFirst() == ["job_stopping"])
    }

    @Test func `who is slower than the events loses some, and is told how many`() throws {
        let log = try EventLog(LogOptions(path: folder.path("log")), of: Configuration())
        let event = LogEvent("x", .info, milliseconds: 0)
        // No thread writes yet.
        for _ in 0..<Limits.logTurnsMax + 3 { log.submit([event, event]) }
        log.submit([], dropped: 7)
        try log.writing {}
        let events = try events()
        let told = events.filter { $0["event"] as? String == "events_dropped" }
        #expect(told.map { $0["events"] as? Int } == [13])
        #expect(events.count == 2 * Limits.logTurnsMax + 1)
    }

    @Test func `a listener hears what matters, and the file has what it was told to have`() throws {
        let heard = Mutex<[String]>([])
        var options = LogOptions(path: folder.path("log"))
        options.level = .error
        let log = try EventLog(options, of: Configuration()) { events in
            heard.withLock { $0 += events.map(\.name.description) }
        }
        #expect(log.level == .info)
        log.submit([], dropped: 2)
        try log.writing {
            log.add("good", .info)
            log.add("bad", .error)
            log.add("detail", .debug)
            log.submit([LogEvent("frame", .debug, milliseconds: 0)])
        }
        #expect(heard.withLock { $0 } == ["events_dropped", "good", "bad"])
        #expect(
            try events().map { $0["event"] as? String } == ["events_dropped", "bad", "frame"])
    }

    @Test func `a listener needs no file, and is told what a file has at its level`() throws {
        let heard = Mutex<[String]>([])
        let listener: EventLog.Listener = { events in
            heard.withLock { $0 += events.map(\.name.description) }
        }
        let log = try EventLog(nil, of: Configuration(), listener: listener)
        try log.writing {
            log.add("good", .info)
            log.add("detail", .debug)
        }
        #expect(heard.withLock { $0 } == ["good"] && log.problem == nil)
        var options = LogOptions(path: folder.path("log"))
        options.level = .debug
        #expect(try EventLog(options, of: Configuration(), listener: listener).level == .debug)
    }

    @Test func `a full disk costs the log and not the job`() throws {
        let log = try EventLog(LogOptions(path: "/dev/full"), of: Configuration())
        try log.writing { log.add("x", .info) }
        #expect(log.problem?.hasPrefix("/dev/full cannot be written: ") == true)
    }

    @Test func `a log whose reader takes nothing is given up when the job is to end at once`()
        throws
    {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        defer {
            close(reader)
            close(writer)
        }
        let log = try EventLog(LogOptions(path: "/dev/fd/\(writer)"), of: Configuration())
        let control = JobControl(log: log)
        let event = LogEvent("x", .info, milliseconds: 0)
        // Much more than a pipe holds.
        for _ in 0..<Limits.logTurnsMax / 2 {
            log.submit([LogEvent](repeating: event, count: 1000))
        }
        control.interrupt(JobStop(.interrupted, "interrupted"))
        control.interrupt(JobStop(.interrupted, "interrupted"))
        try log.writing {}
        #expect(log.problem?.hasSuffix("its reader takes nothing") == true)
    }

    @Test func `a log that is removed while the job runs is told, and one that is renamed is not`()
        throws
    {
        let path = folder.path("log")
        for isRenamed in [false, true] {
            let log = try EventLog(LogOptions(path: path), of: Configuration())
            try log.writing {
                log.add("x", .info)
                if isRenamed {
                    rename(path, path + ".1")
                } else {
                    unlink(path)
                }
            }
            let told = "\(path) was removed while the job ran, and its lines with it"
            #expect(log.problem == (isRenamed ? nil : told))
            #expect(!folder.exists("log"))
        }
        #expect(try events("log.1").map { $0["event"] as? String } == ["x"])
    }

    @Test func `a file that has another use is refused`() throws {
        try folder.write("token\n", to: "rows.csv")
        var configuration = Configuration()
        configuration.inputs = [.file(folder.path("rows.csv"))]
        configuration.report.path = "-"
        for path in [folder.path("rows.csv"), "-"] {
            #expect(throws: FanfareError.self) {
                _ = try EventLog(LogOptions(path: path), of: configuration)
            }
        }
        #expect(throws: FanfareError.self) {
            _ = try EventLog(LogOptions(path: folder.path("no/log")), of: configuration)
        }
    }
}
