internal import FanfareBase

/// A decoder of compressed bytes, piece by piece.
///
/// It keeps a window and no more of the bytes it has seen. Do not use it after a fault.
package struct Decompressor: ~Copyable {
    package let format: CompressionFormat
    private var gzip: GzipDecoder?
    private var zstd: ZstdDecoder?
    /// True if the bytes decoded up to now may be all.
    private var isWhole = false

    /// Makes ready for the first byte.
    package init(_ format: CompressionFormat) {
        self.format = format
        switch format {
        case .gzip: gzip = GzipDecoder()
        case .zstd: zstd = ZstdDecoder(windowLogMax: Limits.zstdWindowLogMax)
        }
    }

    /// Decodes until the input is used up, the space is full, or something is wrong.
    ///
    /// If the space is full, the decoder may hold more bytes that need no more input.
    /// - Parameters:
    ///   - input: The next compressed bytes.
    ///   - space: The memory for the result; not empty.
    /// - Returns: The bytes consumed and produced, and the fault, if there is one.
    package mutating func decode(
        _ input: UnsafeBufferPointer<UInt8>, into space: UnsafeMutableRawBufferPointer
    ) -> DecodingStep {
        precondition(space.count > 0, "BUG: nothing can be decoded into no space")
        let gunzipped = unsafe gzip?.decode(input, into: space)
        guard let step = unsafe gunzipped ?? zstd?.decode(input, into: space) else {
            preconditionFailure("BUG: a decompressor without a decoder")
        }
        isWhole = step.isWhole
        return step
    }

    /// The fault if no more input comes; to be asked when all was decoded.
    package var faultAtEnd: CompressionFault? {
        isWhole ? nil : CompressionFault(kind: .truncated, format: format)
    }
}
