import FanfareBase
import FanfareCore
import Testing

/// Rows that went in one request and come back together.
@Suite struct SharedAttemptTests {
    private static let moment = Instant(nanoseconds: 1_000_000_000)

    private static func dispatcher(rowsOfRequest: Int, seed: UInt64) -> Dispatcher {
        var settings = DispatchSettings(
            connections: 1, streamsPerConnection: 10, firstRequestAlone: false,
            timeout: .seconds(30),
            retry: RetryPolicy(attemptsMax: 5, firstDelay: .seconds(1)))
        settings.rowsOfRequest = rowsOfRequest
        return Dispatcher(settings: settings, seed: seed)
    }

    /// Sends rows in one request, which the provider asks to send later.
    private static func refuse(_ count: Int, of dispatcher: inout Dispatcher) throws {
        let place = dispatcher.nextDial(now: moment)
        let connection = try #require(place)
        dispatcher.connected(connection, now: moment)
        dispatcher.settingsReceived(on: connection, maxConcurrentStreams: 100)
        let rows = (0..<count).map { _ in dispatcher.takeUp() }
        dispatcher.started(rows[0], on: connection, now: moment)
        let end = AttemptEnd.answeredAgain(.later(retryAfter: nil))
        dispatcher.drawOneWait(with: rows[0])
        for row in rows.dropFirst() {
            let action = dispatcher.sharedAttemptEnded(
                row, started: moment, end, notAfter: .distantFuture, now: moment)
            #expect(action == .later)
        }
        _ = dispatcher.attemptEnded(rows[0], end, now: moment)
    }

    /// Takes all rows that are ready at a moment.
    private static func ready(_ dispatcher: inout Dispatcher, at moment: Instant) -> Int {
        var count = 0
        while let row = dispatcher.nextReady(now: moment) {
            dispatcher.board(row)
            count += 1
        }
        return count
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `rows of a refused request wait for the same time`(seed: UInt64) throws {
        var dispatcher = Self.dispatcher(rowsOfRequest: 100, seed: seed)
        try Self.refuse(40, of: &dispatcher)
        // The wait is of up to a second: in one of a thousand steps all of them are ready.
        let counts = (0...1000).map { step in
            Self.ready(&dispatcher, at: Self.moment.advanced(byNanoseconds: step * 1_000_000))
        }
        #expect(counts.filter { $0 > 0 } == [40])
    }

    @Test func `requests draw waits of their own`() throws {
        let waits = try (1...5 as ClosedRange<UInt64>).map { seed in
            var dispatcher = Self.dispatcher(rowsOfRequest: 100, seed: seed)
            try Self.refuse(2, of: &dispatcher)
            return (0...1000).first { step in
                Self.ready(&dispatcher, at: Self.moment.advanced(byNanoseconds: step * 1_000_000))
                    > 0
            }
        }
        #expect(Set(waits).count > 1)
    }

    @Test func `a retry of the budget is for the rows of a request`() throws {
        // There are 50 retries at first, and time brings no more than that.
        var shared = Self.dispatcher(rowsOfRequest: 10, seed: 1)
        try Self.refuse(600, of: &shared)
        let later = Self.moment.advanced(byNanoseconds: 1_000_000_000)
        #expect(Self.ready(&shared, at: later) == 500)
        var single = Self.dispatcher(rowsOfRequest: 1, seed: 1)
        try Self.refuse(600, of: &single)
        #expect(Self.ready(&single, at: later) == 50)
    }

    /// Of two waits of up to two seconds hardly any are in the same thousandth.
    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `rows that go alone behind that wait for times of their own`(seed: UInt64) throws {
        var dispatcher = Self.dispatcher(rowsOfRequest: 100, seed: seed)
        try Self.refuse(2, of: &dispatcher)
        let later = Self.moment.advanced(byNanoseconds: 1_000_000_000)
        var rows: [RequestID] = []
        while let row = dispatcher.nextReady(now: later) {
            dispatcher.started(row, on: 0, now: later)
            rows.append(row)
        }
        for row in rows {
            _ = dispatcher.attemptEnded(row, .answeredAgain(.later(retryAfter: nil)), now: later)
        }
        let counts = (0...2000).map { step in
            Self.ready(&dispatcher, at: later.advanced(byNanoseconds: step * 1_000_000))
        }
        #expect(counts.filter { $0 > 0 } == [1, 1])
    }
}
