import FanfareBase
import FanfareCore
import Testing

/// A dispatcher with one or two open connections, told facts as a lane would.
private func makeDispatcher(
    connections: Int = 1, streams: Int = 10, alone: Bool = false, attempts: Int = 3,
    timeout: Duration = .seconds(30)
) -> Dispatcher {
    var settings = DispatchSettings(
        connections: connections, streamsPerConnection: streams, firstRequestAlone: alone,
        timeout: timeout, retry: RetryPolicy(attemptsMax: attempts, firstDelay: .seconds(1)))
    settings.refusalsAtOnce = 2
    settings.refusalsMax = 4
    return Dispatcher(settings: settings, seed: 1)
}

private func seconds(_ value: Double) -> Instant { Instant(nanoseconds: Int64(value * 1e9)) }

extension Dispatcher {
    fileprivate mutating func open(limit: UInt32 = 100, now: Instant = seconds(0)) -> Int {
        guard let connection = nextDial(now: now) else { preconditionFailure("no dial is due") }
        connected(connection, now: now)
        settingsReceived(on: connection, maxConcurrentStreams: limit)
        return connection
    }

    fileprivate mutating func start(on connection: Int, now: Instant = seconds(0)) -> RequestID {
        let id = nextReady(now: now) ?? takeUp()
        started(id, on: connection, now: now)
        return id
    }
}

@Suite struct DispatcherTests {
    @Test func `an open connection has the room of the smaller limit`() {
        var dispatcher = makeDispatcher(streams: 10)
        let connection = dispatcher.open(limit: 3)
        #expect(dispatcher.room(on: connection) == 3)
        dispatcher.settingsReceived(on: connection, maxConcurrentStreams: 50)
        #expect(dispatcher.room(on: connection) == 10)
    }

    @Test func `a limit that falls below what is in flight leaves no room and drops nothing`() {
        var dispatcher = makeDispatcher()
        let connection = dispatcher.open(limit: 5)
        let first = dispatcher.start(on: connection)
        _ = dispatcher.start(on: connection)
        dispatcher.settingsReceived(on: connection, maxConcurrentStreams: 1)
        #expect(dispatcher.room(on: connection) == 0)
        #expect(dispatcher.inFlightCount == 2)
        _ = dispatcher.attemptEnded(first, .answeredFinally, now: seconds(1))
        #expect(dispatcher.room(on: connection) == 0)
        dispatcher.settingsReceived(on: connection, maxConcurrentStreams: 5)
        #expect(dispatcher.room(on: connection) == 4)
    }

    @Test func `a probing connection has room for one until an answer`() {
        var dispatcher = makeDispatcher(alone: true)
        let connection = dispatcher.open(limit: 1000)
        #expect(dispatcher.room(on: connection) == 1)
        let probe = dispatcher.start(on: connection)
        #expect(dispatcher.room(on: connection) == 0)
        _ = dispatcher.attemptEnded(probe, .answeredFinally, now: seconds(1))
        #expect(dispatcher.room(on: connection) == 10)
    }

    @Test func `before SETTINGS one request may start`() {
        var dispatcher = makeDispatcher()
        let connection = dispatcher.nextDial(now: seconds(0))!
        dispatcher.connected(connection, now: seconds(0))
        #expect(dispatcher.room(on: connection) == 1)
    }

    @Test func `a refused request is sent again at once and no attempt counts`() {
        var dispatcher = makeDispatcher()
        let connection = dispatcher.open()
        let id = dispatcher.start(on: connection)
        let ended = dispatcher.attemptEnded(id, .unprocessed, now: seconds(1))
        #expect(ended.request == .later)
        #expect(dispatcher.nextReady(now: seconds(1)) == id)
        #expect(dispatcher.request(id).attempts == 0)
    }

    /// Refuses one request over and over, while others are answered or not.
    /// - Returns: The refusal after which the row was given up; `nil` if it never was.
    private func refusals(of rounds: Int, whileOthersAreAnswered: Bool) -> Int? {
        var dispatcher = makeDispatcher()
        let connection = dispatcher.open()
        let id = dispatcher.takeUp()
        dispatcher.postponed(id)
        for round in 1...rounds {
            // Far enough apart for any back-off.
            let now = seconds(Double(round) * 1000)
            #expect(dispatcher.nextReady(now: now) == id)
            dispatcher.started(id, on: connection, now: now)
            if whileOthersAreAnswered {
                let other = dispatcher.takeUp()
                dispatcher.started(other, on: connection, now: now)
                _ = dispatcher.attemptEnded(other, .answeredFinally, now: now)
                dispatcher.finished(other)
            }
            let ended = dispatcher.attemptEnded(id, .unprocessed, now: now)
            if ended.request == .report { return round }
        }
        return nil
    }

    @Test(arguments: [true, false])
    func `a request that is always refused ends as a report`(whileOthersAreAnswered: Bool) {
        #expect(refusals(of: 10, whileOthersAreAnswered: whileOthersAreAnswered) == 4)
    }

    @Test func `a row refused by GOAWAY is sent again at once, however often`() {
        var dispatcher = makeDispatcher()
        for round in 1...50 {
            let now = seconds(Double(round))
            let connection = dispatcher.open(now: now)
            let answered = dispatcher.takeUp()
            dispatcher.started(answered, on: connection, now: now)
            let id = dispatcher.start(on: connection, now: now)
            _ = dispatcher.attemptEnded(answered, .answeredFinally, now: now)
            dispatcher.finished(answered)
            dispatcher.connections[connection].goAwayReceived(last: 0)
            #expect(dispatcher.retire(connection) == .drain)
            #expect(dispatcher.attemptEnded(id, .dismissed, now: now).request == .later)
            #expect(dispatcher.nextReady(now: now) == id)
            _ = dispatcher.lost(connection, isFailure: false, now: now)
        }
        let isIdle = dispatcher.isIdle
        #expect(!isIdle)
    }

    @Test func `a throttled request waits at least as long as the provider asks`() {
        var dispatcher = makeDispatcher()
        let connection = dispatcher.open()
        let id = dispatcher.start(on: connection)
        let ended = dispatcher.attemptEnded(
            id, .answeredAgain(.later(retryAfter: .seconds(7))), now: seconds(0))
        #expect(ended.request == .later)
        #expect(dispatcher.nextReady(now: seconds(6.9)) == nil)
        // The jitter on top is at most the first delay, one second.
        #expect(dispatcher.nextReady(now: seconds(8)) == id)
        #expect(dispatcher.request(id).attempts == 1)
    }

    @Test func `attempts run out`() {
        var dispatcher = makeDispatcher(attempts: 2)
        let connection = dispatcher.open()
        let id = dispatcher.start(on: connection)
        let end = AttemptEnd.answeredAgain(.later(retryAfter: nil))
        #expect(dispatcher.attemptEnded(id, end, now: seconds(0)).request == .later)
        #expect(dispatcher.nextReady(now: seconds(100)) == id)
        dispatcher.started(id, on: connection, now: seconds(100))
        #expect(dispatcher.attemptEnded(id, end, now: seconds(100)).request == .report)
        dispatcher.finished(id)
        let isIdle = dispatcher.isIdle
        #expect(isIdle)
    }

    @Test func `only a row's first attempt adds to the budget of retries`() {
        var settings = DispatchSettings(
            connections: 1, streamsPerConnection: 10, firstRequestAlone: false,
            timeout: .seconds(30),
            retry: RetryPolicy(
                attemptsMax: 1000, firstDelay: .milliseconds(1), delayMax: .milliseconds(1)))
        // One token for each row, beside the 50 of the beginning.
        settings.retry.budgetShare = 1
        var dispatcher = Dispatcher(settings: settings, seed: 1)
        let connection = dispatcher.open()
        for _ in 0..<10 { dispatcher.started(dispatcher.takeUp(), on: connection, now: seconds(0)) }
        var retries = 0
        for round in 1...20 {
            // All are answered, and due again two milliseconds later.
            let now = seconds(Double(round) * 0.002)
            while let id = dispatcher.oldest(on: connection) {
                let end = AttemptEnd.answeredAgain(.later(retryAfter: nil))
                _ = dispatcher.attemptEnded(id, end, now: now.advanced(byNanoseconds: -2_000_000))
            }
            while let id = dispatcher.nextReady(now: now) {
                dispatcher.started(id, on: connection, now: now)
                retries += 1
            }
        }
        #expect(retries == 60)
        #expect(dispatcher.waitingCount == 10)
        // A token that is there already is no time to wait for.
        let deadline = dispatcher.nextDeadline(now: seconds(10))
        #expect(deadline.map { $0 > seconds(10) } ?? true)
    }

    @Test func `an attempt in doubt is reported and not sent again`() {
        var dispatcher = makeDispatcher()
        let connection = dispatcher.open()
        let id = dispatcher.start(on: connection)
        #expect(dispatcher.attemptEnded(id, .inDoubt, now: seconds(1)).request == .report)
        #expect(dispatcher.nextReady(now: seconds(1000)) == nil)
    }

    @Test func `the oldest request of a connection is the first to be overdue`() {
        var dispatcher = makeDispatcher(timeout: .seconds(10))
        let connection = dispatcher.open()
        let first = dispatcher.start(on: connection, now: seconds(1))
        let second = dispatcher.start(on: connection, now: seconds(2))
        #expect(dispatcher.nextDeadline(now: seconds(2)) == seconds(11))
        #expect(dispatcher.overdue(on: connection, now: seconds(10.9)) == nil)
        #expect(dispatcher.overdue(on: connection, now: seconds(11)) == first)
        _ = dispatcher.attemptEnded(first, .inDoubt, now: seconds(11))
        #expect(dispatcher.overdue(on: connection, now: seconds(12)) == second)
    }

    @Test func `a draining connection takes no request and closes with its last one`() {
        var dispatcher = makeDispatcher()
        let connection = dispatcher.open()
        let id = dispatcher.start(on: connection)
        #expect(dispatcher.retire(connection) == .drain)
        #expect(dispatcher.room(on: connection) == 0)
        let replacement = dispatcher.nextDial(now: seconds(0))
        #expect(replacement != nil && replacement != connection)
        let ended = dispatcher.attemptEnded(id, .answeredFinally, now: seconds(1))
        #expect(ended.connection == .close)
    }

    @Test func `dials back off after a failure and end in giving up`() {
        var dispatcher = makeDispatcher(connections: 3)
        let now = seconds(0)
        var dialled: [Int] = []
        while let connection = dispatcher.nextDial(now: now) { dialled.append(connection) }
        #expect(dialled.count == 3)
        #expect(dispatcher.lost(dialled[0], isFailure: true, now: now) == .tryAgain)
        #expect(dispatcher.lost(dialled[1], isFailure: true, now: now) == .tryAgain)
        // Not while another one is under way, and not before the back-off is over.
        #expect(dispatcher.nextDial(now: seconds(100)) == nil)
        #expect(dispatcher.lost(dialled[2], isFailure: true, now: now) == .tryAgain)
        #expect(dispatcher.nextDial(now: now) == nil)
        // Three dials side by side were one failure; the fourth failure is one too many.
        for (round, action) in [(1, Dialler.FailureAction.tryAgain), (2, .tryAgain), (3, .giveUp)] {
            let now = seconds(100 * Double(round))
            let again = dispatcher.nextDial(now: now)
            #expect(again != nil)
            #expect(dispatcher.lost(again!, isFailure: true, now: now) == action)
        }
    }

    @Test func `failing dials are no reason to give up while a connection is open`() {
        var dispatcher = makeDispatcher(connections: 2)
        _ = dispatcher.open()
        for round in 1...50 {
            let now = seconds(100 * Double(round))
            let connection = dispatcher.nextDial(now: now)!
            #expect(dispatcher.lost(connection, isFailure: true, now: now) == .tryAgain)
        }
    }

    @Test func `a dial that takes too long is overdue`() {
        var dispatcher = makeDispatcher()
        let connection = dispatcher.nextDial(now: seconds(5))
        #expect(dispatcher.nextDeadline(now: seconds(5)) == seconds(15))
        #expect(dispatcher.overdueDial(now: seconds(14.9)) == nil)
        #expect(dispatcher.overdueDial(now: seconds(15)) == connection)
    }

    @Test func `a dial that began later has its whole time from then on`() {
        var dispatcher = makeDispatcher()
        let connection = dispatcher.nextDial(now: seconds(5))!
        let isLater = dispatcher.dialBegan(connection, at: seconds(12))
        #expect(isLater)
        #expect(dispatcher.nextDeadline(now: seconds(15)) == seconds(22))
        #expect(dispatcher.overdueDial(now: seconds(21.9)) == nil)
        #expect(dispatcher.overdueDial(now: seconds(22)) == connection)
        // One that is known, or an earlier one, moves nothing.
        for time in [seconds(12), .distantPast] {
            let isLater = dispatcher.dialBegan(connection, at: time)
            #expect(!isLater)
        }
        #expect(dispatcher.overdueDial(now: seconds(22)) == connection)
    }

    @Test func `connections that are lost before any answer count as failures`() {
        var dispatcher = makeDispatcher()
        var now = seconds(0)
        var dials = 0
        while !dispatcher.patience.isOver && dials < 100 {
            now = now.advanced(by: .seconds(20))
            let connection = dispatcher.nextDial(now: now)!
            dials += 1
            dispatcher.connected(connection, now: now)
            let action = dispatcher.lost(connection, isFailure: true, now: now)
            #expect(action == .tryAgain)
        }
        // A minute, and one is lost each 20 s.
        #expect(dials == 4)
    }

    /// One connection stays up, and dials fail beside it.
    @Test(arguments: [(UInt32(0), true), (1, false)])
    func `a connection without streams is no reason to go on dialling`(
        limit: UInt32, isOver: Bool
    ) {
        var dispatcher = makeDispatcher(connections: 2)
        _ = dispatcher.open(limit: limit)
        var now = seconds(0)
        for _ in 0..<4 {
            now = now.advanced(by: .seconds(20))
            let connection = dispatcher.nextDial(now: now)!
            _ = dispatcher.lost(connection, isFailure: true, now: now)
        }
        let ended = dispatcher.patience.isOver
        #expect(ended == isOver)
    }

    @Test func `rows are of use where a connection has room or has answered`() {
        var dispatcher = makeDispatcher(streams: 1)
        var areOfUse = [dispatcher.sendsRows]
        let connection = dispatcher.open()
        areOfUse.append(dispatcher.sendsRows)
        let id = dispatcher.start(on: connection)
        areOfUse.append(dispatcher.sendsRows)
        _ = dispatcher.attemptEnded(id, .answeredFinally, now: seconds(1))
        _ = dispatcher.start(on: connection, now: seconds(1))
        areOfUse.append(dispatcher.sendsRows)
        _ = dispatcher.retire(connection)
        areOfUse.append(dispatcher.sendsRows)
        // None yet, room, full and not heard of, full and heard of, on its way out.
        #expect(areOfUse == [false, true, false, true, false])
    }

    @Test func `an idle connection that the server closes is no trouble`() {
        var dispatcher = makeDispatcher()
        for minute in 0..<20 {
            let now = seconds(Double(minute) * 75)
            let connection = dispatcher.open(now: now)
            _ = dispatcher.lost(connection, isFailure: true, now: now.advanced(by: .seconds(60)))
        }
        let since = dispatcher.patience.since
        #expect(since == nil)
    }

    @Test func `in trouble one connection asks for all`() {
        var dispatcher = makeDispatcher(connections: 3)
        let lost = dispatcher.nextDial(now: seconds(0))!
        dispatcher.connected(lost, now: seconds(0))
        _ = dispatcher.lost(lost, isFailure: true, now: seconds(0))
        let probe = dispatcher.open(now: seconds(20))
        #expect(dispatcher.nextDial(now: seconds(40)) == nil)
        let id = dispatcher.start(on: probe, now: seconds(40))
        _ = dispatcher.attemptEnded(id, .answeredFinally, now: seconds(41))
        #expect(dispatcher.nextDial(now: seconds(41)) != nil)
    }

    @Test func `in trouble a new connection begins with one request`() {
        var dispatcher = makeDispatcher()
        let lost = dispatcher.nextDial(now: seconds(0))!
        dispatcher.connected(lost, now: seconds(0))
        _ = dispatcher.lost(lost, isFailure: true, now: seconds(0))
        let connection = dispatcher.open(now: seconds(20))
        #expect(dispatcher.room(on: connection) == 1)
        let id = dispatcher.start(on: connection, now: seconds(20))
        _ = dispatcher.attemptEnded(id, .answeredFinally, now: seconds(21))
        #expect(dispatcher.room(on: connection) == 10)
    }

    @Test func `a new connection has as many in flight as ENHANCE_YOUR_CALM has left`() {
        var dispatcher = makeDispatcher(connections: 2, streams: 100)
        let first = dispatcher.open()
        for _ in 0..<20 { _ = dispatcher.start(on: first) }
        dispatcher.calmed(on: first)
        let second = dispatcher.open()
        #expect(dispatcher.room(on: second) == 10)
    }

    @Test func `a ready request that is postponed again stays ready once`() {
        var dispatcher = makeDispatcher()
        let connection = dispatcher.open()
        let id = dispatcher.takeUp()
        dispatcher.postponed(id)
        dispatcher.postponed(id)
        dispatcher.started(id, on: connection, now: seconds(0))
        #expect(dispatcher.nextReady(now: seconds(0)) == nil)
        #expect(dispatcher.inFlightCount == 1)
    }

    @Test func `what a GOAWAY sends back is a request that was on the wire before`() {
        var dispatcher = makeDispatcher()
        let connection = dispatcher.open()
        let new = dispatcher.takeUp()
        dispatcher.postponed(new)
        var areRepeated = [dispatcher.isNextRepeated]
        dispatcher.started(new, on: connection, now: seconds(0))
        areRepeated.append(dispatcher.isNextRepeated)
        _ = dispatcher.attemptEnded(new, .dismissed, now: seconds(1))
        areRepeated.append(dispatcher.isNextRepeated)
        #expect(areRepeated == [false, false, true])
    }

    @Test func `no more rows are taken up than may wait`() {
        var settings = DispatchSettings(
            connections: 1, streamsPerConnection: 10, firstRequestAlone: false,
            timeout: .seconds(1), retry: RetryPolicy())
        settings.backingOffMax = 1
        var dispatcher = Dispatcher(settings: settings, seed: 1)
        let connection = dispatcher.open()
        let before = dispatcher.mayTakeUp
        let id = dispatcher.start(on: connection)
        _ = dispatcher.attemptEnded(
            id, .answeredAgain(.later(retryAfter: .seconds(5))), now: seconds(0))
        let after = dispatcher.mayTakeUp
        #expect(before && !after)
        #expect(dispatcher.giveUpNext() == id)
        dispatcher.finished(id)
        let isIdle = dispatcher.isIdle
        #expect(isIdle)
    }
}

@Suite struct RetryPolicyTests {
    @Test func `delays stay below a bound that doubles up to the maximum`() {
        let policy = RetryPolicy(
            attemptsMax: 10, firstDelay: .seconds(1), delayMax: .seconds(8))
        var generator = SplitMix64(seed: 7)
        for (attempts, bound) in [(1, 1), (2, 2), (3, 4), (4, 8), (5, 8), (9, 8)] {
            var largest: Int64 = 0
            for _ in 0..<2000 {
                let delay = policy.delay(
                    afterAttempts: attempts, .later(retryAfter: nil), using: &generator)!
                #expect(delay >= 0 && delay <= Int64(bound) * 1_000_000_000)
                largest = max(largest, delay)
            }
            // Full jitter uses the whole range: 2,000 draws all below 0.9 of it have odds of 10⁻⁹¹.
            #expect(largest > Int64(bound) * 900_000_000)
        }
        #expect(policy.delay(afterAttempts: 10, .later(retryAfter: nil), using: &generator) == nil)
    }

    @Test(arguments: [
        RetryPolicy.Cause.later(retryAfter: .seconds(31)),
        .tooManyForDevice(retryAfter: .seconds(31)),
    ])
    func `a row is not tried again if its provider asks for more than the longest wait`(
        cause: RetryPolicy.Cause
    ) throws {
        var policy = RetryPolicy()
        var generator = SplitMix64(seed: 7)
        let usual = try #require(policy.delay(afterAttempts: 1, cause, using: &generator))
        #expect(usual >= 31_000_000_000)
        policy.wishMax = .seconds(30)
        #expect(policy.delay(afterAttempts: 1, cause, using: &generator) == nil)
        policy.wishMax = .seconds(31)
        #expect(policy.delay(afterAttempts: 1, cause, using: &generator) != nil)
    }
}

@Suite struct RetryQueueTests {
    @Test func `requests come out in the order of their time`() {
        var queue = RetryQueue()
        var generator = SplitMix64(seed: 3)
        let times = (0..<500).map { _ in Int64.random(in: 0..<100, using: &generator) }
        for (index, time) in times.enumerated() {
            queue.insert(RequestID(index), due: Instant(nanoseconds: time))
        }
        var out: [Int64] = []
        while let request = queue.popDue(now: Instant(nanoseconds: 100)) {
            out.append(times[Int(request)])
        }
        #expect(out == times.sorted())
    }
}
