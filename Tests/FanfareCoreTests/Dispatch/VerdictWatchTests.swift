import FanfareBase
import FanfareCore
import Testing

private func seconds(_ value: Double) -> Instant { Instant(nanoseconds: Int64(value * 1e9)) }

@Suite struct VerdictWatchTests {
    private func watch(_ patience: Duration, attempts: Int = 5) -> VerdictWatch {
        VerdictWatch(patience, attemptsMax: attempts)
    }

    @Test func `nothing but refusals is put up with for the time that was said`() {
        var watch = watch(.seconds(600))
        watch.refused(wish: nil, isForeign: false, now: seconds(10))
        watch.refused(wish: nil, isForeign: false, now: seconds(609))
        #expect(!watch.isOver && watch.lasted == .seconds(599))
        watch.refused(wish: nil, isForeign: false, now: seconds(610))
        #expect(watch.isOver && watch.lasted == .seconds(600))
    }

    @Test func `a verdict begins it anew`() {
        var watch = watch(.seconds(60))
        watch.refused(wish: .seconds(1000), isForeign: false, now: seconds(0))
        watch.judged()
        #expect(watch.since == nil && watch.lasted == nil && watch.count == 1)
        watch.refused(wish: nil, isForeign: false, now: seconds(50))
        watch.refused(wish: nil, isForeign: false, now: seconds(109))
        #expect(!watch.isOver)
        watch.refused(wish: nil, isForeign: false, now: seconds(110))
        #expect(watch.isOver)
    }

    /// A page of HTML may be anything's; a 503 or a verdict is the provider's.
    @Test(arguments: [(false, false, 60.0), (true, false, 600), (false, true, 600)])
    func `what does not look like the provider is put up with for a minute`(
        hasRefused: Bool, hasJudged: Bool, bound: Double
    ) {
        var watch = watch(.seconds(600))
        if hasRefused { watch.refused(wish: nil, isForeign: false, now: seconds(0)) }
        if hasJudged { watch.judged() }
        watch.refused(wish: nil, isForeign: true, now: seconds(0))
        watch.refused(wish: nil, isForeign: true, now: seconds(bound - 0.1))
        #expect(!watch.isOver)
        watch.refused(wish: nil, isForeign: true, now: seconds(bound))
        #expect(watch.isOver)
    }

    /// Three attempts wait twice; the longest wish counts.
    @Test func `the time that a provider asks for is not held against it`() {
        var watch = watch(.seconds(60), attempts: 3)
        watch.refused(wish: .seconds(1800), isForeign: false, now: seconds(0))
        watch.refused(wish: .seconds(1), isForeign: false, now: seconds(1))
        watch.refused(wish: .seconds(1800), isForeign: false, now: seconds(1801))
        #expect(!watch.isOver)
        watch.refused(wish: nil, isForeign: false, now: seconds(3659))
        #expect(!watch.isOver)
        watch.refused(wish: nil, isForeign: false, now: seconds(3660))
        #expect(watch.isOver)
    }

    @Test func `to ask for a second again and again is not to ask for ever`() {
        var watch = watch(.seconds(60), attempts: 5)
        for second in 0..<64 {
            watch.refused(wish: .seconds(1), isForeign: false, now: seconds(Double(second)))
            #expect(!watch.isOver)
        }
        watch.refused(wish: .seconds(1), isForeign: false, now: seconds(64))
        #expect(watch.isOver)
    }

    @Test func `the longest wishes of a job without end overflow nothing`() {
        var watch = watch(.seconds(60), attempts: .max)
        watch.refused(wish: .seconds(86_400), isForeign: false, now: seconds(0))
        watch.refused(wish: nil, isForeign: false, now: seconds(86_400 * 1000))
        #expect(!watch.isOver)
        watch.refused(wish: nil, isForeign: false, now: seconds(86_400 * 1001))
        #expect(watch.isOver)
    }

    @Test func `rests and standstills do not count`() {
        var watch = watch(.seconds(60))
        watch.refused(wish: nil, isForeign: false, now: seconds(0))
        watch.rests(now: seconds(10))
        watch.stoodStill(for: seconds(1000).nanoseconds)
        watch.works(now: seconds(1010))
        watch.stoodStill(for: seconds(100).nanoseconds)
        watch.refused(wish: nil, isForeign: false, now: seconds(1159))
        #expect(!watch.isOver)
        watch.refused(wish: nil, isForeign: false, now: seconds(1160))
        #expect(watch.isOver)
    }
}

/// The answers that a dispatcher takes for a verdict.
@Suite struct DispatcherVerdictTests {
    private func since(_ end: AttemptEnd) -> Instant? {
        var dispatcher = Dispatcher(
            settings: DispatchSettings(
                connections: 1, streamsPerConnection: 10, firstRequestAlone: false,
                timeout: .seconds(30), retry: RetryPolicy()),
            seed: 1)
        let connection = dispatcher.nextDial(now: seconds(0)) ?? -1
        dispatcher.connected(connection, now: seconds(0))
        let ends = [AttemptEnd.answeredAgain(.later(retryAfter: nil)), end]
        for (index, end) in ends.enumerated() {
            let now = seconds(Double(index + 1))
            let id = dispatcher.takeUp()
            dispatcher.started(id, on: connection, now: now)
            _ = dispatcher.attemptEnded(id, end, now: now)
        }
        return dispatcher.verdicts.since
    }

    @Test(
        arguments: [
            (.answeredFinally, true), (.answeredAgain(.tooManyForDevice(retryAfter: nil)), true),
            (.answeredAgain(.later(retryAfter: .seconds(1))), false),
            (.answeredAgain(.elsewhere), false), (.unprocessed, false), (.dismissed, false),
            (.inDoubt, false),
        ] as [(AttemptEnd, Bool)])
    func `what ends a row or blames its device is one`(end: AttemptEnd, isVerdict: Bool) {
        #expect(since(end) == (isVerdict ? nil : seconds(1)))
    }

    /// True if a provider that is put up with for a minute, and a row is sent three times, is given up when all
    /// its answers end attempts like this, the last one after so many seconds.
    private func isOver(
        _ end: AttemptEnd, resends: Bool = false, wishMax: Duration? = nil, after time: Double
    ) -> Bool {
        var settings = DispatchSettings(
            connections: 1, streamsPerConnection: 10, firstRequestAlone: false,
            timeout: .seconds(30), retry: RetryPolicy(attemptsMax: 3))
        settings.patience = .seconds(60)
        settings.retry.wishMax = wishMax
        settings.resendsInDoubt = resends
        var dispatcher = Dispatcher(settings: settings, seed: 1)
        let connection = dispatcher.nextDial(now: seconds(0)) ?? -1
        dispatcher.connected(connection, now: seconds(0))
        for moment in [0, time] {
            let id = dispatcher.takeUp()
            dispatcher.started(id, on: connection, now: seconds(moment))
            _ = dispatcher.attemptEnded(id, end, now: seconds(moment))
        }
        return dispatcher.verdicts.isOver
    }

    private static let wish = RetryPolicy.Cause.later(retryAfter: .seconds(300))

    @Test(
        arguments: [
            (.answeredAgain(wish), false, 660), (.answeredInDoubt(wish), true, 660),
            // Rows in doubt that are not sent again wait for nothing.
            (.answeredInDoubt(wish), false, 60),
            (.answeredInDoubt(.later(retryAfter: nil)), true, 60),
        ] as [(AttemptEnd, Bool, Double)])
    func `what a provider asks for is not held against it where rows wait for it`(
        end: AttemptEnd, resends: Bool, bound: Double
    ) {
        #expect(!isOver(end, resends: resends, after: bound - 0.1))
        #expect(isOver(end, resends: resends, after: bound))
    }

    @Test func `where what it may ask for has a bound, it is held against it`() {
        let end = AttemptEnd.answeredAgain(.later(retryAfter: .seconds(50)))
        #expect(!isOver(end, wishMax: .seconds(60), after: 59.9))
        #expect(isOver(end, wishMax: .seconds(60), after: 60))
    }
}
