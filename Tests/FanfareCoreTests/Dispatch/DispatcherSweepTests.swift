import FanfareBase
import FanfareCore
import Testing

/// The searches for connections that need a look: each finds all of them, in their order, and no other.
@Suite struct DispatcherSweepTests {
    private static func seconds(_ value: Int) -> Instant {
        Instant(nanoseconds: Int64(value) * 1_000_000_000)
    }

    /// Eight places, of which the first four have connections.
    private func makeDispatcher() -> Dispatcher {
        var dispatcher = Dispatcher(
            settings: DispatchSettings(
                connections: 4, streamsPerConnection: 10, firstRequestAlone: false,
                timeout: .seconds(30), retry: RetryPolicy()),
            seed: 1)
        while let place = dispatcher.nextDial(now: Self.seconds(0)) {
            dispatcher.connected(place, isSerial: place == 2, now: Self.seconds(0))
            if place != 2 { dispatcher.settingsReceived(on: place, maxConcurrentStreams: 10) }
        }
        return dispatcher
    }

    private func all(_ next: (Int) -> Int?) -> [Int] {
        var found: [Int] = []
        var first = 0
        while let index = next(first) {
            found.append(index)
            first = index + 1
        }
        return found
    }

    @Test func `a blocked connection is found when its time is over`() {
        var dispatcher = makeDispatcher()
        dispatcher.connections[1].blocked(isFull: true, isHeld: false, now: Self.seconds(5))
        dispatcher.connections[3].blocked(isFull: false, isHeld: true, now: Self.seconds(6))
        #expect(all { dispatcher.nextBlocked(from: $0, now: Self.seconds(34)) } == [])
        #expect(all { dispatcher.nextBlocked(from: $0, now: Self.seconds(35)) } == [1])
        #expect(all { dispatcher.nextBlocked(from: $0, now: Self.seconds(36)) } == [1, 3])
    }

    @Test func `a request is found when the time for its answer is over`() {
        var dispatcher = makeDispatcher()
        for (place, start) in [(3, 1), (0, 2)] {
            dispatcher.started(dispatcher.takeUp(), on: place, now: Self.seconds(start))
        }
        #expect(all { dispatcher.nextOverdue(from: $0, now: Self.seconds(30)) } == [])
        #expect(all { dispatcher.nextOverdue(from: $0, now: Self.seconds(31)) } == [3])
        #expect(all { dispatcher.nextOverdue(from: $0, now: Self.seconds(32)) } == [0, 3])
    }

    /// HTTP/1.1, which the third one speaks, has no PING.
    @Test func `the peers that can be asked for a sign of life are found`() {
        let dispatcher = makeDispatcher()
        #expect(all { dispatcher.nextWatched(from: $0) } == [0, 1, 3])
    }

    @Test func `a peer that allows no stream is found`() {
        var dispatcher = makeDispatcher()
        #expect(all { dispatcher.nextUseless(from: $0) } == [])
        dispatcher.settingsReceived(on: 3, maxConcurrentStreams: 0)
        #expect(all { dispatcher.nextUseless(from: $0) } == [3])
    }

    @Test func `there is nothing behind the last place`() {
        let dispatcher = makeDispatcher()
        #expect(dispatcher.connectionPlaces == 8)
        #expect(dispatcher.nextWatched(from: 8) == nil)
        #expect(dispatcher.nextWatched(from: 100) == nil)
    }
}
