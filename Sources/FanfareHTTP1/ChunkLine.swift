internal import FanfareBase

/// The line before a chunk: its size, and extensions that are passed over.
///
/// RFC 9112 §7.1
struct ChunkLine {
    /// 0 for the last one.
    let size: UInt64
    /// The bytes behind the size.
    let extensionBytes: Int

    /// A size of 15 digits is a petabyte, and fits.
    private static let digitsMax = 15

    init(_ line: UnsafeBufferPointer<UInt8>) throws(AnswerFault) {
        var size: UInt64 = 0
        var count = 0
        while count < line.count, let digit = unsafe line[count].hexadecimalValue {
            count += 1
            guard count <= Self.digitsMax else { throw .hugeChunk }
            size = size << 4 | UInt64(digit)
        }
        guard count > 0 else { throw .chunkSize }
        let rest = unsafe UnsafeBufferPointer(rebasing: line[count...])
        let first = unsafe rest.first { !FieldText.isBlank($0) }
        // Blanks are allowed before a semicolon, and nowhere else. RFC 9112 §7.1.1
        guard rest.isEmpty || first == UInt8(ascii: ";") else { throw .chunkSize }
        guard unsafe FieldText.isValue(rest) else { throw .chunkExtension }
        self.size = size
        extensionBytes = rest.count
    }
}
