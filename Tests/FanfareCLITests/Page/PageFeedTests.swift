import Fanfare
import FanfareBase
import FanfareCLI
import FanfareCore
import Foundation
import Testing

/// The events for the viewers of a job.
@Suite struct PageFeedTests {
    private static var figures: PageFigures {
        var snapshot = ProgressSnapshot()
        snapshot.gauges.connectionStates.open = 4
        snapshot.counts.connectionsOpened = 6
        snapshot.gauges.streamLimit = 4000
        snapshot.counts.retries = 2
        snapshot.counts.bytesSent = 1_000_000_007
        snapshot.counts.limits[.pace] = 2_500_000_000
        var reading = ProgressReading()
        reading.elapsedSeconds = 12.5
        reading.inputShare = 0.25
        reading.secondsLeft = 37.5
        reading.rows = 15
        reading.counts[.accepted] = 12
        reading.counts[.unregistered] = 3
        reading.inFlight = 640
        reading.rowsPerSecond = 100
        reading.latency = .init(p50: 41_900_000, p99: 250_100_000)
        reading.limitation = .streamLimit
        var figures = PageFigures(reading, snapshot)
        figures.rate = SendingRate(2000)
        return figures
    }

    private static func event(_ number: Int, _ level: LogLevel = .info) -> LogEvent {
        LogEvent("x", level, milliseconds: Int64(number), [.init("number", number)])
    }

    /// The numbers of the events that a stream tells of.
    private static func numbers(_ text: String) throws -> [Int] {
        try StreamReader(text).all("log").map { try #require(try $0.object["time"] as? Int) }
    }

    @Test(arguments: [
        "", "one", "two\nlines", "two\r\nlines", "two\rlines", "\n", "a\u{2028}b\u{85}c", ": x",
        " begins with a blank", "data: x", "ends\n\n",
    ])
    func `a message is read as it was written, whatever its data are`(data: String) {
        let text = StreamMessage("name", data).text
        let plain = data.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        let stream = StreamReader(text + StreamMessage("next", "x").text)
        #expect(
            stream.messages == [.init(name: "name", data: plain), .init(name: "next", data: "x")])
        // A torn message is no message.
        #expect(StreamReader(String(text.dropLast())).messages.isEmpty)
    }

    @Test func `a moment has the figures of the job`() throws {
        var feed = PageFeed()
        feed.add(Self.figures)
        let stream = StreamReader(feed.opening)
        #expect(stream.retry == 2000)
        #expect(stream.messages.map(\.name) == ["history", "snapshot"])
        let object = try #require(try stream.all("snapshot").first?.object)
        #expect(object["state"] as? String == "running" && object["rows"] as? Int == 15)
        #expect(object["elapsed"] as? Double == 12.5 && object["share"] as? Double == 0.25)
        #expect(object["left"] as? Double == 37.5 && object["rate"] as? Double == 100)
        #expect(object["p50"] as? Double == 41.9 && object["p99"] as? Double == 250.1)
        #expect(object["in_flight"] as? Int == 640 && object["allowed"] as? Int == 4000)
        #expect(object["adaptive"] is NSNull && object["late_starts"] is NSNull)
        #expect(object["pace"] as? String == "2000/s" && object["retries"] as? Int == 2)
        #expect(object["limit"] as? String == "stream limit")
        #expect(object["trouble"] is NSNull && object["waits_until"] is NSNull)
        #expect(object["sent_bytes"] as? Int == 1_000_000_007)
        let outcomes = try #require(object["outcomes"] as? [String: Int])
        #expect(outcomes.count == 9 && outcomes["accepted"] == 12 && outcomes["unregistered"] == 3)
        let connections = try #require(object["connections"] as? [String: Int])
        #expect(connections == ["connecting": 0, "open": 4, "leaving": 0, "draining": 0])
        let limits = try #require(object["limits"] as? [String: Double])
        #expect(limits["pace"] == 2.5 && limits["cpu"] == 0)
        #expect((object["routes"] as? [Any])?.isEmpty == true)
        let history = try #require(try stream.all("history").first?.object)
        #expect((history["moments"] as? [[Double]]) == [[12.5, 100, 41.9, 250.1]])
    }

    @Test func `a provider that does not answer, hours and providers are told`() throws {
        var figures = Self.figures
        var fcm = ProgressSnapshot()
        fcm.counts.outcomes[.unregistered] = 7
        fcm.counts.limits[.retries] = 5
        fcm.gauges.trouble = ProviderTrouble(
            seconds: 12.3, patienceSeconds: 900, reason: "connection refused")
        figures.reading.routes = [
            RouteProgress(.apns), RouteProgress(.fcm, counts: fcm.counts, gauges: fcm.gauges),
        ]
        figures.reading.trouble = fcm.gauges.trouble
        figures.reading.waitingRows = 1234
        figures.reading.waitsUntilMilliseconds = 1_800_000_000_000
        figures.routeRates = [(.apns, nil), (.fcm, SendingRate(9000))]
        var feed = PageFeed()
        feed.add(figures)
        let object = try #require(try StreamReader(feed.opening).all("snapshot").first?.object)
        let trouble = try #require(object["trouble"] as? String)
        #expect(trouble.hasPrefix("fcm: no answer for 12"))
        #expect(trouble.contains("(connection refused), giving up after 15"))
        #expect(object["waiting"] as? Int == 1234)
        #expect(object["waits_until"] as? Int == 1_800_000_000_000)
        let routes = try #require(object["routes"] as? [[String: Any]])
        #expect(routes.map { $0["pace"] as? String } == ["unlimited", "9000/s"])
        #expect(routes.map { $0["unregistered"] as? Int } == [0, 7])
        #expect(routes[1]["limit"] as? String == "retries")
        #expect((routes[1]["trouble"] as? String)?.hasPrefix("no answer for 12") == true)
    }

    @Test func `changes of the stream limit do not drown a warning`() throws {
        var feed = PageFeed()
        feed.add([
            LogEvent("throttled", .warning, milliseconds: 1),
            LogEvent("stream_limit_changed", .info, milliseconds: 2),
        ])
        let events = try StreamReader(feed.opening).all("log").map { try $0.object }
        #expect(events.map { $0["event"] as? String } == ["throttled"])
    }

    @Test func `a provider that takes nothing for now is told, with its next try`() throws {
        var figures = Self.figures
        var gauges = ProgressGauges()
        gauges.lanePause = ProviderPause(
            .answer("503"), until: Instant(nanoseconds: 40_000_000_000), rows: 4)
        figures.reading.routes = [RouteProgress(.apns), RouteProgress(.fcm, gauges: gauges)]
        figures.reading.pauses = [
            PauseReading(
                provider: "fcm", try #require(gauges.pause), at: Instant(nanoseconds: 0))
        ]
        var feed = PageFeed()
        feed.add(figures)
        let object = try #require(try StreamReader(feed.opening).all("snapshot").first?.object)
        #expect(object["pause"] as? String == "fcm answers 503; next try in 40 s (4 rows wait)")
        #expect(object["trouble"] is NSNull)
        let routes = try #require(object["routes"] as? [[String: Any]])
        #expect(routes[1]["pause"] as? String == "answers 503")
    }

    /// 480 of 500 and 240 of 300 accepted: 96 % and 80 %.
    @Test func `variants are told with their difference to the largest one`() throws {
        var first = OutcomeCounts()
        (first[.accepted], first[.unregistered], first[.skipped]) = (480, 13, 7)
        var second = OutcomeCounts()
        (second[.accepted], second[.rejected]) = (240, 60)
        var figures = Self.figures
        figures.snapshot.variants = OutcomeGroups(
            column: "variant",
            [.init("A", first), .init("B", second), .init("C")])
        var feed = PageFeed()
        feed.add(figures)
        let object = try #require(try StreamReader(feed.opening).all("snapshot").first?.object)
        let variants = try #require(object["variants"] as? [[String: Any]])
        #expect(variants.map { $0["rows"] as? Int } == [500, 300, 0])
        #expect(variants.map { $0["accepted"] as? Int } == [480, 240, 0])
        #expect(variants.map { $0["unregistered"] as? Int } == [13, 0, 0])
        #expect(variants.map { $0["share"] as? String } == ["96.0 %", "80.0 %", ""])
        let differences = variants.compactMap { $0["difference"] as? String }
        #expect(differences.count == 3 && differences[0] == "" && differences[2] == "")
        #expect(differences[1].contains("16.0"))
    }

    /// A step with so many good answers and so many errors, all of 20 ms.
    private static func step(
        _ load: LoadSchedule.Load, answers: Int, errors: Int = 0
    ) -> LoadStep {
        var figures = LoadFigures()
        for index in 0..<answers + errors {
            figures.started(at: 0, lateness: 0, isOwn: false)
            figures.answered(
                index < answers ? 200 : 500, service: 20_000_000, response: 20_000_000, at: 0)
        }
        figures.answeredInTime = UInt64(answers + errors)
        return LoadStep(
            load, inFlight: load == .closed ? 200 : nil, measuredNanoseconds: 1_000_000_000,
            figures: figures, processorNanoseconds: 0, busyShare: 0, connections: 1)
    }

    @Test func `the steps of a load test are told with what they have come to`() throws {
        var stage = LoadStage()
        var steps = PageSteps()
        steps.update(stage, over: [], inFlight: 0)
        #expect(steps.current == nil && steps.load == nil && steps.last.isEmpty)
        stage.count = 5
        stage.number = 2
        stage.load = .open(from: 1500, to: 1500)
        let first = Self.step(.open(from: 100, to: 1000), answers: 3, errors: 1)
        steps.update(stage, over: [first], inFlight: 0)
        #expect(steps.current == "2 of 5" && steps.load == "1,500/s" && steps.count == 1)
        #expect(steps.last.map(\.load) == ["100/s to 1,000/s"])
        var figures = Self.figures
        figures.steps = steps
        var feed = PageFeed()
        feed.add(figures)
        let object = try #require(try StreamReader(feed.opening).all("snapshot").first?.object)
        #expect(object["step"] as? String == "2 of 5" && object["steps_over"] as? Int == 1)
        #expect(object["step_load"] as? String == "1,500/s")
        let told = try #require((object["steps"] as? [[String: Any]])?.first)
        #expect(told["rate"] as? Double == 4 && told["errors"] as? Double == 0.25)
        let p50 = try #require(told["p50"] as? Double)
        #expect(p50 > 19 && p50 < 21)
        // A search does not know how many there will be.
        stage = LoadStage()
        stage.number = 71
        stage.load = .closed
        let over = (0..<70).map { _ in Self.step(.closed, answers: 0) }
        var search = PageSteps()
        search.update(stage, over: over, inFlight: 200)
        search.update(stage, over: over, inFlight: 200)
        #expect(search.current == "71" && search.load == "200 in flight" && search.count == 70)
        #expect(search.last.count == 50 && search.last[0].p50 == nil)
        // Between two steps none runs.
        stage.number = 70
        search.update(stage, over: over, inFlight: 0)
        #expect(search.current == nil && search.load == nil)
    }

    @Test func `an event is told with all it says, as text`() throws {
        var feed = PageFeed()
        feed.add([
            LogEvent(
                "goaway_received", .warning, milliseconds: 1_800_000_000_123, lane: 0,
                connection: 3, [.init("last_stream_id", 1001), .init("reason", "<b>\n\"x\u{2028}")])
        ])
        let messages = StreamReader(feed.opening).all("log")
        let object = try #require(try messages.first?.object)
        #expect(object["event"] as? String == "goaway_received")
        #expect(object["level"] as? String == "warning")
        #expect(object["time"] as? Int == 1_800_000_000_123)
        #expect(
            object["text"] as? String
                == "lane 0, connection 3, last stream id: 1001, reason: <b>\n\"x\u{2028}")
        #expect(messages.count == 1)
    }

    @Test func `a viewer is told of each event once, in order`() throws {
        var feed = PageFeed()
        feed.add((1...3).map { Self.event($0) })
        #expect(try Self.numbers(feed.opening) == [1, 2, 3])
        let known = feed.eventCount
        #expect(try Self.numbers(feed.news(after: known)) == [])
        feed.add([Self.event(4)])
        // Of what is told each second by other means nothing is made.
        feed.add([LogEvent("connection_dialled", .info, milliseconds: 9)])
        feed.add([Self.event(5)])
        #expect(try Self.numbers(feed.news(after: known)) == [4, 5])
        #expect(try Self.numbers(feed.news(after: feed.eventCount)) == [])
    }

    @Test func `events and moments that are kept have a bound`() throws {
        var feed = PageFeed()
        for number in 1...1000 { feed.add([Self.event(number)]) }
        #expect(try Self.numbers(feed.opening) == Array(801...1000))
        #expect(try Self.numbers(feed.news(after: 10)) == Array(801...1000))
        #expect(try Self.numbers(feed.news(after: 998)) == [999, 1000])
        var moments = PageMoments()
        for second in 0..<100_000 { moments.add(.init(seconds: Double(second), rate: 1)) }
        #expect(moments.kept.count <= 600 && moments.kept.count >= 300)
        #expect(moments.kept.first?.seconds == 0)
        // Evenly over the whole time: 256 s apart, since 128 s would be more than 600.
        let steps = zip(moments.kept, moments.kept.dropFirst()).map { $1.seconds - $0.seconds }
        #expect(Set(steps) == [256])
        #expect(moments.kept.last.map { $0.seconds > 99_000 } == true)
    }

    @Test func `the last word says what has become of the job, and what its page is called`() throws
    {
        let text = PageFeed.end("Stopped early: <b>", pageName: "fanfare-1.html")
        let message = try #require(StreamReader(text).messages.first)
        #expect(message.name == "end")
        #expect(try message.object["text"] as? String == "Stopped early: <b>")
        #expect(try message.object["has_page"] as? Bool == true)
        #expect(try message.object["name"] as? String == "fanfare-1.html")
        let none = try #require(StreamReader(PageFeed.end("x", pageName: nil)).messages.first)
        #expect(try none.object["has_page"] as? Bool == false)
    }
}
