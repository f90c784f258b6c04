import FanfareBase
import Testing

@testable import FanfareCore

private func seconds(_ value: Double) -> Instant { Instant(nanoseconds: Int64(value * 1e9)) }

/// Times in which a lane waits, and in which its peer owes something.
@Suite struct DispatcherRestTests {
    private let connection = 0

    /// A dispatcher with one open connection.
    private func makeDispatcher(limit: UInt32 = 1000, attempts: Int = 5) -> Dispatcher {
        var settings = DispatchSettings(
            connections: 1, streamsPerConnection: 1000, firstRequestAlone: false,
            timeout: .seconds(30), retry: RetryPolicy(attemptsMax: attempts))
        settings.retry.budgetShare = 0
        var dispatcher = Dispatcher(settings: settings, seed: 1)
        _ = dispatcher.nextDial(now: seconds(0))
        dispatcher.connected(connection, now: seconds(0))
        dispatcher.settingsReceived(on: connection, maxConcurrentStreams: limit)
        return dispatcher
    }

    private func start(_ dispatcher: inout Dispatcher) -> RequestID {
        let id = dispatcher.takeUp()
        dispatcher.started(id, on: connection, now: seconds(0))
        return id
    }

    /// Has 300 rows answered with 429, but for one as often as a time says.
    private func refusing(
        takingOneEach period: Double?
    ) -> (accepted: Int, throttled: Int, isOver: Bool, end: Instant) {
        var dispatcher = makeDispatcher()
        let later = AttemptEnd.answeredAgain(.later(retryAfter: nil))
        var now = seconds(0)
        var ends = (0..<300).map { _ in start(&dispatcher) }
        var (accepted, throttled) = (0, 0)
        while !dispatcher.isIdle, !dispatcher.verdicts.isOver {
            now = now.advanced(by: .milliseconds(20))
            for id in ends {
                if let period, now >= seconds(period * Double(accepted + 1)) {
                    _ = dispatcher.attemptEnded(id, .answeredFinally, now: now)
                    dispatcher.finished(id)
                    accepted += 1
                    continue
                }
                let action = dispatcher.attemptEnded(
                    id, later, isOverload: true, isTooMany: true, now: now
                ).request
                guard action == .report else { continue }
                dispatcher.finished(id)
                throttled += 1
            }
            ends = []
            while let id = dispatcher.nextReady(now: now) {
                dispatcher.started(id, on: connection, now: now)
                ends.append(id)
            }
            if ends.isEmpty, !dispatcher.isIdle, let next = dispatcher.nextDeadline(now: now) {
                now = next
            }
        }
        return (accepted, throttled, dispatcher.verdicts.isOver, now)
    }

    @Test func `nothing but 429 costs rows no attempts until the job is given up`() {
        let result = refusing(takingOneEach: nil)
        #expect(result.throttled == 0 && result.isOver)
        #expect(result.end >= seconds(5 * 60))
    }

    @Test func `a service that takes a row now and then gets nearly all of them`() {
        let result = refusing(takingOneEach: 5)
        #expect(result.accepted >= 270 && !result.isOver, "\(result)")
    }

    @Test func `a quota with requests left is no rest`() {
        var dispatcher = makeDispatcher()
        let id = start(&dispatcher)
        _ = dispatcher.heardQuota(remaining: 3, for: .seconds(20), now: seconds(1))
        _ = dispatcher.attemptEnded(id, .answeredFinally, now: seconds(1))
        dispatcher.finished(id)
        let some = dispatcher.rest(hasUntaken: true, now: seconds(1))
        _ = dispatcher.heardQuota(remaining: 0, for: .seconds(20), now: seconds(1))
        let none = dispatcher.rest(hasUntaken: true, now: seconds(1))
        #expect(some == nil && none == Dispatcher.Rest(until: seconds(21), isForDial: false))
    }

    @Test func `rows rest until their next attempt or the next dial`() throws {
        var dispatcher = makeDispatcher()
        let id = start(&dispatcher)
        let asked = dispatcher.rest(hasUntaken: false, now: seconds(1))
        let wait = RetryPolicy.Cause.later(retryAfter: .seconds(20))
        _ = dispatcher.attemptEnded(id, .answeredAgain(wait), now: seconds(1))
        let found = dispatcher.rest(hasUntaken: false, now: seconds(1))
        let rest = try #require(found)
        #expect(asked == nil && rest.until >= seconds(21) && !rest.isForDial)
        _ = dispatcher.lost(connection, isFailure: true, now: seconds(30))
        _ = dispatcher.nextDial(now: seconds(30))
        let dialing = dispatcher.rest(hasUntaken: true, now: seconds(30))
        _ = dispatcher.lost(connection, isFailure: true, now: seconds(30))
        let foundNext = dispatcher.rest(hasUntaken: true, now: seconds(30))
        let next = try #require(foundNext)
        // The first back-off is a quarter of a second at most.
        #expect(dialing == nil && next.isForDial && next.until <= seconds(30.25))
    }

    @Test func `a peer owes a connection when it was dialed, and an answer when it was asked`() {
        var dispatcher = makeDispatcher()
        let nothing = dispatcher.owedSince { _ in seconds(1) }
        let id = start(&dispatcher)
        let asked = dispatcher.owedSince { _ in nil }
        _ = dispatcher.attemptEnded(id, .answeredFinally, now: seconds(1))
        _ = dispatcher.lost(connection, isFailure: false, now: seconds(1))
        _ = dispatcher.nextDial(now: seconds(2))
        let lookedUp = dispatcher.owedSince { _ in nil }
        let dialed = dispatcher.owedSince { _ in seconds(3) }
        #expect(nothing == nil && asked == .distantPast)
        #expect(lookedUp == nil && dialed == seconds(3))
    }

    @Test func `a peer that allows no streams owes some`() {
        var dispatcher = makeDispatcher(limit: 0)
        let before = dispatcher.owedSince { _ in nil }
        _ = dispatcher.connections[connection].isUseless(keepsRows: true, now: seconds(4))
        let shut = dispatcher.owedSince { _ in nil }
        #expect(before == nil && shut == seconds(4))
    }
}
