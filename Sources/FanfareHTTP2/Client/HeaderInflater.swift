internal import CNghttp2
internal import FanfareCore

/// nghttp2's HPACK decoder, for the header lists of answers.
///
/// RFC 7541
@safe
struct HeaderInflater: ~Copyable {
    private let inflater: OpaquePointer
    /// The library keeps a pointer to these functions.
    private let memory: Pinned<nghttp2_mem>
    let pool: Pinned<BlockPool>

    /// - Throws: `outOfMemory`.
    init(allocationsUntilFailure: Int) throws(HTTP2Error) {
        let pool = Pinned(BlockPool(byteLimit: Limits.sessionBytesMax))
        pool.withValue { $0.allocationsUntilFailure = allocationsUntilFailure }
        let memory = unsafe Pinned(BlockPool.functions(of: pool.userData))
        var inflater: OpaquePointer?
        let status = unsafe memory.withValue { unsafe nghttp2_hd_inflate_new2(&inflater, &$0) }
        guard status == 0, let inflater = unsafe inflater else {
            throw HTTP2Error(.outOfMemory, .us)
        }
        unsafe self.inflater = unsafe inflater
        unsafe self.memory = unsafe memory
        self.pool = pool
    }

    deinit {
        unsafe nghttp2_hd_inflate_del(inflater)
    }

    /// Decodes a piece of a field block.
    /// - Parameters:
    ///   - bytes: The piece; the decoder remembers what a field still lacks.
    ///   - isLast: Whether the block ends here.
    ///   - field: Gets each field's name and value, valid during the call.
    /// - Throws: A block that cannot be decoded, or no memory.
    @inline(__always)
    func inflate(
        _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool,
        _ field: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Void
    ) throws(SessionFault) {
        var next = bytes.baseAddress
        var rest = bytes.count
        while true {
            var pair = unsafe nghttp2_nv()
            var flags: Int32 = 0
            let used = unsafe nghttp2_hd_inflate_hd2(
                inflater, &pair, &flags, next, rest, isLast ? 1 : 0)
            guard used >= 0 else { throw Self.fault(used) }
            unsafe next = unsafe next.map { unsafe $0 + used }
            rest -= used
            let isField = flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0
            if isField {
                unsafe field(
                    UnsafeBufferPointer(start: pair.name, count: pair.namelen),
                    UnsafeBufferPointer(start: pair.value, count: pair.valuelen))
            }
            if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
                unsafe nghttp2_hd_inflate_end_headers(inflater)
                return
            }
            if !isField && rest == 0 { return }
        }
    }

    private static func fault(_ status: Int) -> SessionFault {
        status == Int(NGHTTP2_ERR_NOMEM.rawValue)
            ? .outOfMemory
            : SessionFault(.compressionError, "a field block that cannot be decoded")
    }
}
