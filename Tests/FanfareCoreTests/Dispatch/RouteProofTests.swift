import FanfareBase
import FanfareCore
import Testing

@Suite struct RouteProofTests {
    private let begin = Instant(nanoseconds: 7_000_000_000)
    private var until: Instant { begin.advanced(by: .seconds(5)) }

    @Test func `one lane asks, and the others wait for its answer`() {
        var proof = RouteProof()
        #expect(proof.hear(.none, from: 0, now: begin) == .first)
        #expect(proof.hear(.none, from: 1, now: begin) == .first)
        #expect(proof.claim(by: 1, now: begin) == until)
        #expect(proof.claim(by: 0, now: begin) == nil)
        #expect(proof.claim(by: 1, now: begin) == nil)
        for lane in 0..<4 {
            #expect(proof.hear(.none, from: lane, now: begin) == .none(until: until))
        }
        #expect(proof.isHolding)
        #expect(proof.hear(.answered, from: 1, now: begin) == .any)
        #expect(!proof.isHolding)
        for lane in 0..<4 { #expect(proof.hear(.none, from: lane, now: begin) == .any) }
    }

    @Test func `behind an attempt without an answer any lane may ask`() {
        var proof = RouteProof()
        _ = proof.claim(by: 1, now: begin)
        // Only the lane that asked can say so.
        #expect(proof.hear(.unanswered, from: 2, now: begin) == .none(until: until))
        #expect(proof.hear(.unanswered, from: 1, now: begin) == .first)
        #expect(!proof.isHolding)
        #expect(proof.claim(by: 2, now: begin) == until)
    }

    @Test func `a provider that is silent for five seconds is asked by all`() {
        var proof = RouteProof()
        _ = proof.claim(by: 1, now: begin)
        let before = until.advanced(byNanoseconds: -1)
        #expect(proof.hear(.none, from: 2, now: before) == .none(until: until))
        #expect(proof.hear(.none, from: 2, now: until) == .any)
        #expect(proof.hear(.none, from: 1, now: until) == .any)
    }

    @Test func `a lane that waits for another one's answer looks again when its time is over`() {
        var dispatcher = Dispatcher(
            settings: DispatchSettings(
                connections: 1, streamsPerConnection: 10, firstRequestAlone: false,
                timeout: .seconds(30), retry: RetryPolicy()), seed: 1)
        let place = dispatcher.nextDial(now: begin)
        guard let connection = place else {
            Issue.record("no dial is due")
            return
        }
        dispatcher.connected(connection, now: begin)
        dispatcher.settingsReceived(on: connection, maxConcurrentStreams: 100)
        dispatcher.waitsForProof(until: until)
        #expect(dispatcher.nextDeadline(now: begin) == until)
    }
}
