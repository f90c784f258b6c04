import Glibc
import Testing

@testable import FanfareHTTP2

/// Ours and nghttp2's client session, in step; `dev/fuzz session` goes on with other seeds.
@Suite struct ReferenceTests {
    @Test func `an honest peer sees and causes the same with ours as with nghttp2's`() throws {
        var answers = 0
        for seed in 0..<50 as Range<UInt64> {
            let comparison = try run(seed, isHostile: false)
            #expect(comparison.difference == nil, "seed \(seed)")
            answers += comparison.answers
            if comparison.difference != nil { break }
        }
        // Otherwise nothing was compared.
        #expect(answers > 500)
    }

    @Test func `a hostile peer is cut off by ours where it is by nghttp2's, for the same reason`()
        throws
    {
        var failures: [HTTP2ErrorCode: Int] = [:]
        var milder = 0
        var otherCodes = 0
        let clock = ContinuousClock()
        let start = clock.now
        let first = number("FANFARE_FIRST") ?? number("FANFARE_SEED") ?? 1000
        let count = number("FANFARE_SEED").map { _ in 1 } ?? number("FANFARE_COUNT") ?? 400
        let minutes = number("FANFARE_MINUTES")
        var seed = first
        while minutes.map({ clock.now - start < .seconds(60 * $0) }) ?? (seed < first + count) {
            let comparison = try run(seed, isHostile: true)
            #expect(
                comparison.difference == nil, "seed \(seed) (dev/fuzz session --seed \(seed))")
            if comparison.difference != nil { break }
            if let failure = comparison.failure { failures[failure, default: 0] += 1 }
            otherCodes += comparison.hasOtherCode ? 1 : 0
            milder += comparison.wasMilder ? 1 : 0
            seed += 1
        }
        // Frames that break two rules are rare.
        #expect(otherCodes * 20 <= failures.values.reduce(20, +))
        guard seed - first >= 400 else { return }
        #expect(milder > 0)
        for code in [
            HTTP2ErrorCode.protocolError, .flowControlError, .frameSizeError, .compressionError,
            .enhanceYourCalm,
        ] {
            #expect(failures[code, default: 0] > 0, "\(code)")
        }
    }

    private func run(_ seed: UInt64, isHostile: Bool) throws -> Comparison {
        var comparison = Comparison(seed: seed, isHostile: isHostile)
        comparison.begin()
        for _ in 0..<120 where comparison.step() {}
        comparison.finish()
        return comparison
    }

    private func number(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }
}
