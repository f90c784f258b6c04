import FanfareBase
import FanfareCore
import FanfareSystem

/// An estimate of an input's rows, from its size and its first lines, without reading it to its
/// end.
package enum RowEstimate {
    /// The length of the first lines: a thousand ordinary rows and more.
    static let headBytesMax = 256 * 1024

    /// The beginnings of gzip and zstd.
    private static let compressed: [[UInt8]] = [[0x1F, 0x8B], [0x28, 0xB5, 0x2F, 0xFD]]

    /// Estimates the rows of a file.
    /// - Parameters:
    ///   - head: Its first bytes; all of it, if it is short.
    ///   - size: Its length in bytes.
    ///   - hasHeader: True if CSV begins with a header.
    /// - Returns: The number, not exact where fields have line ends; nil for a compressed file, and for
    ///   a JSON array, whose lines say nothing.
    package static func rows(head: [UInt8], size: Int, hasHeader: Bool) -> UInt64? {
        guard !compressed.contains(where: { head.starts(with: $0) }) else { return nil }
        guard !head.isEmpty else { return 0 }
        let first = head.dropFirst(ByteOrderMark.count(in: head))
            .first { !" \t\r\n".utf8.contains($0) }
        guard first != UInt8(ascii: "[") else { return nil }
        let ends = head.count { $0 == UInt8(ascii: "\n") }
        let isWhole = head.count >= size
        // A last line may do without its end.
        let lines =
            isWhole
            ? ends + (head.last == UInt8(ascii: "\n") ? 0 : 1)
            : Int(Double(size) * Double(max(ends, 1)) / Double(head.count))
        let isCSV = first != UInt8(ascii: "{")
        return UInt64(max(lines - (isCSV && hasHeader ? 1 : 0), 0))
    }

    /// Estimates the rows of a file by its path.
    /// - Parameters:
    ///   - path: The file.
    ///   - hasHeader: True if CSV begins with a header.
    /// - Returns: The number; nil for a compressed file, a JSON array, or a file without a length.
    /// - Throws: `FileError` when it cannot be read.
    static func rows(of path: String, hasHeader: Bool) throws(FileError) -> UInt64? {
        // A pipe would lose the bytes that are read.
        guard FileDescriptor.isRegularFile(path) else {
            try FileDescriptor.checkReadable(path)
            return nil
        }
        let head = try head(of: path)
        return rows(head: head, size: try FileDescriptor.reading(path).size, hasHeader: hasHeader)
    }

    /// The first bytes of a file.
    /// - Throws: `FileError` when it cannot be read.
    static func head(of path: String) throws(FileError) -> [UInt8] {
        let file = try FileDescriptor.reading(path)
        var bytes = ByteBuffer(capacity: headBytesMax)
        while bytes.count < headBytesMax {
            let space = headBytesMax - bytes.count
            let count = unsafe try file.read(
                into: UnsafeMutableRawBufferPointer(start: bytes.space(space), count: space))
            if count == 0 { break }
            bytes.commit(count)
        }
        return unsafe Array(bytes.bytes)
    }
}
