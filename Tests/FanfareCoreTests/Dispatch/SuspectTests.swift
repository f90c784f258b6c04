import FanfareBase
import FanfareCore
import Testing

private func seconds(_ value: Double) -> Instant { Instant(nanoseconds: Int64(value * 1e9)) }

/// Rows that were on their way when connections were cut: the row is the suspect after three cuts in a row.
@Suite struct SuspectTests {
    private func dispatcher(resends: Bool = true, rowsOfRequest: Int = 1) -> Dispatcher {
        var settings = DispatchSettings(
            connections: 1, streamsPerConnection: 10, firstRequestAlone: false,
            timeout: .seconds(30), retry: RetryPolicy(attemptsMax: 5, firstDelay: .seconds(1)))
        settings.resendsInDoubt = resends
        settings.rowsOfRequest = rowsOfRequest
        return Dispatcher(settings: settings, seed: 1)
    }

    private func open(_ dispatcher: inout Dispatcher, now: Instant) -> Int {
        guard let connection = dispatcher.nextDial(now: now) else {
            preconditionFailure("no dial is due")
        }
        dispatcher.connected(connection, now: now)
        dispatcher.settingsReceived(on: connection, maxConcurrentStreams: 100)
        return connection
    }

    /// Cuts the connection of a request that is on its way there.
    private func cut(
        _ id: RequestID, on connection: Int, _ dispatcher: inout Dispatcher, now: Instant
    ) -> Dispatcher.EndedAction {
        let (action, _) = dispatcher.attemptEnded(id, .inDoubt, isCut: true, now: now)
        _ = dispatcher.lost(connection, isFailure: true, isCut: true, now: now)
        return action
    }

    /// A row that was cut off so many times, a minute each time.
    private func row(
        _ cuts: Int, _ dispatcher: inout Dispatcher
    ) -> (id: RequestID, now: Instant) {
        let id = dispatcher.takeUp()
        for number in 0..<cuts {
            let now = seconds(60 * Double(number))
            if number > 0 { #expect(dispatcher.nextReady(now: now) == id) }
            let connection = open(&dispatcher, now: now)
            dispatcher.started(id, on: connection, now: now)
            let action = cut(id, on: connection, &dispatcher, now: now)
            #expect(action == .later)
        }
        return (id, seconds(60 * Double(cuts)))
    }

    /// A row that has become the suspect, and is on its way alone.
    private func suspect(
        _ dispatcher: inout Dispatcher
    ) -> (id: RequestID, connection: Int, now: Instant) {
        let (id, now) = row(3, &dispatcher)
        let connection = open(&dispatcher, now: now)
        #expect(dispatcher.nextReady(now: now) == nil)
        #expect(dispatcher.nextSuspect() == id)
        dispatcher.started(id, on: connection, now: now)
        return (id, connection, now)
    }

    @Test func `after two cuts it goes as any other row`() {
        var dispatcher = dispatcher()
        let (id, now) = row(2, &dispatcher)
        let wasCut = dispatcher.wasCut(id)
        #expect(wasCut)
        #expect(dispatcher.nextReady(now: now) == id)
    }

    @Test func `after three cuts it waits until nothing else is on its way`() {
        var dispatcher = dispatcher()
        let (id, now) = row(3, &dispatcher)
        let connection = open(&dispatcher, now: now)
        #expect(dispatcher.nextReady(now: now) == nil)
        let other = dispatcher.takeUp()
        dispatcher.started(other, on: connection, now: now)
        #expect(dispatcher.nextSuspect() == nil)
        _ = dispatcher.attemptEnded(other, .answeredFinally, now: now)
        dispatcher.finished(other)
        let hasReady = dispatcher.hasReady(now: now)
        #expect(hasReady)
        #expect(dispatcher.nextSuspect() == id)
        #expect(dispatcher.nextReady(now: now) == id)
    }

    @Test func `nothing starts beside it, and its cut is no failed dial`() {
        var dispatcher = dispatcher()
        let (id, connection, now) = suspect(&dispatcher)
        #expect(dispatcher.room(on: connection) == 0)
        let action = cut(id, on: connection, &dispatcher, now: now)
        #expect(action == .later)
        // The fourth failed dial of a row would be followed by a pause of a second at least.
        #expect(dispatcher.nextDial(now: now.advanced(by: .milliseconds(25))) != nil)
    }

    @Test func `one that has not left says nothing of its connection, and goes alone again`() {
        var dispatcher = dispatcher()
        let (id, connection, now) = suspect(&dispatcher)
        _ = dispatcher.attemptEnded(id, .dismissed, now: now)
        _ = dispatcher.lost(connection, isFailure: true, now: now)
        #expect(dispatcher.nextReady(now: now) == nil)
        // The fourth failed dial is followed by a pause of a second at least.
        #expect(dispatcher.nextDial(now: now.advanced(by: .milliseconds(900))) == nil)
        #expect(dispatcher.nextSuspect() == id)
    }

    @Test func `one that is answered is a suspect no more`() {
        var dispatcher = dispatcher()
        let (id, connection, now) = suspect(&dispatcher)
        _ = dispatcher.attemptEnded(id, .answeredAgain(.later(retryAfter: nil)), now: now)
        let wasCut = dispatcher.wasCut(id)
        #expect(!wasCut)
        #expect(dispatcher.room(on: connection) == 10)
        #expect(dispatcher.nextReady(now: now.advanced(by: .seconds(60))) == id)
    }

    @Test func `a job that ends gets it back`() {
        var dispatcher = dispatcher()
        let (id, now) = row(3, &dispatcher)
        #expect(dispatcher.nextReady(now: now) == nil)
        #expect(dispatcher.waitingCount == 1)
        #expect(dispatcher.giveUpNext() == id)
        dispatcher.finished(id)
        let isIdle = dispatcher.isIdle
        #expect(isIdle)
    }

    @Test func `rows that share requests are none`() {
        var dispatcher = dispatcher(rowsOfRequest: 100)
        let (id, now) = row(3, &dispatcher)
        #expect(dispatcher.nextReady(now: now) == id)
    }

    @Test func `a reset is no cut`() {
        var dispatcher = dispatcher()
        let id = dispatcher.takeUp()
        let connection = open(&dispatcher, now: seconds(0))
        for number in 0..<4 {
            let now = seconds(60 * Double(number))
            if number > 0 { #expect(dispatcher.nextReady(now: now) == id) }
            dispatcher.started(id, on: connection, now: now)
            _ = dispatcher.attemptEnded(id, .inDoubt, now: now)
        }
        #expect(dispatcher.nextReady(now: seconds(600)) == id)
    }

    @Test func `only ends of connections that may be of the row are cuts`() {
        let cuts = AttemptCause.allCases.filter(\.isCut)
        #expect(cuts == [.lostBelowGoAway, .endedWithin, .endedWithinText, .lostAfter])
    }
}
