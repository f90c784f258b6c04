import FanfareBase
import FanfareCore
import Testing

/// An answer that leaves it open whether the provider has acted on the request, and waits that are long.
@Suite struct AnsweredInDoubtTests {
    private let id: RequestID = 0

    private static func seconds(_ value: Int64) -> Instant {
        Instant(nanoseconds: value * 1_000_000_000)
    }

    /// A dispatcher with one open connection, and a request on it, the first.
    private func dispatcher(resends: Bool, givesWay: Bool = true) -> Dispatcher {
        var retry = RetryPolicy(attemptsMax: 3, firstDelay: .seconds(5))
        retry.leastDelay = .seconds(10)
        var settings = DispatchSettings(
            connections: 1, streamsPerConnection: 50, firstRequestAlone: false,
            timeout: .seconds(30), retry: retry)
        settings.resendsInDoubt = resends
        settings.givesWay = givesWay
        var dispatcher = Dispatcher(settings: settings, seed: 1)
        guard let connection = dispatcher.nextDial(now: Self.seconds(0)) else {
            preconditionFailure("no dial is due")
        }
        dispatcher.connected(connection, now: Self.seconds(0))
        dispatcher.settingsReceived(on: connection, maxConcurrentStreams: 100)
        let id = dispatcher.takeUp()
        dispatcher.started(id, on: connection, now: Self.seconds(0))
        return dispatcher
    }

    @Test func `a row is not sent twice where that may not be`() {
        var dispatcher = dispatcher(resends: false)
        let action = dispatcher.attemptEnded(
            id, .answeredInDoubt(.later(retryAfter: nil)), now: Self.seconds(1))
        #expect(action.request == .report)
        let request = dispatcher.request(id)
        #expect(request.wasInDoubt)
        // It is an answer all the same: the provider lives, and has given no verdict.
        let since = dispatcher.verdicts.since
        #expect(since == Self.seconds(1))
        let hasTrouble = dispatcher.patience.since != nil
        #expect(!hasTrouble)
    }

    @Test func `behind twenty of them one row asks for all after a pause`() throws {
        for givesWay in [true, false] {
            var dispatcher = dispatcher(resends: false, givesWay: givesWay)
            var ids = [id]
            for _ in 0..<21 {
                let id = dispatcher.takeUp()
                dispatcher.started(id, on: 0, now: Self.seconds(0))
                ids.append(id)
            }
            for id in ids {
                _ = dispatcher.attemptEnded(
                    id, .answeredInDoubt(.later(retryAfter: nil)), now: Self.seconds(1))
                dispatcher.finished(id)
            }
            let isHeld = dispatcher.isHeldByDoubts(now: Self.seconds(10))
            #expect(isHeld == givesWay)
            let room = dispatcher.room(on: 0)
            #expect(room == (givesWay ? 1 : 50))
            guard givesWay else { continue }
            let deadline = dispatcher.nextDeadline(now: Self.seconds(1))
            #expect(deadline == Self.seconds(11))
            let isHeldThen = dispatcher.isHeldByDoubts(now: Self.seconds(11))
            #expect(!isHeldThen)
            let next = dispatcher.takeUp()
            dispatcher.started(next, on: 0, now: Self.seconds(11))
            let roomBeside = dispatcher.room(on: 0)
            #expect(roomBeside == 0)
            _ = dispatcher.attemptEnded(next, .answeredFinally, now: Self.seconds(12))
            let roomAfter = dispatcher.room(on: 0)
            #expect(roomAfter == 50)
        }
    }

    @Test func `where it may be, it waits for the least time`() {
        var dispatcher = dispatcher(resends: true)
        let action = dispatcher.attemptEnded(
            id, .answeredInDoubt(.later(retryAfter: nil)), now: Self.seconds(1))
        #expect(action.request == .later)
        let request = dispatcher.request(id)
        #expect(request.attempts == 1)
        let early = dispatcher.nextReady(now: Self.seconds(11).advanced(byNanoseconds: -1))
        #expect(early == nil)
        // Five seconds of chance on top.
        let late = dispatcher.nextReady(now: Self.seconds(16))
        #expect(late == id)
    }

    @Test func `what the provider asks for goes before the least time`() {
        var dispatcher = dispatcher(resends: true)
        _ = dispatcher.attemptEnded(
            id, .answeredAgain(.later(retryAfter: .seconds(2), first: .seconds(60))),
            now: Self.seconds(0))
        let ready = dispatcher.nextReady(now: Self.seconds(7))
        #expect(ready == id)
    }

    @Test(arguments: [(1, 10, 15), (2, 20, 30)])
    func `the least wait doubles`(attempts: Int, least: Int64, most: Int64) throws {
        var policy = RetryPolicy(attemptsMax: 5, firstDelay: .seconds(5))
        policy.leastDelay = .seconds(10)
        var generator = SplitMix64(seed: 1)
        let waits = (0..<200).compactMap { _ in
            policy.delay(
                afterAttempts: attempts, .later(retryAfter: nil), using: &generator)
        }
        #expect(waits.count == 200)
        #expect(waits.allSatisfy { (least * 1_000_000_000...most * 1_000_000_000).contains($0) })
        let firsts = (0..<200).compactMap { _ in
            policy.delay(
                afterAttempts: attempts, .later(retryAfter: nil, first: .seconds(60)),
                using: &generator)
        }
        #expect(firsts.allSatisfy { $0 >= Int64(attempts) * 60_000_000_000 })
    }

    /// Five seconds of chance come on top, which double, too.
    @Test(
        arguments: [
            // The wait after an answer about the device's or the topic's quota begins here, up to
            // five minutes.
            (1, 60, nil, 60, 65), (2, 60, nil, 120, 130), (3, 60, nil, 240, 260),
            (4, 60, nil, 300, 340),
            // The policy's own, where the answer brings none.
            (1, nil, nil, 5, 10), (2, nil, nil, 10, 20), (4, nil, nil, 40, 80),
            // A wait that the provider asks for is all that it gets.
            (3, 60, 7, 7, 27),
        ] as [(Int, Int64?, Int64?, Int64, Int64)])
    func `the wait of a row whose device has had too many doubles`(
        attempts: Int, first: Int64?, asked: Int64?, least: Int64, most: Int64
    ) {
        let policy = RetryPolicy(attemptsMax: 6, firstDelay: .seconds(5))
        var generator = SplitMix64(seed: 1)
        let cause = RetryPolicy.Cause.tooManyForDevice(
            retryAfter: asked.map { .seconds($0) }, first: first.map { .seconds($0) })
        let waits = (0..<200).compactMap { _ in
            policy.delay(afterAttempts: attempts, cause, using: &generator)
        }
        #expect(waits.count == 200)
        #expect(waits.allSatisfy { (least * 1_000_000_000...most * 1_000_000_000).contains($0) })
    }
}
