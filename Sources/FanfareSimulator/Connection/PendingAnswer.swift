import FanfareBase
import FanfareCore

/// The decision about a request that is not answered yet.
struct PendingAnswer {
    /// The stream; zero if nothing waits in this slot.
    var streamID: Int32 = 0
    /// The place in the table of prepared answers.
    var answer = 0
    /// The scenario's rule that decided, or a negative number.
    var rule = -1
    /// The body's timestamp in milliseconds since 1970; zero for none.
    var timestamp: UInt64 = 0
    /// The date of `retry-after` in seconds since 1970; zero for none.
    var retryDate: Int64 = 0
    /// The id to answer with if the request has none of its own.
    var generatedID: GeneratedID?
    /// The service that the request is for; the answers of Google's services are kept beside.
    var service = SimulatedService.apns
    /// The time of such an answer in seconds since 1970.
    var date: Int64 = 0
}

/// A message id that the provider has made up: a random UUID.
///
/// RFC 9562 §5.4
struct GeneratedID {
    private let high: UInt64
    private let low: UInt64

    init(_ random: inout SplitMix64) {
        // Four bits say the version (4), two the variant.
        high = random.next() & ~0xF000 | 0x4000
        low = random.next() & ~(0xC000 << 48) | 0x8000 << 48
    }

    /// Sixteen hex digits that tell messages apart.
    var digits: UInt64 { high }

    /// Appends the canonical form: 8-4-4-4-12 hex digits in lower case.
    func append(to buffer: inout ByteBuffer) {
        for digit in 0..<32 {
            if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                buffer.append(UInt8(ascii: "-"))
            }
            let word = digit < 16 ? high : low
            let value = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (digit % 16)) & 0xF)
            buffer.append(value < 10 ? 0x30 + value : 0x57 + value)
        }
    }
}
