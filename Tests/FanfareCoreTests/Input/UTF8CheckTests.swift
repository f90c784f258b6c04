import FanfareBase
import FanfareCore
import Testing

@Suite struct UTF8CheckTests {
    private func firstFault(_ bytes: [UInt8]) -> Int? {
        bytes.withUnsafeBufferPointer { UTF8Check.firstFault(in: $0) }
    }

    @Test func `text has no fault at any length`() {
        let text = Array("ASCII only, then é, ʤ, 雨桐, 😀 and ASCII again".utf8)
        #expect(firstFault([]) == nil)
        #expect(firstFault(text) == nil)
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x41], [0xE0, 0x9F, 0xBF],
            [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
            [0xF0, 0x9F, 0x98], [0xF5, 0x80, 0x80, 0x80], [0xFF],
        ] as [[UInt8]])
    func `a fault is found behind any number of letters`(_ bad: [UInt8]) {
        for count in 0..<20 {
            let letters = [UInt8](repeating: 0x61, count: count)
            #expect(firstFault(letters + bad) == count)
            #expect(firstFault(letters + bad + letters) == count)
        }
    }

    /// All leads and seconds that decide, against the standard library.
    @Test func `the standard library agrees on every pair of first bytes`() {
        for lead in UInt8(0x80)...0xFF {
            for second in stride(from: UInt8(0x70), through: 0xD0, by: 1) {
                for rest in [[], [0x80], [0xBF, 0x80], [0x80, 0x41]] as [[UInt8]] {
                    let bytes = [lead, second] + rest
                    let isText = String(validating: bytes, as: UTF8.self) != nil
                    if (firstFault(bytes) == nil) != isText { Issue.record("\(bytes)") }
                }
            }
        }
    }
}
