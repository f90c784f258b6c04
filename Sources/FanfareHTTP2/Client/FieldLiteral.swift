internal import CNghttp2
internal import FanfareCore

/// The entries of the static table that requests of ours can use.
///
/// RFC 7541, appendix A
enum StaticField {
    private static let entries: [(index: UInt8, name: String, value: String)] = [
        (1, ":authority", ""), (2, ":method", "GET"), (3, ":method", "POST"), (4, ":path", "/"),
        (6, ":scheme", "http"), (7, ":scheme", "https"), (23, "authorization", ""),
        (28, "content-length", ""), (31, "content-type", ""), (58, "user-agent", ""),
    ]

    /// The entry with name and value and one with the name, 0 for what is not there.
    static func find(_ name: String, _ value: String?) -> (field: UInt8, name: UInt8) {
        var found: (field: UInt8, name: UInt8) = (0, 0)
        for entry in entries where entry.name == name {
            if found.name == 0 { found.name = entry.index }
            if entry.value == value && !entry.value.isEmpty { found.field = entry.index }
        }
        return found
    }
}

/// Header fields as literals that leave no trace in the peer's table.
enum FieldLiteral {
    /// RFC 7541 §6.2.2 and §6.2.3: the upper half of the first byte.
    static let withoutIndexing: UInt8 = 0x00
    static let neverIndexed: UInt8 = 0x10

    /// What an integer up to 2²¹ takes at the most. §5.1
    static let integerBytesMax = 4

    /// Appends a field, or for a place all that comes before its value.
    static func append(
        _ field: HeaderField, _ indexing: HeaderField.Indexing, staticName: UInt8,
        to text: inout ByteBuffer
    ) {
        let mark = indexing == .neverIndexed ? neverIndexed : withoutIndexing
        if let value = field.value, indexing == .neverIndexed,
            appendHuffman(field.name, value, to: &text)
        {
            return
        }
        var next = unsafe text.space(field.name.utf8.count + 2 * integerBytesMax)
        let start = unsafe next
        unsafe next = unsafe write(Int(staticName), prefix: 4, mark: mark, to: next)
        if staticName == 0 {
            unsafe next = unsafe write(field.name.utf8.count, prefix: 7, mark: 0, to: next)
            for byte in field.name.utf8 {
                unsafe next.pointee = byte
                unsafe next += 1
            }
        }
        unsafe text.commit(next - start)
        guard let value = field.value else { return }
        unsafe next = unsafe text.space(integerBytesMax)
        unsafe text.commit(write(value.utf8.count, prefix: 7, mark: 0, to: next) - next)
        text.append(value)
    }

    /// Appends a field that is never indexed in nghttp2's Huffman code.
    ///
    /// Only worth it for what is encoded once: the code saves a quarter of the bytes, and costs about
    /// sixty instructions for each.
    private static func appendHuffman(
        _ name: String, _ value: String, to text: inout ByteBuffer
    ) -> Bool {
        var deflater: OpaquePointer?
        guard unsafe nghttp2_hd_deflate_new(&deflater, 4096) == 0 else { return false }
        defer { unsafe nghttp2_hd_deflate_del(deflater) }
        var plain = ByteBuffer(capacity: 512)
        plain.append(name)
        plain.append(value)
        let start = unsafe UnsafeMutablePointer(mutating: plain.bytes.baseAddress)
        var field = unsafe nghttp2_nv(
            name: start, value: start.map { unsafe $0 + name.utf8.count },
            namelen: name.utf8.count, valuelen: value.utf8.count,
            flags: UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue))
        let bound = unsafe nghttp2_hd_deflate_bound(deflater, &field, 1)
        let count = unsafe nghttp2_hd_deflate_hd(deflater, text.space(bound), bound, &field, 1)
        guard count > 0 else { return false }
        text.commit(count)
        return true
    }

    /// Writes an integer into a prefix of so many bits and what follows it. §5.1
    @inline(__always)
    static func write(
        _ value: Int, prefix: Int, mark: UInt8, to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        let most = 1 << prefix - 1
        guard value >= most else {
            unsafe target.pointee = mark | UInt8(truncatingIfNeeded: value)
            return unsafe target + 1
        }
        unsafe target.pointee = mark | UInt8(truncatingIfNeeded: most)
        var next = unsafe target + 1
        var rest = value - most
        while rest >= 128 {
            unsafe next.pointee = UInt8(truncatingIfNeeded: rest | 128)
            unsafe next += 1
            rest >>= 7
        }
        unsafe next.pointee = UInt8(truncatingIfNeeded: rest)
        return unsafe next + 1
    }
}
