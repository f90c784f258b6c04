internal import FanfareBase

/// Header fields as literals that leave no trace in the peer's table.
enum FieldLiteral {
    /// RFC 7541 §6.2.2 and §6.2.3: the upper half of the first byte.
    static let withoutIndexing: UInt8 = 0x00
    static let neverIndexed: UInt8 = 0x10

    /// The most bytes that an integer up to 2²¹ takes. §5.1
    static let integerBytesMax = 4

    /// Appends a field, or all that comes before its value if that is not fixed.
    ///
    /// A secret's value is Huffman-coded, as it is long and encoded once.
    static func append(
        _ field: HeaderField, _ indexing: HeaderField.Indexing, staticName: UInt8,
        to text: inout ByteBuffer
    ) {
        let isSecret = indexing == .neverIndexed
        append(Int(staticName), prefix: 4, mark: isSecret ? neverIndexed : withoutIndexing, &text)
        if staticName == 0 {
            append(field.name.utf8.count, prefix: 7, mark: 0, &text)
            text.append(field.name)
        }
        guard field.source == .fixed, let value = field.value else { return }
        let code = unsafe HuffmanCode.shared
        let codedBytes = code.codedBytes(value)
        if isSecret && codedBytes < value.utf8.count {
            append(codedBytes, prefix: 7, mark: 0x80, &text)
            code.append(value, to: &text)
        } else {
            append(value.utf8.count, prefix: 7, mark: 0, &text)
            text.append(value)
        }
    }

    private static func append(
        _ value: Int, prefix: Int, mark: UInt8, _ text: inout ByteBuffer
    ) {
        let next = unsafe text.space(integerBytesMax)
        unsafe text.commit(write(value, prefix: prefix, mark: mark, to: next) - next)
    }

    /// Writes an integer into a prefix of so many bits and the bytes behind it. §5.1
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

    /// Writes a string as it is, without Huffman code. §5.2
    @inline(__always)
    static func write(
        string: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        unsafe copy(string, to: write(string.count, prefix: 7, mark: 0, to: target))
    }

    @inline(__always)
    static func copy(
        _ bytes: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        guard let start = bytes.baseAddress else { return unsafe target }
        unsafe target.update(from: start, count: bytes.count)
        return unsafe target + bytes.count
    }
}
