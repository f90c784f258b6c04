import Testing

@testable import FanfareSystem

/// RFC 3720, appendix B.4, and the check value of the catalogue of parametrised CRC algorithms.
@Suite struct CRC32CTests {
    private static let examples: [([UInt8], UInt32)] = [
        ([], 0),
        (Array("123456789".utf8), 0xE306_9283),
        (Array(repeating: 0, count: 32), 0x8A91_36AA),
        (Array(repeating: 0xFF, count: 32), 0x62A8_AB43),
        (Array(0...31), 0x46DD_794E),
        (Array((0...31).reversed()), 0x113F_DB5C),
    ]

    @Test(arguments: examples)
    func `examples have the sums of the standard`(bytes: [UInt8], sum: UInt32) {
        var (whole, byTable) = (CRC32C(), CRC32C())
        unsafe bytes.withUnsafeBytes {
            unsafe whole.add($0)
            unsafe byTable.addByTable($0)
        }
        #expect(whole.value == sum)
        #expect(byTable.value == sum)
    }

    @Test func `any division has the same sum`() {
        let bytes = (0..<400).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        var expected = CRC32C()
        unsafe bytes.withUnsafeBytes { unsafe expected.addByTable($0) }
        for first in 0...280 {
            var sum = CRC32C()
            unsafe bytes.withUnsafeBytes { all in
                unsafe sum.add(UnsafeRawBufferPointer(rebasing: all[..<first]))
                unsafe sum.add(UnsafeRawBufferPointer(rebasing: all[first...]))
            }
            #expect(sum.value == expected.value, "divided at \(first)")
        }
    }
}
