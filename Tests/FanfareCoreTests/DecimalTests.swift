import FanfareBase
import Testing

@Suite struct DecimalTests {
    @Test(
        arguments: [
            ("0", 0), ("7", 7), ("007", 7), ("65535", 65_535),
            ("9999999999999999999", 9_999_999_999_999_999_999),
        ] as [(String, UInt64)])
    func `digits are a number`(_ text: String, _ number: UInt64) {
        #expect(Array(text.utf8).withUnsafeBufferPointer { $0.decimal } == number)
    }

    @Test(arguments: ["", "-1", "+1", " 1", "1 ", "1.0", "0x1", "1/", ":1", "10000000000000000000"])
    func `all else is none, and so are more digits than always fit`(_ text: String) {
        #expect(Array(text.utf8).withUnsafeBufferPointer { $0.decimal } == nil)
    }

    @Test func `a range of digits is a number, whatever stands around it`() {
        let bytes = Array("a2026-".utf8)
        bytes.withUnsafeBufferPointer { bytes in
            #expect(bytes.decimal(1..<5) == 2026)
            #expect(bytes.decimal(1..<6) == nil && bytes.decimal(0..<5) == nil)
            #expect(bytes.decimal(3..<3) == nil)
        }
    }
}
