import Testing

@testable import FanfareCore

struct RowCheckTests {
    private func check(_ bytes: [UInt8]) -> UInt16 {
        bytes.withUnsafeBufferPointer { RowCheck.of($0) }
    }

    private func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        bytes.withUnsafeBytes { Mixing.hash($0, seed: seed) }
    }

    @Test
    func `equal bytes have equal checks, wherever they lie, and none is 0`() {
        for count in 0...100 {
            let bytes = (0..<count).map { UInt8($0 * 7 & 0xFF) }
            let shifted = [1, 2, 3] + bytes
            let elsewhere = shifted.withUnsafeBufferPointer { buffer in
                RowCheck.of(UnsafeBufferPointer(rebasing: buffer[3...]))
            }
            #expect(check(bytes) == elsewhere)
            #expect(check(bytes) != 0)
        }
    }

    @Test(arguments: [1, 7, 8, 9, 15, 16, 17, 40, 100])
    func `any bit that is turned, and any byte more or less, makes another hash`(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var seen: Set<UInt64> = [hash(bytes), hash(bytes + [0]), hash(Array(bytes.dropLast()))]
        for bit in 0..<8 * count {
            var turned = bytes
            turned[bit / 8] ^= 1 << UInt8(bit % 8)
            seen.insert(hash(turned))
        }
        #expect(seen.count == 3 + 8 * count)
        #expect(hash(bytes, seed: 1) != hash(bytes))
    }

    /// Of 20,000 rows that differ in their number alone some 20,000²/2/65,535 pairs are equal by chance.
    @Test
    func `checks of rows that are alike are as if by chance`() {
        var counts: [UInt16: Int] = [:]
        for row in 0..<20_000 {
            counts[
                check(Array("\(String(repeating: "a", count: 60))\(row),n\(row)".utf8)), default: 0] +=
                1
        }
        let pairs = counts.values.reduce(0) { $0 + $1 * ($1 - 1) / 2 }
        #expect((2_600...3_500).contains(pairs), "\(pairs)")
    }
}
