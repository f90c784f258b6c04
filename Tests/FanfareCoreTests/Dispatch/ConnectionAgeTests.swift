import FanfareBase
import Testing

@testable import FanfareCore

@Suite struct ConnectionAgeTests {
    private func minutes(_ value: Int) -> Instant {
        Instant(nanoseconds: Int64(value) * 60_000_000_000)
    }

    private func dispatcher(connections: Int = 1) -> Dispatcher {
        Dispatcher(
            settings: DispatchSettings(
                connections: connections, streamsPerConnection: 10, firstRequestAlone: true,
                timeout: .seconds(30), retry: RetryPolicy()), seed: 5)
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `a token is left alone between 45 and 50 minutes of its age`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let moments = ConnectionAgePolicy().moments(
            opened: minutes(20), tokenSigned: minutes(0), using: &generator)
        #expect(moments.replacement >= minutes(45) && moments.replacement <= minutes(50))
        #expect(moments.end == minutes(55))
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `a connection without a token has an age too, and no end`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let moments = ConnectionAgePolicy().moments(
            opened: minutes(0), tokenSigned: nil, using: &generator)
        #expect(moments.replacement >= minutes(54) && moments.replacement <= minutes(60))
        #expect(moments.end == .distantFuture)
    }

    @Test func `with load the replacement is opened before the old connection goes`() {
        var dispatcher = dispatcher()
        let old = dispatcher.nextDial(now: minutes(0))!
        dispatcher.connected(old, tokenSigned: minutes(0), now: minutes(0))
        #expect(dispatcher.nextToRetire(hasLoad: true, now: minutes(44)) == nil)
        #expect(dispatcher.nextDial(now: minutes(44)) == nil)
        // Due: it still takes requests, and another one is wanted.
        #expect(dispatcher.nextToRetire(hasLoad: true, now: minutes(50)) == nil)
        #expect(dispatcher.room(on: old) == 1)
        let new = dispatcher.nextDial(now: minutes(50))!
        #expect(dispatcher.nextToRetire(hasLoad: true, now: minutes(51)) == nil)
        dispatcher.connected(new, tokenSigned: minutes(50), now: minutes(51))
        #expect(dispatcher.nextToRetire(hasLoad: true, now: minutes(51)) == old)
        #expect(dispatcher.retire(old) == .close)
        #expect(dispatcher.nextToRetire(hasLoad: true, now: minutes(51)) == nil)
    }

    @Test func `without load an old connection just goes`() {
        var dispatcher = dispatcher()
        let old = dispatcher.nextDial(now: minutes(0))!
        dispatcher.connected(old, tokenSigned: minutes(0), now: minutes(0))
        #expect(dispatcher.nextToRetire(hasLoad: false, now: minutes(44)) == nil)
        #expect(dispatcher.nextToRetire(hasLoad: false, now: minutes(50)) == old)
    }

    @Test func `a token that is about to end is not used, replaced or not`() {
        var dispatcher = dispatcher()
        let old = dispatcher.nextDial(now: minutes(0))!
        dispatcher.connected(old, tokenSigned: minutes(0), now: minutes(0))
        _ = dispatcher.nextToRetire(hasLoad: true, now: minutes(50))
        #expect(dispatcher.nextDeadline(now: minutes(50)) == minutes(55))
        #expect(dispatcher.nextToRetire(hasLoad: true, now: minutes(55)) == old)
    }

    @Test func `a connection that was tried for nothing goes, and not for its age`() {
        var dispatcher = dispatcher(connections: 2)
        for _ in 0..<2 {
            let index = dispatcher.nextDial(now: minutes(0))!
            dispatcher.connected(index, tokenSigned: nil, now: minutes(0))
            #expect(dispatcher.surplus == nil)
        }
        // The second one was a trial.
        dispatcher.demand = ConnectionDemand(first: 1, most: 2)
        #expect(dispatcher.surplus == 1)
        #expect(dispatcher.nextToRetire(hasLoad: true, now: minutes(1)) == nil)
        #expect(dispatcher.retire(1) == .close)
        #expect(dispatcher.surplus == nil)
    }
}
