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

    /// RFC 9112 §8 has servers take it for incomplete; some act on it, and nothing tells.
    @Test(arguments: [AttemptEnding.ConnectionEnd.lost, .silent, .aborted])
    func `over HTTP 1 a part of a request is in doubt, and nothing of it is not`(
        end: AttemptEnding.ConnectionEnd
    ) {
        for extent in [AttemptEnding.Extent.part, .whole] {
            let ending = AttemptEnding.of(extent, connection: end, isText: true)
            #expect(ending.proof == .inDoubt)
        }
        let nothing = AttemptEnding.of(.nothing, connection: end, isText: true)
        #expect(nothing == .endedBefore)
        #expect(nothing.proof == .unprocessed)
    }

    @Test func `a part that was lost has a row of its own`() {
        #expect(AttemptEnding.of(.part, connection: .lost, isText: true) == .endedWithinText)
        #expect(AttemptEnding.of(.part, connection: .silent, isText: true) == .silent)
        #expect(AttemptEnding.of(.part, connection: .aborted, isText: true) == .aborted)
        #expect(AttemptEnding.of(.whole, connection: .lost, isText: true) == .lostAfter)
    }

    /// RFC 9113 §8.7: REFUSED_STREAM, and ids above GOAWAY's last one, guarantee that nothing was
    /// processed; no other end of a stream does.
    @Test func `the peer's word is proof, and silence is not`() {
        #expect(AttemptEnding.refusedStream.proof == .unprocessed)
        #expect(AttemptEnding.aboveGoAway.proof == .unprocessed)
        for ending in [
            AttemptEnding.lostBelowGoAway, .reset, .malformed, .late, .silent, .aborted,
        ] {
            #expect(ending.proof == .inDoubt)
        }
        #expect(AttemptEnding.answered.proof == .answered)
    }
}
