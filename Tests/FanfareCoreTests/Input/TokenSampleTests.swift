import FanfareCore
import Testing

@Suite struct TokenSampleTests {
    private static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "a", count: 64 - digits.utf8.count) + digits
    }

    private static func contains(_ sample: TokenSample, _ token: String) -> Bool {
        var token = token
        return token.withUTF8 { sample.contains($0) }
    }

    private static func drawn(_ millionths: UInt64, seed: UInt64 = 0) -> Set<Int> {
        let sample = TokenSample(millionths: millionths, seed: seed)
        return Set((0..<10_000).filter { contains(sample, token($0)) })
    }

    /// Five standard deviations: √(n·p·(1-p)), which is 50 at most.
    @Test(
        arguments: [(10_000, 100), (100_000, 1000), (500_000, 5000), (990_000, 9900)]
            as [(UInt64, Int)])
    func `a sample has its share of the tokens`(millionths: UInt64, expected: Int) {
        #expect(abs(Self.drawn(millionths).count - expected) < 250)
        #expect(Self.drawn(millionths) == Self.drawn(millionths))
    }

    @Test func `all of a smaller sample are in a larger one, and another seed draws others`() {
        let small = Self.drawn(100_000)
        #expect(small.isSubset(of: Self.drawn(300_000)))
        // Of those in one tenth a tenth is in the other.
        #expect(small.intersection(Self.drawn(100_000, seed: 1)).count < small.count / 4)
    }

    @Test func `digits of either case are one token, and any other bytes have their place`() {
        let sample = TokenSample(millionths: 500_000, seed: 7)
        for number in 0..<200 {
            let token = Self.token(number)
            #expect(Self.contains(sample, token) == Self.contains(sample, token.uppercased()))
        }
        let others = (0..<200).count { Self.contains(sample, "device:\($0)") }
        #expect((40..<160).contains(others))
        #expect(Self.contains(TokenSample(millionths: 1_000_000, seed: 0), "x"))
        #expect(!Self.contains(TokenSample(millionths: 999_999, seed: 0), ""))
    }
}
