/// A search for the bytes with a meaning in CSV (quotes, delimiters, line feeds), 64 at a time.
///
/// A block of 64 bytes is compared as four vectors, and the result becomes one bit per byte. There
/// is no instruction for that step in portable Swift, so the way was measured, as bytes searched
/// per second on one core of an AMD EPYC 9005 with code for plain x86-64 (SSE2):
///
/// | from comparison to bits | GB/s |
/// |---|---|
/// | weights, then `wrappedSum` of each half | 2.1 |
/// | no vectors: eight `UInt64` with the zero-byte trick | 6.3 |
/// | top bits of each half gathered by a multiplication | 7.2 |
/// | weights, each half summed by a multiplication | 7.5 |
/// | weights that interleave the four vectors, then one 8 × 8 transposition | 9.7 |
///
/// The last one is used: it needs three scalar steps per block instead of eight.
@safe
struct CSVScanner {
    private static let blockBytes = 64
    static let quote = UInt8(ascii: "\"")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")

    private let bytes: UnsafePointer<UInt8>
    private let end: Int
    private let delimiter: SIMD16<UInt8>
    /// The offset of the block that `marks` belongs to.
    private var block: Int
    /// One bit for each byte of the block that is still to be reported.
    private var marks: UInt64 = 0
    private var blockHighBits: UInt64 = 0
    private var rowHighBits: UInt64 = 0

    /// Starts to look at `bytes[start ..< end]`.
    ///
    /// Up to 63 bytes behind `end` are read, too: the memory of a `RowBatch` has that padding.
    init(bytes: UnsafePointer<UInt8>, from start: Int, to end: Int, delimiter: UInt8) {
        unsafe self.bytes = bytes
        self.end = end
        self.delimiter = SIMD16(repeating: delimiter)
        self.block = start - Self.blockBytes
    }

    /// The offset of the next quote, delimiter or line feed; `end` when there is none.
    // Inlined, with `load`, because it is the inner loop of the parser and three instructions long
    // when the block has another mark.
    @inline(__always)
    mutating func next() -> Int {
        while marks == 0 {
            if end - block <= Self.blockBytes { return end }
            block &+= Self.blockBytes
            load()
        }
        let offset = block &+ marks.trailingZeroBitCount
        marks &= marks &- 1
        return offset
    }

    /// Begins to watch for bytes above 0x7F anew.
    @inline(__always)
    mutating func beginRow() {
        rowHighBits = blockHighBits
    }

    /// True if the row may have bytes above 0x7F.
    ///
    /// It sees whole blocks, so the byte can be a neighbor's.
    @inline(__always)
    var mayHaveNonASCII: Bool { rowHighBits != 0 }

    @inline(__always)
    private mutating func load() {
        let base = unsafe UnsafeRawPointer(bytes + block)
        let first = unsafe base.loadUnaligned(as: SIMD16<UInt8>.self)
        let second = unsafe base.loadUnaligned(fromByteOffset: 16, as: SIMD16<UInt8>.self)
        let third = unsafe base.loadUnaligned(fromByteOffset: 32, as: SIMD16<UInt8>.self)
        let fourth = unsafe base.loadUnaligned(fromByteOffset: 48, as: SIMD16<UInt8>.self)

        // Each half of a vector gets a bit of its own, so that byte j of the sum has in bit k
        // whether byte 8k + j of the block is wanted. The transposition turns that into order.
        let weights = SIMD16<UInt8>(1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2)
        let wanted =
            (match(first) & weights) | (match(second) & (weights &* 4))
            | (match(third) & (weights &* 16)) | (match(fourth) & (weights &* 64))
        let halves = unsafe unsafeBitCast(wanted, to: SIMD2<UInt64>.self)
        marks = Self.transposed(halves[0] | halves[1])

        let all = unsafe unsafeBitCast(first | second | third | fourth, to: SIMD2<UInt64>.self)
        blockHighBits = (all[0] | all[1]) & 0x8080_8080_8080_8080
        rowHighBits |= blockHighBits
        if end - block < Self.blockBytes {
            marks &= (1 << UInt64(truncatingIfNeeded: end - block)) &- 1
        }
    }

    /// Returns all bits of each wanted byte, none of the others.
    @inline(__always)
    private func match(_ vector: SIMD16<UInt8>) -> SIMD16<UInt8> {
        equal(vector, SIMD16(repeating: Self.quote)) | equal(vector, delimiter)
            | equal(vector, SIMD16(repeating: Self.lineFeed))
    }

    /// Returns all bits of each equal byte.
    ///
    /// A mask is cast to bytes at once, since the standard library's `.|` of two masks is a loop
    /// over their elements: with it the parser reads 0.12 GB/s.
    @inline(__always)
    private func equal(_ vector: SIMD16<UInt8>, _ other: SIMD16<UInt8>) -> SIMD16<UInt8> {
        unsafe unsafeBitCast(vector .== other, to: SIMD16<UInt8>.self)
    }

    /// Returns the offset of the first quote in `bytes[start...]`.
    static func firstQuote(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard let base = unsafe UnsafeRawPointer(bytes.baseAddress) else { return nil }
        let quotes = SIMD16(repeating: quote)
        var offset = start
        while bytes.count - offset >= blockBytes {
            var found = SIMD16<UInt8>()
            for part in 0..<4 {
                let vector = unsafe base.loadUnaligned(
                    fromByteOffset: offset + 16 * part, as: SIMD16<UInt8>.self)
                found |= unsafe unsafeBitCast(vector .== quotes, to: SIMD16<UInt8>.self)
            }
            let halves = unsafe unsafeBitCast(found, to: SIMD2<UInt64>.self)
            if halves[0] | halves[1] != 0 { break }
            offset += blockBytes
        }
        return unsafe bytes[offset...].firstIndex(of: quote)
    }

    /// Mirrors an 8 × 8 matrix of bits on its diagonal.
    ///
    /// Warren: Hacker's Delight, second edition, §7-3
    @inline(__always)
    private static func transposed(_ matrix: UInt64) -> UInt64 {
        var bits = matrix
        var swap = (bits ^ (bits >> 7)) & 0x00AA_00AA_00AA_00AA
        bits ^= swap ^ (swap << 7)
        swap = (bits ^ (bits >> 14)) & 0x0000_CCCC_0000_CCCC
        bits ^= swap ^ (swap << 14)
        swap = (bits ^ (bits >> 28)) & 0x0000_0000_F0F0_F0F0
        return bits ^ swap ^ (swap << 28)
    }
}
