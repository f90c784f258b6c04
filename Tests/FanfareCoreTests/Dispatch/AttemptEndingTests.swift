import FanfareCore
import Testing

@Suite struct AttemptEndingTests {
    @Test(arguments: [AttemptEnding.ConnectionEnd.lost, .silent, .aborted], [true, false])
    func `a request that has not left as a whole is unprocessed, at any end of the connection`(
        end: AttemptEnding.ConnectionEnd, isBelowGoAway: Bool
    ) {
        for extent in [AttemptEnding.Extent.nothing, .part] {
            let ending = AttemptEnding.of(extent, connection: end, isBelowGoAway: isBelowGoAway)
            #expect(ending.proof == .unprocessed)
        }
        let whole = AttemptEnding.of(.whole, connection: end, isBelowGoAway: isBelowGoAway)
        #expect(whole.proof == .inDoubt)
    }

    /// RFC 9113 §8.7: REFUSED_STREAM, and ids above GOAWAY's last one, guarantee that nothing was
    /// processed; no other end of a stream does.
    @Test func `the peer's word is proof, and silence is not`() {
        #expect(AttemptEnding.refusedStream.proof == .unprocessed)
        #expect(AttemptEnding.aboveGoAway.proof == .unprocessed)
        for ending in [AttemptEnding.lostBelowGoAway, .reset, .late, .silent, .aborted] {
            #expect(ending.proof == .inDoubt)
        }
        #expect(AttemptEnding.answered.proof == .answered)
    }
}
