internal import FanfareBase

/// A reader that cuts the bytes of a peer into frames, however they arrive.
///
/// It lends a frame that has come whole as it lies there. It puts any other together in memory of
/// its own, at most one at a time and never larger than a frame may be.
@safe
struct FrameReader: ~Copyable {
    /// The largest payload that we take; we never raise SETTINGS_MAX_FRAME_SIZE. RFC 9113 §6.5.2
    static let payloadBytesMax = 16_384

    private var partial = ByteBuffer(capacity: 512)
    /// True if the frame in `partial` was lent; its bytes are no longer needed.
    private var isLent = false

    var allocatedBytes: Int { partial.allocatedBytes }

    /// Takes the next frame off the front of the bytes; nil when there is no whole one left.
    ///
    /// The payload is valid until the next call.
    mutating func next(
        _ bytes: inout UnsafeBufferPointer<UInt8>
    ) throws(SessionFault) -> Frame? {
        if isLent {
            partial.removeAll()
            isLent = false
        }
        guard partial.isEmpty, let start = bytes.baseAddress else {
            return try unsafe complete(&bytes)
        }
        guard bytes.count >= FrameHeader.byteCount else { return try unsafe complete(&bytes) }
        let header = try unsafe Self.header(start)
        let end = FrameHeader.byteCount + header.length
        guard bytes.count >= end else { return try unsafe complete(&bytes) }
        let payload = unsafe UnsafeBufferPointer(
            start: start + FrameHeader.byteCount, count: header.length)
        unsafe bytes = UnsafeBufferPointer(start: start + end, count: bytes.count - end)
        return unsafe Frame(header: header, payload: payload)
    }

    /// Reads a frame that comes in pieces.
    @inline(never)
    private mutating func complete(
        _ bytes: inout UnsafeBufferPointer<UInt8>
    ) throws(SessionFault) -> Frame? {
        unsafe take(FrameHeader.byteCount, from: &bytes)
        guard partial.count >= FrameHeader.byteCount, let start = unsafe partial.bytes.baseAddress
        else {
            return nil
        }
        let header = try unsafe Self.header(start)
        let end = FrameHeader.byteCount + header.length
        unsafe take(end, from: &bytes)
        guard partial.count == end else { return nil }
        isLent = true
        return unsafe Frame(
            header: header,
            payload: UnsafeBufferPointer(rebasing: partial.bytes[FrameHeader.byteCount...]))
    }

    /// Moves bytes until `partial` has as many as are wanted, or none are left.
    private mutating func take(_ wanted: Int, from bytes: inout UnsafeBufferPointer<UInt8>) {
        let count = min(max(wanted - partial.count, 0), bytes.count)
        unsafe partial.append(UnsafeBufferPointer(rebasing: bytes[..<count]))
        unsafe bytes = UnsafeBufferPointer(rebasing: bytes[count...])
    }

    private static func header(
        _ start: UnsafePointer<UInt8>
    ) throws(SessionFault) -> FrameHeader {
        let header = unsafe FrameHeader(start)
        guard header.length <= payloadBytesMax else {
            throw SessionFault(.frameSizeError, "a frame larger than was allowed")
        }
        return header
    }
}
