import FanfareBase
import FanfareCore
import Testing

@Suite struct ByteBufferTests {
    @Test func `numbers have the digits that the standard library gives them`() {
        var numbers: [UInt64] = Array(0...2000)
        var power: UInt64 = 10
        while true {
            numbers += [power - 1, power, power + 1]
            let (next, isTooLarge) = power.multipliedReportingOverflow(by: 10)
            if isTooLarge { break }
            power = next
        }
        numbers += [.max - 1, .max]
        var generator = SplitMix64(seed: 1)
        for _ in 0..<5000 {
            numbers.append(generator.next() >> UInt64.random(in: 0..<64, using: &generator))
        }
        var buffer = ByteBuffer(capacity: 16)
        var expected = ""
        for number in numbers {
            buffer.append(decimal: number)
            buffer.append(UInt8(ascii: " "))
            expected += "\(number) "
        }
        #expect(String(decoding: buffer.bytes, as: UTF8.self) == expected)
    }

    @Test func `three digits are always three`() {
        var buffer = ByteBuffer(capacity: 16)
        var expected = ""
        for number in 0..<1000 {
            buffer.append(threeDigits: UInt64(number))
            let digits = "\(number)"
            expected += String(repeating: "0", count: 3 - digits.count) + digits
        }
        #expect(String(decoding: buffer.bytes, as: UTF8.self) == expected)
    }
}
