import FanfareBase
import Testing

@testable import FanfareCore

private func makeDispatcher(connections: Int, isAdaptive: Bool = true) -> Dispatcher {
    var settings = DispatchSettings(
        connections: connections, streamsPerConnection: 1000, firstRequestAlone: false,
        timeout: .seconds(30), retry: RetryPolicy(attemptsMax: 3))
    settings.isAdaptive = isAdaptive
    return Dispatcher(settings: settings, seed: 1)
}

private let begin = Instant(nanoseconds: 0)
private let later = Instant(nanoseconds: 20_000_000)

extension Dispatcher {
    fileprivate mutating func open(limit: UInt32) -> Int {
        guard let connection = nextDial(now: begin) else { preconditionFailure("no dial is due") }
        connected(connection, now: begin)
        settingsReceived(on: connection, maxConcurrentStreams: limit)
        return connection
    }

    fileprivate mutating func fill(_ connection: Int, now: Instant = begin) -> [RequestID] {
        var started: [RequestID] = []
        while room(on: connection) > 0 {
            let id = takeUp()
            self.started(id, on: connection, now: now)
            started.append(id)
        }
        return started
    }
}

@Suite struct DispatcherAdaptiveTests {
    @Test func `one window holds all connections of a lane`() {
        var dispatcher = makeDispatcher(connections: 2)
        let (first, second) = (dispatcher.open(limit: 70), dispatcher.open(limit: 70))
        #expect(dispatcher.fill(first).count == 70)
        let heldByOne = dispatcher.adaptiveHold
        #expect(dispatcher.fill(second).count == 30)
        let heldByTwo = dispatcher.adaptiveHold
        #expect(heldByOne == nil && heldByTwo == .inFlightGrowth)
        #expect(dispatcher.adaptiveLimit == 100)
    }

    @Test func `without it connections have what their own windows allow`() {
        var dispatcher = makeDispatcher(connections: 1, isAdaptive: false)
        let connection = dispatcher.open(limit: 900)
        #expect(dispatcher.fill(connection).count == 900)
        let hold = dispatcher.adaptiveHold
        #expect(dispatcher.adaptiveLimit == nil && hold == nil)
    }

    @Test func `answers raise it, refusals lower it`() {
        var dispatcher = makeDispatcher(connections: 1)
        let connection = dispatcher.open(limit: 1000)
        let flight = dispatcher.fill(connection)
        for id in flight.prefix(10) {
            _ = dispatcher.attemptEnded(id, .answeredFinally, now: later)
        }
        #expect(dispatcher.adaptiveLimit == 110)
        for id in flight.dropFirst(10).prefix(7) {
            _ = dispatcher.attemptEnded(
                id, .answeredAgain(.later(retryAfter: nil)), isOverload: true, now: later)
        }
        #expect(dispatcher.adaptiveLimit == 55)
        let hold = dispatcher.adaptiveHold
        #expect(hold == .inFlightRefusals)
    }

    @Test func `answers that take longer lower it, too`() {
        var dispatcher = makeDispatcher(connections: 1)
        let connection = dispatcher.open(limit: 1000)
        var now = begin
        var limits: [Int] = []
        // Two flights without a queue, then all of them wait for 180 ms.
        for milliseconds in [20, 20, 200, 200, 200, 200] as [Int64] {
            let flight = dispatcher.fill(connection, now: now)
            now = now.advanced(byNanoseconds: milliseconds * 1_000_000)
            for id in flight {
                _ = dispatcher.attemptEnded(id, .answeredFinally, now: now)
                dispatcher.finished(id)
            }
            limits.append(dispatcher.adaptiveLimit ?? 0)
        }
        #expect(limits[0] == 200 && limits[1] > 200)
        #expect(limits[5] < limits[1])
        _ = dispatcher.fill(connection, now: now)
        let hold = dispatcher.adaptiveHold
        #expect(hold == .inFlightLatency)
    }

    @Test func `requests in doubt make the window small, as refusals do`() {
        var dispatcher = makeDispatcher(connections: 1)
        let connection = dispatcher.open(limit: 1000)
        let flight = dispatcher.fill(connection)
        // A few may be chance: 3 % of two flights are a signal.
        for id in flight.prefix(7) {
            #expect(dispatcher.adaptiveLimit == 100, "\(id)")
            _ = dispatcher.refusesOrResets(on: connection, isInDoubt: true, now: later)
            _ = dispatcher.attemptEnded(id, .inDoubt, now: later)
        }
        #expect(dispatcher.adaptiveLimit == 50)
    }

    @Test func `a stream limit that comes down and goes up again costs nothing for good`() {
        var dispatcher = makeDispatcher(connections: 2)
        let (first, second) = (dispatcher.open(limit: 60), dispatcher.open(limit: 1000))
        _ = dispatcher.fill(first)
        _ = dispatcher.fill(second)
        dispatcher.settingsReceived(on: first, maxConcurrentStreams: 1)
        #expect(dispatcher.room(on: first) == 0)
        #expect(dispatcher.adaptiveLimit == 100)
        dispatcher.settingsReceived(on: first, maxConcurrentStreams: 60)
        #expect(dispatcher.adaptiveLimit == 100)
    }

    /// Ten connections of ten: a cut of one loses a tenth, a cut of all of them everything.
    @Test func `one lost connection of many does not keep the window small`() {
        var few = AdaptiveWindow()
        var all = AdaptiveWindow()
        few.cutOff(lost: 1, of: 100)
        all.cutOff(lost: 100, of: 100)
        // Half of the share that was lost; slow start goes on behind the small one.
        #expect(few.limit == 100 && all.limit == 50)
        #expect(few.cause == .growth && all.cause == .refusals)
        few.started(inFlight: few.limit)
        all.started(inFlight: all.limit)
        few.answered(after: 1_000_000, now: begin)
        all.answered(after: 1_000_000, now: begin)
        #expect(few.limit == 101 && all.limit == 50)
    }

    @Test func `cuts that follow each other add up, to those of all connections`() {
        var window = AdaptiveWindow()
        for _ in 0..<3 { window.cutOff(lost: 10, of: 100) }
        // 5 % less each time.
        #expect(window.limit == 87)
        #expect(window.careful == 9)
        for _ in 0..<20 { window.cutOff(lost: 10, of: 100) }
        #expect(window.careful == Limits.adaptiveCarefulRounds)
    }

    /// A hundred answers, and what is on its way then is lost: three of 103 are a thirty-fourth.
    @Test func `cuts that go on leave as many in flight as take a thirty-second of the rows`() {
        var window = AdaptiveWindow()
        var limits: [Int] = []
        for _ in 0..<8 {
            window.cutOff(lost: window.limit, of: window.limit, behind: 100)
            limits.append(window.limit)
        }
        #expect(limits == [50, 25, 13, 7, 4, 3, 3, 3])
    }

    @Test func `cuts behind a few answers leave one in flight`() {
        var window = AdaptiveWindow()
        for _ in 0..<8 { window.cutOff(lost: window.limit, of: window.limit, behind: 31) }
        #expect(window.limit == 1)
    }

    /// One of eight connections is replaced all the time, as by a provider that says GOAWAY often.
    @Test(arguments: [(8, 1, true), (8, 2, false), (4, 1, false), (64, 8, true)])
    func `a few connections that are being replaced do not stop the look for more`(
        count: Int, missing: Int, growing: Bool
    ) {
        var settings = DispatchSettings(
            connections: count, streamsPerConnection: 10, firstRequestAlone: false,
            timeout: .seconds(30), retry: RetryPolicy(attemptsMax: 3))
        settings.connectionsMax = 2 * count
        settings.dial.concurrentMax = count
        var dispatcher = Dispatcher(settings: settings, seed: 1)
        for _ in 0..<count - missing {
            let connection = dispatcher.open(limit: 10)
            for id in dispatcher.fill(connection) {
                _ = dispatcher.attemptEnded(id, .answeredFinally, now: later)
            }
        }
        var times = LimitTimes()
        for step in 1...10 as ClosedRange<Int64> {
            times[.streamLimit] += 100_000_000
            dispatcher.reviewDemand(
                times: times, answers: UInt64(100 * step),
                now: later.advanced(byNanoseconds: 100_000_000 * step))
        }
        #expect(dispatcher.connectionDemand.target == (growing ? 2 * count : count))
    }

    @Test func `ENHANCE_YOUR_CALM halves the connection that it came on`() {
        var dispatcher = makeDispatcher(connections: 2)
        let (first, second) = (dispatcher.open(limit: 40), dispatcher.open(limit: 40))
        let flight = dispatcher.fill(first)
        _ = dispatcher.fill(second)
        dispatcher.calmed(on: first)
        #expect(dispatcher.window(of: first).limit == 20)
        #expect(dispatcher.window(of: second).limit == 40)
        #expect(dispatcher.adaptiveLimit == 100)
        // The others of the flight mean the same.
        dispatcher.calmed(on: first)
        #expect(dispatcher.window(of: first).limit == 20)
        // A flight of answers behind it lets it grow by one.
        for id in flight { _ = dispatcher.attemptEnded(id, .answeredFinally, now: later) }
        #expect(dispatcher.window(of: first).limit == 21)
    }

    @Test func `a calmed connection gets its window back`() {
        var window = InFlightWindow(cap: 100, isProbing: false)
        window.settingsReceived(maxConcurrentStreams: 4)
        for _ in 0..<4 { window.opened() }
        window.calmed()
        #expect(window.limit == 2)
        // Four of the flight before give one more. Where the peer asked for calm, beyond three, it looks with
        // the sixteenth flight only: 48 answers.
        for _ in 0..<4 {
            window.closed()
            window.answered()
        }
        #expect(window.limit == 3)
        for _ in 0..<47 {
            window.opened()
            window.closed()
            window.answered()
        }
        #expect(window.limit == 3)
        window.opened()
        window.closed()
        window.answered()
        #expect(window.limit == 4 && window.calm == nil)
    }

    @Test func `a calmed connection that takes much gets a sixteenth more`() {
        var window = InFlightWindow(cap: 200, isProbing: false)
        window.settingsReceived(maxConcurrentStreams: 200)
        for _ in 0..<64 { window.opened() }
        window.calmed()
        #expect(window.limit == 32)
        var answers = 0
        while window.limit == 32, answers < 1000 {
            if answers >= 64 { window.opened() }
            window.closed()
            window.answered()
            answers += 1
        }
        #expect(window.limit == 34)
    }

    @Test func `a flight that is reset is over as one that is answered`() {
        var window = InFlightWindow(cap: 100, isProbing: false)
        window.settingsReceived(maxConcurrentStreams: 40)
        for limit in [20, 10, 5] {
            while window.room > 0 { window.opened() }
            // Each of them is told so, and that is one signal.
            while window.inFlight > 0 {
                window.calmed()
                window.closed()
            }
            #expect(window.limit == limit)
        }
    }
}
