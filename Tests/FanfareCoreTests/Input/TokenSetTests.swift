import FanfareBase
import Testing

@testable import FanfareCore

@Suite struct TokenSetTests {
    /// 64 KiB: 4096 slots, of which 3072 are places for 2611 digests.
    private let small = 64 * 1024

    @Test(arguments: [1, 2, 3])
    func `what was added is there, and nothing else`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let set = TokenSet(bytesMax: 8 * 1024 * 1024)
        var added: [TokenDigest] = []
        for _ in 0..<100_000 {
            let digest = TokenDigest(high: generator.next(), low: generator.next())
            let (before, after) = (set.contains(digest), set.insert(digest))
            #expect(!before && after == .new)
            added.append(digest)
        }
        #expect(set.count == 100_000)
        #expect(added.allSatisfy { set.contains($0) && set.insert($0) == .known })
        let strangers = (0..<100_000).map { _ in
            TokenDigest(high: generator.next(), low: generator.next())
        }
        #expect(!strangers.contains { set.contains($0) })
        #expect(set.count == 100_000)
    }

    @Test func `digests that differ in their last bit are two`() {
        let set = TokenSet(bytesMax: small)
        for low in 1...UInt64(200) {
            #expect(set.insert(TokenDigest(high: .max, low: low)) == .new)
            #expect(set.insert(TokenDigest(high: 0, low: low)) == .new)
        }
        #expect((1...UInt64(200)).allSatisfy { set.contains(TokenDigest(high: .max, low: $0)) })
        #expect(!set.contains(TokenDigest(high: .max, low: 201)))
        #expect(!set.contains(TokenDigest(high: 1, low: 1)))
    }

    @Test func `a full set says so, and still knows what it has`() {
        var generator = SplitMix64(seed: 5)
        let set = TokenSet(bytesMax: small)
        var added: [TokenDigest] = []
        while true {
            let digest = TokenDigest(high: generator.next(), low: generator.next())
            guard set.insert(digest) == .new else {
                #expect(!set.contains(digest))
                break
            }
            added.append(digest)
        }
        // 85 % of 3072 places, and the one that crosses them.
        #expect(added.count == 2612)
        #expect(added.allSatisfy { set.insert($0) == .known })
        set.removeAll()
        #expect(set.count == 0)
        #expect(!added.contains { set.contains($0) })
        #expect(added.allSatisfy { set.insert($0) == .new })
    }
}
