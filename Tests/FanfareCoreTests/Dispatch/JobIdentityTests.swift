import FanfareBase
import FanfareCore
import Testing

@Suite struct JobIdentityTests {
    private func id(bits: UInt64, row: UInt64) -> String {
        var buffer = ByteBuffer()
        JobIdentity(bits: bits).appendID(ofRow: row, to: &buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    @Test func `an id is a version 8 UUID of job and row`() {
        // RFC 9562 §5.8: version 8 in the 13th digit, variant 10 in the 17th.
        #expect(
            id(bits: 0x0123_4567_89AB_CDEF, row: 1) == "12345678-9abc-8def-8000-000000000001")
        #expect(
            id(bits: 0x0123_4567_89AB_CDEF, row: 0xFFFF_FFFF_FFFF)
                == "12345678-9abc-8def-8000-ffffffffffff")
        #expect(id(bits: .max, row: 10) == "ffffffff-ffff-8fff-8000-00000000000a")
    }

    @Test func `a job is known by fifteen digits`() {
        #expect(JobIdentity(bits: 0x0123_4567_89AB_CDEF).text == "123456789abcdef")
        #expect(JobIdentity(bits: 10).text == "00000000000000a")
    }

    @Test func `an id names its job, and other ids name none`() {
        let bits: UInt64 = 0x0123_4567_89AB_CDEF
        #expect(JobIdentity.bits(of: id(bits: bits, row: 77), ofRow: 77) == bits)
        #expect(JobIdentity.bits(of: id(bits: bits, row: 77), ofRow: 78) == nil)
        // Ids that rows brought themselves, and a message's name of FCM.
        for other in [
            "123e4567-e89b-12d3-a456-426614174000", "12345678-9abc-4def-8000-00000000004d",
            "12345678-9abc-8def-9000-00000000004d", "projects/p/messages/0:77", "",
        ] { #expect(JobIdentity.bits(of: other, ofRow: 77) == nil) }
    }

    @Test func `different rows and different jobs have different ids`() {
        #expect(id(bits: 1, row: 1) != id(bits: 1, row: 2))
        #expect(id(bits: 1, row: 1) != id(bits: 2, row: 1))
    }

    // Against the standard library's digits.
    @Test func `a row is in its id as twelve hexadecimal digits`() {
        let identity = JobIdentity(bits: 0x123_4567_89ab_cdef)
        var random = SplitMix64(seed: 3)
        let corners: [UInt64] = [1, 9, 10, 15, 16, 0x9a9a_9a9a_9a9a, 0xffff_ffff, 0xffff_ffff_ffff]
        for row in corners + (0..<2000).map({ _ in random.next() >> (16 + random.next() % 48) }) {
            var buffer = ByteBuffer()
            identity.appendID(ofRow: row, to: &buffer)
            let digits = String(row, radix: 16)
            let expected =
                "12345678-9abc-8def-8000-" + String(repeating: "0", count: 12 - digits.count)
                + digits
            #expect(String(decoding: buffer.bytes, as: UTF8.self) == expected)
        }
    }
}
