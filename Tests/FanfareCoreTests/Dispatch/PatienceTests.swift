import FanfareCore
import Testing

private func seconds(_ value: Double) -> Instant { Instant(nanoseconds: Int64(value * 1e9)) }

@Suite struct PatienceTests {
    @Test func `a provider that has answered is given up after the time that was said`() {
        var patience = Patience(.seconds(600))
        patience.answered()
        patience.troubled(now: seconds(10))
        patience.troubled(now: seconds(609))
        #expect(patience.verdict == .goOn)
        patience.troubled(now: seconds(610))
        #expect(patience.verdict == .tooLong)
    }

    @Test(arguments: [(600, 60), (5, 5)])
    func `one that never has is given up after a minute, or sooner`(said: Int, bound: Int) {
        var patience = Patience(.seconds(said))
        patience.troubled(now: seconds(0))
        patience.troubled(now: seconds(Double(bound) - 0.1))
        #expect(patience.verdict == .goOn)
        patience.troubled(now: seconds(Double(bound)))
        #expect(patience.verdict == .tooLong)
    }

    @Test func `an answer ends trouble`() {
        var patience = Patience(.seconds(60))
        patience.troubled(now: seconds(0))
        patience.answered()
        #expect(patience.since == nil)
        patience.troubled(now: seconds(59))
        patience.troubled(now: seconds(100))
        #expect(patience.verdict == .goOn)
    }

    @Test func `what did not go wrong again is no trouble, however long ago it was`() {
        var patience = Patience(.seconds(60))
        patience.troubled(now: seconds(0))
        #expect(patience.verdict == .goOn)
        patience.rested()
        patience.troubled(now: seconds(3600))
        #expect(patience.verdict == .goOn)
    }

    @Test func `request after request in doubt is the end, those of one flight are one`() {
        var patience = Patience(.seconds(600), doubtsMax: 3)
        patience.answered()
        patience.troubled(now: seconds(10))
        for _ in 0..<100 { patience.doubted(started: seconds(9)) }
        #expect(patience.verdict == .goOn)
        for _ in 0..<2 { patience.doubted(started: seconds(10)) }
        #expect(patience.verdict == .goOn)
        patience.doubted(started: seconds(11))
        #expect(patience.verdict == .tooManyDoubts)
        patience.answered()
        #expect(patience.verdict == .goOn)
    }
}
