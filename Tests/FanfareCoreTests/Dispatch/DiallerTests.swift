import FanfareBase
import FanfareCore
import Testing

@Suite struct DiallerTests {
    private func seconds(_ value: Double) -> Instant { Instant(nanoseconds: Int64(value * 1e9)) }

    /// Dials and loses connections that were of some use, for a second.
    private func dialsInASecond(answersEach: Int, areClosedInOrder: Bool = false) -> Int {
        var dialler = Dialler(policy: DialPolicy(), connections: 2)
        var dials = 0
        for millisecond in 0..<1000 {
            let now = seconds(10 + Double(millisecond) / 1000)
            guard dialler.mayDial(now: now) else { continue }
            dialler.started(now: now)
            dialler.succeeded()
            dialler.provedUseful()
            for _ in 0..<answersEach { dialler.answered() }
            if areClosedInOrder { dialler.closedInOrder() }
            dials += 1
        }
        return dials
    }

    @Test func `a server that closes after every answer is dialled at a bounded rate`() {
        // Two connections and four more at once, then one every 20 ms.
        #expect((50...56).contains(dialsInASecond(answersEach: 1)))
    }

    @Test func `a server that says with each answer that it closes is dialled more often`() {
        // Six at once, then one every 5 ms.
        #expect((200...207).contains(dialsInASecond(answersEach: 1, areClosedInOrder: true)))
    }

    /// An end of a connection that has answered.
    enum End {
        /// The peer has said with its answer that it closes.
        case byPeer
        /// We close it, for its age or another reason.
        case ours
        case cut
    }

    @Test(
        arguments: [
            ([.byPeer, .byPeer, .byPeer, .byPeer, .byPeer], 0.005),
            ([.byPeer, .ours, .ours, .ours, .ours], 0.005),
            ([.ours, .ours, .ours, .ours, .ours], 0.02), ([.cut, .cut, .cut, .cut, .cut], 0.02),
            ([.byPeer, .ours, .cut, .ours, .ours], 0.02),
            ([.byPeer, .byPeer, .byPeer, .byPeer, .cut], 0.02),
            ([.cut, .ours, .byPeer, .ours, .ours], 0.005),
        ] as [([End], Double)])
    func `a peer of HTTP 1 that says that it closes is dialled more often until it cuts`(
        ends: [End], next: Double
    ) {
        for isSerial in [true, false] {
            var dispatcher = Dispatcher(
                settings: DispatchSettings(
                    connections: 1, streamsPerConnection: 10, firstRequestAlone: false,
                    timeout: .seconds(1), retry: RetryPolicy()), seed: 1)
            // One connection and four more at once.
            for end in ends { answerOnce(&dispatcher, isSerial: isSerial, end) }
            #expect(dispatcher.nextDial(now: seconds(10)) == nil)
            #expect(
                dispatcher.nextDeadline(now: seconds(10)) == seconds(10 + (isSerial ? next : 0.02)))
        }
    }

    /// A connection with one request, which is answered, and the end of the connection.
    private func answerOnce(_ dispatcher: inout Dispatcher, isSerial: Bool, _ end: End) {
        guard let connection = dispatcher.nextDial(now: seconds(10)) else {
            Issue.record("no dial is due")
            return
        }
        dispatcher.connected(connection, isSerial: isSerial, now: seconds(10))
        let id = dispatcher.takeUp()
        dispatcher.started(id, on: connection, now: seconds(10))
        if end == .byPeer { dispatcher.closedByPeer(connection) }
        _ = dispatcher.attemptEnded(id, .answeredFinally, now: seconds(10))
        _ = dispatcher.lost(connection, isFailure: end == .cut, now: seconds(10))
    }

    @Test func `connections that have worked may be replaced at once`() {
        #expect(dialsInASecond(answersEach: 100) == 1000)
    }

    @Test func `a pause holds every dial back, and tells when it ends`() {
        var dialler = Dialler(policy: DialPolicy(), connections: 2)
        dialler.pause(until: seconds(10))
        #expect(!dialler.mayDial(now: seconds(9.9)))
        #expect(dialler.nextDial(now: seconds(1)) == seconds(10))
        #expect(dialler.mayDial(now: seconds(10)))
    }

    /// A lane that gets no connection goes on as long as another one is answered.
    @Test func `a give-up that is not followed pauses like any other failure`() throws {
        var dialler = Dialler(policy: DialPolicy(), connections: 1)
        var generator = SplitMix64(seed: 1)
        var now = seconds(10)
        var actions: [Dialler.FailureAction] = []
        for failure in 0..<20 {
            dialler.started(now: now)
            dialler.ended()
            actions.append(dialler.failed(now: now, using: &generator))
            let next = try #require(dialler.nextDial(now: now))
            // 250 ms that double up to 10 s, and half of that at least.
            let least = min(125 << min(failure, 10), 5_000)
            #expect(next >= now.advanced(by: .milliseconds(least)))
            now = next
        }
        #expect(actions.prefix(3) == [.tryAgain, .tryAgain, .tryAgain])
        #expect(actions.dropFirst(3).allSatisfy { $0 == .giveUp })
    }

    @Test func `a connection that was sent away before it answered anything is a failed one`() {
        let settings = DispatchSettings(
            connections: 1, streamsPerConnection: 10, firstRequestAlone: false,
            timeout: .seconds(1), retry: RetryPolicy())
        var dispatcher = Dispatcher(settings: settings, seed: 1)
        let connection = dispatcher.nextDial(now: seconds(0))!
        dispatcher.connected(connection, now: seconds(0))
        dispatcher.connections[connection].goAwayReceived(last: 0)
        #expect(dispatcher.retire(connection) == .close)
        // The end itself was in good order.
        #expect(dispatcher.lost(connection, isFailure: false, now: seconds(0)) == .tryAgain)
        #expect(dispatcher.nextDial(now: seconds(0)) == nil)
        #expect(dispatcher.nextDeadline(now: seconds(0))! >= seconds(0.125))
    }
}
