import FanfareCore
import Testing

@Suite struct AttemptCauseTests {
    @Test(arguments: [AttemptCause.ConnectionEnd.lost, .silent, .aborted], [true, false])
    func `a request that has not left as a whole is unprocessed, at any end of the connection`(
        end: AttemptCause.ConnectionEnd, isBelowGoAway: Bool
    ) {
        for extent in [AttemptCause.Extent.nothing, .part] {
            let ending = AttemptCause.of(extent, connection: end, isBelowGoAway: isBelowGoAway)
            #expect(ending.proof == .unprocessed)
        }
        let whole = AttemptCause.of(.whole, connection: end, isBelowGoAway: isBelowGoAway)
        #expect(whole.proof == .inDoubt)
    }

    /// RFC 9112 §8 has servers take it for incomplete; some act on it, and nothing tells.
    @Test(arguments: [AttemptCause.ConnectionEnd.lost, .silent, .aborted])
    func `over HTTP 1 a part of a request is in doubt, and nothing of it is not`(
        end: AttemptCause.ConnectionEnd
    ) {
        for extent in [AttemptCause.Extent.part, .whole] {
            let ending = AttemptCause.of(extent, connection: end, isText: true)
            #expect(ending.proof == .inDoubt)
        }
        let nothing = AttemptCause.of(.nothing, connection: end, isText: true)
        #expect(nothing == .endedBefore)
        #expect(nothing.proof == .unprocessed)
    }

    @Test func `a part that was lost has a row of its own`() {
        #expect(AttemptCause.of(.part, connection: .lost, isText: true) == .endedWithinText)
        #expect(AttemptCause.of(.part, connection: .silent, isText: true) == .silent)
        #expect(AttemptCause.of(.part, connection: .aborted, isText: true) == .aborted)
        #expect(AttemptCause.of(.whole, connection: .lost, isText: true) == .lostAfter)
    }

    /// RFC 9113 §8.7: REFUSED_STREAM, and ids above GOAWAY's last one, guarantee that nothing was
    /// processed; no other end of a stream does.
    @Test func `the peer's word is proof, and silence is not`() {
        #expect(AttemptCause.refusedStream.proof == .unprocessed)
        #expect(AttemptCause.aboveGoAway.proof == .unprocessed)
        for ending in [
            AttemptCause.lostBelowGoAway, .reset, .malformed, .late, .silent, .aborted,
        ] {
            #expect(ending.proof == .inDoubt)
        }
        #expect(AttemptCause.answered.proof == .answered)
    }
}
