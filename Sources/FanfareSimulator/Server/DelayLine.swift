import FanfareBase
import FanfareCore

/// Bytes on a long way: they go out a fixed time after they came in, in order.
struct DelayLine {
    /// The time that the way takes, in nanoseconds.
    let delay: Int64
    private var pieces: [(due: Instant, bytes: [UInt8])] = []
    private var first = 0
    /// The bytes on their way.
    private(set) var byteCount = 0

    init(delay: Int64) {
        self.delay = delay
    }

    mutating func enter(_ bytes: UnsafeRawBufferPointer, now: Instant) {
        pieces.append((now.advanced(byNanoseconds: delay), unsafe Array(bytes)))
        byteCount += bytes.count
    }

    /// The next piece that has arrived.
    mutating func leave(now: Instant) -> [UInt8]? {
        guard first < pieces.count, pieces[first].due <= now else { return nil }
        let bytes = pieces[first].bytes
        pieces[first].bytes = []
        first += 1
        byteCount -= bytes.count
        if first == pieces.count || first > 1024 {
            pieces.removeFirst(first)
            first = 0
        }
        return bytes
    }

    /// The arrival of the next piece.
    var nextDue: Instant? { first < pieces.count ? pieces[first].due : nil }
}
