internal import CZstd

/// A decoder of zstd frames, one behind the other, which steps over skippable ones (RFC 8878 §3.1).
@safe
struct ZstdDecoder: ~Copyable {
    private let context: OpaquePointer
    /// The input that the library wants to see next, in bytes; 0 behind a whole frame.
    private var hint = 0
    private var frameCount = 0
    /// True if there may be more output without input, since the last call has filled its space.
    private var holdsOutput = false

    /// A block's header (RFC 8878 §3.1.1.2), which the library likes to be given with the block
    /// before it.
    private static let blockHeaderBytes = 3
    /// The shortest beginning of a frame that says how long its header is.
    private static let frameStartBytes = 5

    /// - Parameter windowLogMax: The largest window that memory is given for, as a power of two.
    init(windowLogMax: Int) {
        guard let context = unsafe ZSTD_createDCtx() else {
            preconditionFailure("BUG: zstd needs no more than memory")
        }
        unsafe self.context = context
        let status = unsafe ZSTD_DCtx_setParameter(
            context, ZSTD_d_windowLogMax, Int32(windowLogMax))
        precondition(ZSTD_isError(status) == 0, "BUG: a window that zstd cannot have")
    }

    deinit {
        unsafe ZSTD_freeDCtx(context)
    }

    mutating func decode(
        _ input: UnsafeBufferPointer<UInt8>, into space: UnsafeMutableRawBufferPointer
    ) -> DecodingStep {
        var step = DecodingStep()
        while step.produced < space.count, step.fault == nil {
            let count = min(wanted, input.count - step.consumed)
            // The library takes too many calls without a purpose for a fault.
            if count == 0 && (hint == 0 || !holdsOutput) { break }
            unsafe decode(
                UnsafeBufferPointer(rebasing: input[step.consumed..<step.consumed + count]),
                into: UnsafeMutableRawBufferPointer(rebasing: space[step.produced...]), &step)
        }
        step.isWhole = hint == 0
        return step
    }

    /// The bytes for one call.
    ///
    /// When a call fails, the library does not say what it has produced before. So it gets one
    /// block, or one header, at a time, and the good bytes in front of a fault are never lost.
    private var wanted: Int {
        if hint == 0 { return Self.frameStartBytes }
        return hint > Self.blockHeaderBytes ? hint - Self.blockHeaderBytes : hint
    }

    private mutating func decode(
        _ input: UnsafeBufferPointer<UInt8>, into space: UnsafeMutableRawBufferPointer,
        _ step: inout DecodingStep
    ) {
        var source = unsafe ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = unsafe ZSTD_outBuffer(dst: space.baseAddress, size: space.count, pos: 0)
        let status = unsafe ZSTD_decompressStream(context, &target, &source)
        guard ZSTD_isError(status) == 0 else {
            step.fault = fault(ZSTD_getErrorCode(status), status)
            return
        }
        step.consumed += unsafe source.pos
        step.produced += unsafe target.pos
        holdsOutput = unsafe target.pos == target.size
        hint = status
        guard status == 0 else { return }
        frameCount += 1
        step.memberEnd = step.consumed
    }

    private func fault(_ code: ZSTD_ErrorCode, _ status: Int) -> CompressionFault {
        let kind: CompressionFault.Kind
        switch code {
        case ZSTD_error_frameParameter_windowTooLarge:
            kind = .windowTooLarge
        case ZSTD_error_prefix_unknown where frameCount > 0:
            kind = .trailingGarbage
        default:
            kind = .damaged(unsafe String(cString: ZSTD_getErrorName(status)).lowercased())
        }
        return CompressionFault(kind: kind, format: .zstd)
    }
}
