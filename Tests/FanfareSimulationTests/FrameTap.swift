/// Reads HTTP/2 frames out of a stream of bytes that comes in any pieces.
///
/// Knows nothing of nghttp2: the ledger must not believe those whom it watches.
///
/// RFC 9113 §4.1
struct FrameTap {
    struct Frame {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let reset: UInt8 = 3
        static let settings: UInt8 = 4
        static let goAway: UInt8 = 7

        var type: UInt8
        var flags: UInt8
        var stream: Int32
        var payload: [UInt8]

        var endsStream: Bool { flags & 1 != 0 }
        var isAck: Bool { flags & 1 != 0 }

        func word(at offset: Int) -> UInt32 {
            payload[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }

        /// SETTINGS_MAX_CONCURRENT_STREAMS, if the frame sets it.
        var maxConcurrentStreams: UInt32? {
            var limit: UInt32?
            for offset in stride(from: 0, to: payload.count, by: 6)
            where payload[offset] == 0 && payload[offset + 1] == 3 {
                limit = word(at: offset + 2)
            }
            return limit
        }
    }

    private var prefaceLeft: Int
    private var pending: [UInt8] = []

    /// - Parameter isClient: The bytes are a client's, which begin with the preface.
    init(isClient: Bool) {
        prefaceLeft = isClient ? 24 : 0
    }

    /// Takes bytes and gives the frames that they complete.
    mutating func take(_ bytes: ArraySlice<UInt8>) -> [Frame] {
        let skipped = min(prefaceLeft, bytes.count)
        prefaceLeft -= skipped
        pending += bytes.dropFirst(skipped)
        var frames: [Frame] = []
        var start = 0
        while pending.count - start >= 9 {
            let length =
                Int(pending[start]) << 16 | Int(pending[start + 1]) << 8 | Int(pending[start + 2])
            guard pending.count - start >= 9 + length else { break }
            let stream = pending[start + 5..<start + 9].reduce(0) { $0 << 8 | UInt32($1) }
            frames.append(
                Frame(
                    type: pending[start + 3], flags: pending[start + 4],
                    stream: Int32(bitPattern: stream & 0x7FFF_FFFF),
                    payload: Array(pending[start + 9..<start + 9 + length])))
            start += 9 + length
        }
        pending.removeFirst(start)
        return frames
    }
}
