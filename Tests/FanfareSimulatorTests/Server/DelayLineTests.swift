import FanfareBase
import FanfareCore
import Testing

@testable import FanfareSimulator

@Suite struct DelayLineTests {
    @Test func `bytes leave in order, each piece a fixed time after it came`() {
        var line = DelayLine(delay: 40)
        for (moment, byte) in [(100, 1), (110, 2), (110, 3)] as [(Int64, UInt8)] {
            unsafe [byte, byte].withUnsafeBytes {
                unsafe line.enter($0, now: Instant(nanoseconds: moment))
            }
        }
        #expect(line.byteCount == 6)
        #expect(line.nextDue == Instant(nanoseconds: 140))
        #expect(line.leave(now: Instant(nanoseconds: 139)) == nil)
        #expect(line.leave(now: Instant(nanoseconds: 140)) == [1, 1])
        #expect(line.leave(now: Instant(nanoseconds: 149)) == nil)
        #expect(line.leave(now: Instant(nanoseconds: 200)) == [2, 2])
        #expect(line.leave(now: Instant(nanoseconds: 200)) == [3, 3])
        #expect(line.leave(now: Instant(nanoseconds: 200)) == nil)
        #expect(line.nextDue == nil)
        #expect(line.byteCount == 0)
    }

    @Test func `a long stream of pieces keeps its order and its sum`() {
        var line = DelayLine(delay: 1_000_000)
        var left = 0
        for moment in 0..<5000 {
            unsafe withUnsafeBytes(of: UInt32(moment)) {
                unsafe line.enter($0, now: Instant(nanoseconds: Int64(moment)))
            }
            while let bytes = line.leave(now: Instant(nanoseconds: Int64(moment) + 998_000)) {
                let expected = unsafe withUnsafeBytes(of: UInt32(left)) { unsafe Array($0) }
                #expect(bytes == expected)
                left += 1
            }
        }
        #expect(left == 3000)
        #expect(line.byteCount == 2000 * 4)
    }
}
