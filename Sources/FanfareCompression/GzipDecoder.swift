internal import CZlib
internal import FanfareBase

/// A decoder of gzip members, one behind the other (RFC 1952 §2.2).
///
/// Zeros behind the last member are padding, as gzip(1) sees it; other bytes there are a fault.
@safe
struct GzipDecoder: ~Copyable {
    private enum Place {
        /// In a member: its data, or its header or trailer.
        case member
        /// Behind a whole member; the next byte decides the next state.
        case behindMember
        /// In the zeros that fill up the last block of a tape.
        case padding
    }

    // zlib's state refers to the stream it was made for.
    private let stream: Pinned<z_stream>
    private var place = Place.member
    private var isFirst = true

    /// gzip's largest window, and 16 for a gzip header and trailer, which zlib checks.
    private static let windowBits: Int32 = 15 + 16

    init() {
        unsafe stream = Pinned(z_stream())
        let status = unsafe stream.withValue {
            unsafe inflateInit2_(
                &$0, Self.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        }
        precondition(status == Z_OK, "BUG: zlib needs no more than memory, and its own version")
    }

    deinit {
        unsafe stream.withValue { _ = unsafe inflateEnd(&$0) }
    }

    mutating func decode(
        _ input: UnsafeBufferPointer<UInt8>, into space: UnsafeMutableRawBufferPointer
    ) -> DecodingStep {
        var step = DecodingStep()
        while step.fault == nil {
            let before = (step.consumed, step.produced)
            let rest = unsafe UnsafeBufferPointer(rebasing: input[step.consumed...])
            if place == .member {
                guard step.produced < space.count else { break }
                unsafe inflate(
                    rest, into: UnsafeMutableRawBufferPointer(rebasing: space[step.produced...]),
                    &step)
                // Without input there may still have been something in the window.
                if (step.consumed, step.produced) == before, place == .member { break }
            } else {
                guard let next = unsafe rest.first else { break }
                look(at: next, &step)
            }
        }
        step.isWhole = place != .member
        return step
    }

    /// Decides by the first byte behind a member, or behind a zero there.
    private mutating func look(at next: UInt8, _ step: inout DecodingStep) {
        if next == 0 {
            place = .padding
            step.consumed += 1
        } else if next == 0x1F, place == .behindMember {
            beginMember()
        } else {
            step.fault = CompressionFault(kind: .trailingGarbage, format: .gzip)
        }
    }

    private mutating func beginMember() {
        unsafe stream.withValue { _ = unsafe inflateReset(&$0) }
        place = .member
        isFirst = false
    }

    private mutating func inflate(
        _ input: UnsafeBufferPointer<UInt8>, into space: UnsafeMutableRawBufferPointer,
        _ step: inout DecodingStep
    ) {
        let (status, message) = unsafe stream.withValue { stream -> (Int32, String) in
            let (inputMax, spaceMax) = (
                min(input.count, Int(UInt32.max)), min(space.count, Int(UInt32.max))
            )
            unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            unsafe stream.avail_in = UInt32(inputMax)
            unsafe stream.next_out = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe stream.avail_out = UInt32(spaceMax)
            let status = unsafe CZlib.inflate(&stream, Z_NO_FLUSH)
            step.consumed += unsafe inputMax - Int(stream.avail_in)
            step.produced += unsafe spaceMax - Int(stream.avail_out)
            let message = unsafe stream.msg.map { unsafe String(cString: $0) }
            return (status, message ?? "zlib says \(status)")
        }
        switch status {
        case Z_OK, Z_BUF_ERROR:
            break
        case Z_STREAM_END:
            place = .behindMember
            step.memberEnd = step.consumed
        default:
            // The second of a header's first two bytes is looked at here.
            let isHeader = message == "incorrect header check"
            step.fault = CompressionFault(
                kind: isHeader && !isFirst ? .trailingGarbage : .damaged(message), format: .gzip)
        }
    }
}
