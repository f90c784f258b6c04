import FanfareBase
import FanfareCore
import Testing

private func seconds(_ value: Double) -> Instant { Instant(nanoseconds: Int64(value * 1e9)) }

/// The window of a connection whose peer refuses streams that its own limit allows.
@Suite struct RefusedStreamTests {
    private func window(inFlight: Int, limit: UInt32 = 1000) -> InFlightWindow {
        var window = InFlightWindow(cap: 1000, isProbing: false)
        window.settingsReceived(maxConcurrentStreams: limit)
        for _ in 0..<inFlight { window.opened() }
        return window
    }

    private func answer(_ count: Int, _ window: inout InFlightWindow) {
        for _ in 0..<count {
            window.closed()
            window.answered()
        }
    }

    private func refuse(_ count: Int, _ window: inout InFlightWindow) {
        for _ in 0..<count {
            window.refused()
            window.closed()
        }
    }

    @Test(arguments: [true, false])
    func `a flight leaves as many as were taken of it, in whatever order it ends`(
        answersFirst: Bool
    ) {
        var window = window(inFlight: 100)
        if answersFirst { answer(10, &window) }
        refuse(90, &window)
        #expect(window.limit == 10)
    }

    @Test func `each flight of answers makes room for one more, or a sixteenth`() {
        var window = window(inFlight: 11)
        refuse(1, &window)
        for limit in 10...32 {
            #expect(window.limit == limit)
            while window.room > 0 { window.opened() }
            answer(limit, &window)
        }
        // A sixteenth of 32 is two.
        #expect(window.limit == 34)
    }

    @Test func `the search for more costs one request in a flight`() {
        var window = window(inFlight: 100)
        refuse(90, &window)
        var refused = 0
        for _ in 0..<100 {
            while window.room > 0 { window.opened() }
            // It takes ten at a time.
            let tooMany = max(window.inFlight - 10, 0)
            refused += tooMany
            answer(window.inFlight - tooMany, &window)
            refuse(tooMany, &window)
            #expect((10...11).contains(window.limit))
        }
        #expect(refused <= 100)
    }

    @Test func `a window that has grown to the peer's limit is free again`() {
        var window = window(inFlight: 4, limit: 4)
        refuse(1, &window)
        #expect(window.limit == 3)
        answer(3, &window)
        #expect(window.limit == 4 && window.capacity == nil)
    }

    /// APNs lowers its limit to one with each rejection, and raises it with the next success.
    @Test func `what was beyond a limit that came down is no sign of anything`() {
        var window = window(inFlight: 100)
        window.settingsReceived(maxConcurrentStreams: 1)
        refuse(99, &window)
        window.settingsReceived(maxConcurrentStreams: 1000)
        #expect(window.limit == 1000 && window.capacity == nil)
    }

    @Test func `a stream that was alone says nothing of how many are too many`() {
        var window = window(inFlight: 1)
        refuse(1, &window)
        #expect(window.limit == 1000)
    }

    // MARK: Dispatcher

    private func makeDispatcher(connections: Int = 1) -> Dispatcher {
        Dispatcher(
            settings: DispatchSettings(
                connections: connections, streamsPerConnection: 100, firstRequestAlone: false,
                timeout: .seconds(30),
                retry: RetryPolicy(firstDelay: .seconds(1), delayMax: .seconds(60))),
            seed: 1)
    }

    private func open(_ dispatcher: inout Dispatcher) -> Int {
        let connection = dispatcher.nextDial(now: seconds(0)) ?? -1
        dispatcher.connected(connection, now: seconds(0))
        dispatcher.settingsReceived(on: connection, maxConcurrentStreams: 100)
        return connection
    }

    @Test func `another connection begins with what the first one takes, and is not barred`() {
        var dispatcher = makeDispatcher(connections: 2)
        let first = open(&dispatcher)
        for _ in 0..<20 {
            let id = dispatcher.takeUp()
            dispatcher.started(id, on: first, now: seconds(0))
        }
        for _ in 0..<15 {
            let id = dispatcher.oldest(on: first)!
            dispatcher.refusedStream(on: first)
            _ = dispatcher.attemptEnded(id, .unprocessed, now: seconds(0))
        }
        #expect(dispatcher.window(of: first).limit == 5)
        let hold = dispatcher.adaptiveHold
        #expect(hold == nil)
        let second = open(&dispatcher)
        #expect(dispatcher.room(on: second) == 5)
    }

    /// The longest of some pauses before a request goes again that was refused 12 times.
    private func longestPause(whileOthersAreAnswered: Bool) -> Int64 {
        var longest: Int64 = 0
        var dispatcher = makeDispatcher()
        let connection = open(&dispatcher)
        for _ in 0..<20 {
            let id = dispatcher.takeUp()
            for round in 1...12 {
                let now = seconds(Double(round) * 100)
                _ = dispatcher.nextReady(now: now)
                dispatcher.started(id, on: connection, now: now)
                if whileOthersAreAnswered {
                    let other = dispatcher.takeUp()
                    dispatcher.started(other, on: connection, now: now)
                    _ = dispatcher.attemptEnded(other, .answeredFinally, now: now)
                    dispatcher.finished(other)
                }
                _ = dispatcher.refusesOrResets(on: connection, isInDoubt: false, now: now)
                _ = dispatcher.attemptEnded(id, .unprocessed, now: now)
                if let due = dispatcher.nextDeadline(now: now), round > 2 {
                    longest = max(longest, due.nanoseconds(since: now))
                }
            }
            _ = dispatcher.giveUpNext()
            dispatcher.finished(id)
        }
        return longest
    }

    @Test func `while others are answered a refused row goes again soon`() {
        #expect(longestPause(whileOthersAreAnswered: true) <= 10_000_000_000)
        // Twenty times up to a minute: all of them below ten seconds have odds of 10⁻⁷⁰.
        #expect(longestPause(whileOthersAreAnswered: false) > 10_000_000_000)
    }
}
