import FanfareBase
import FanfareCore
import Testing

@Suite struct FCMRetryDelayTests {
    /// The shortest and the longest of many waits, in seconds.
    private func range(
        _ verdict: FCMVerdict, attempts: Int, wish: Duration? = nil
    ) -> ClosedRange<Double> {
        var generator = SplitMix64(seed: 1)
        let waits = (0..<2000).map { _ in
            Double(
                FCMRetryDelay.nanoseconds(
                    verdict, afterAttempts: attempts, wish: wish, using: &generator)) / 1e9
        }
        return (waits.min() ?? 0)...(waits.max() ?? 0)
    }

    private func verdict(_ status: UInt16) -> FCMVerdict {
        FCMAnswers.fallback(status: status, isGoogles: false)
    }

    /// Status, attempts made, wish, and the wait without jitter; half of it comes on top at most.
    @Test(
        arguments: [
            (UInt16(503), 1, nil, 10), (503, 2, nil, 20), (503, 3, nil, 40), (500, 1, nil, 10),
            (504, 1, nil, 10), (408, 1, nil, 10), (502, 1, nil, 30), (502, 2, nil, 60),
            (429, 1, nil, 60), (429, 2, nil, 120), (429, 1, 5, 10), (429, 1, 120, 120),
            (429, 3, 30, 40), (503, 1, 7200, 7200), (503, 60, nil, 2400), (429, 60, nil, 2400),
        ] as [(UInt16, Int, Int64?, Double)])
    func `the wait doubles, and is never shorter than what was asked for`(
        status: UInt16, attempts: Int, wish: Int64?, seconds: Double
    ) {
        let found = range(verdict(status), attempts: attempts, wish: wish.map { .seconds($0) })
        #expect(found.lowerBound >= seconds && found.lowerBound < seconds * 1.05)
        // Beyond an hour only what was asked for, and jitter.
        let bound = min(seconds, 2400)
        #expect(found.upperBound <= seconds + bound / 2)
        #expect(found.upperBound > found.lowerBound)
    }

    @Test func `no wait that was not asked for is longer than an hour`() {
        for attempts in [1, 5, 20, 64, 1000] {
            #expect(range(verdict(429), attempts: attempts).upperBound <= 3600)
        }
    }
}
