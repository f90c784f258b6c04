internal import CNghttp2
internal import FanfareCore

/// The last header field of all requests of a connection, encoded once.
///
/// nghttp2 never indexes `authorization`, whatever the caller says, so it Huffman-codes the 200 bytes
/// of a provider token again for each request: about 0.4 µs. Here it gets a stand-in of one byte
/// instead, and in the finished frame the real field, encoded once by the library's own encoder, takes
/// its place. A field that is never indexed leaves no trace in the peer's table, and it stands at the
/// end of the block, so nothing else has to know.
///
/// ```
///  HEADERS frame │ length │ 1 │ flags │ stream │ field block … │ stand-in │
///                                                              └► the real field
/// ```
///
/// RFC 7541 §6.2.3
@safe
struct PreparedField: ~Copyable {
    /// What the library is given as value; no real value is this.
    static let standInValue = "~"
    /// A block that is spliced must still fit into one frame of the smallest allowed maximum size,
    /// 16,384 bytes (RFC 9113 §4.2); encoded fields are never longer than the list as it is counted.
    static let listBytesMax = 12 * 1024

    private let standIn: ByteBuffer
    private let real: ByteBuffer

    /// Encodes a field that is never indexed.
    /// - Returns: Nothing when the library refuses, or when there is nothing to gain.
    init?(name: String, value: String) {
        guard value.utf8.count > 16,
            let standIn = Self.encoded(name, Self.standInValue),
            let real = Self.encoded(name, value)
        else { return nil }
        self.standIn = standIn
        self.real = real
    }

    /// Lends the two encoded forms; valid as long as this lives.
    var splice: Splice {
        unsafe Splice(standIn: standIn.bytes, real: real.bytes)
    }

    private static func encoded(_ name: String, _ value: String) -> ByteBuffer? {
        var deflater: OpaquePointer?
        guard unsafe nghttp2_hd_deflate_new(&deflater, 4096) == 0 else { return nil }
        defer { unsafe nghttp2_hd_deflate_del(deflater) }
        var text = ByteBuffer(capacity: 512)
        text.append(name)
        text.append(value)
        let start = unsafe UnsafeMutablePointer(mutating: text.bytes.baseAddress)
        var field = unsafe nghttp2_nv(
            name: start, value: start.map { unsafe $0 + name.utf8.count },
            namelen: name.utf8.count, valuelen: value.utf8.count,
            flags: UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue))
        let bound = unsafe nghttp2_hd_deflate_bound(deflater, &field, 1)
        var block = ByteBuffer(capacity: bound)
        let count = unsafe nghttp2_hd_deflate_hd(deflater, block.space(bound), bound, &field, 1)
        guard count > 0 else { return nil }
        block.commit(count)
        return block
    }
}

/// The bytes that take the place of others at the end of a field block.
@safe
struct Splice {
    let standIn: UnsafeBufferPointer<UInt8>
    let real: UnsafeBufferPointer<UInt8>

    private static let headersType: UInt8 = 0x01
    private static let frameHeaderBytes = 9

    /// Appends a frame, with the real field in the stand-in's place if it ends with one.
    func append(_ frame: UnsafeBufferPointer<UInt8>, to buffer: inout ByteBuffer) {
        guard unsafe endsWithStandIn(frame) else { return unsafe buffer.append(frame) }
        let kept = unsafe frame.count - standIn.count
        let length = unsafe kept + real.count - Self.frameHeaderBytes
        unsafe buffer.reserve(kept + real.count)
        buffer.append(UInt8(truncatingIfNeeded: length >> 16))
        buffer.append(UInt8(truncatingIfNeeded: length >> 8))
        buffer.append(UInt8(truncatingIfNeeded: length))
        unsafe buffer.append(UnsafeBufferPointer(rebasing: frame[3..<kept]))
        unsafe buffer.append(real)
    }

    private func endsWithStandIn(_ frame: UnsafeBufferPointer<UInt8>) -> Bool {
        guard unsafe frame.count > Self.frameHeaderBytes + standIn.count,
            unsafe frame[3] == Self.headersType
        else { return false }
        let start = unsafe frame.count - standIn.count
        for index in unsafe 0..<standIn.count
        where unsafe frame[start + index] != standIn[index] {
            return false
        }
        return true
    }
}
