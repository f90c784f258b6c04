import FanfareBase
import FanfareCore
import FanfareSystem

/// Lines in the order of their rows, one at a time.
protocol SortedRun: AnyObject {
    /// The row of the line that it stands at; `nil` behind the last one.
    var row: UInt64? { get }

    /// The line that it stands at.
    ///
    /// Valid until `advance`.
    var line: UnsafeBufferPointer<UInt8> { get }

    /// Goes to the next line.
    func advance() throws(FileError)
}

/// Sorted lines in memory.
final class MemoryRun: SortedRun {
    private let lines: LineBuffer
    private var index = 0

    /// - Parameter lines: Sorted.
    init(_ lines: consuming LineBuffer) {
        self.lines = lines
    }

    var row: UInt64? { index < lines.count ? lines.row(at: index) : nil }

    var line: UnsafeBufferPointer<UInt8> { unsafe lines.line(at: index) }

    func advance() { index += 1 }
}

/// Sorted lines in a file.
///
/// ```
///  row │ length │ line … │ row │ length │ line …       8 bytes for each number
/// ```
final class FileRun: SortedRun {
    private let file: NamelessFile
    private var rest: Range<Int>
    private var bytes = ByteBuffer(capacity: Limits.orderingRunBlockBytes)
    private var length = 0
    private(set) var row: UInt64?

    private static let headBytes = 16

    /// Begins with the first line.
    init(_ file: NamelessFile, _ range: Range<Int>) throws(FileError) {
        self.file = file
        rest = range
        try advance()
    }

    var line: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(rebasing: bytes.bytes[..<length])
    }

    func advance() throws(FileError) {
        bytes.removeFirst(length)
        length = 0
        row = nil
        guard !(bytes.isEmpty && rest.isEmpty) else { return }
        try readOn(to: Self.headBytes)
        let head = unsafe UnsafeRawBufferPointer(bytes.bytes)
        row = unsafe head.loadUnaligned(as: UInt64.self)
        length = unsafe head.loadUnaligned(fromByteOffset: 8, as: Int.self)
        bytes.removeFirst(Self.headBytes)
        try readOn(to: length)
    }

    private func readOn(to count: Int) throws(FileError) {
        guard bytes.count < count else { return }
        let wanted = min(max(count - bytes.count, Limits.orderingRunBlockBytes), rest.count)
        let space = unsafe UnsafeMutableRawBufferPointer(start: bytes.space(wanted), count: wanted)
        unsafe try file.read(into: space, at: rest.lowerBound)
        bytes.commit(wanted)
        rest = rest.lowerBound + wanted..<rest.upperBound
    }

    /// Writes lines that come in order as a run.
    struct Writer: ~Copyable {
        private let file: NamelessFile
        private let start: Int
        private var bytes = ByteBuffer(capacity: 2 * Limits.orderingRunBlockBytes)

        init(_ file: NamelessFile) {
            self.file = file
            start = file.end
        }

        mutating func append(
            row: UInt64, _ line: UnsafeBufferPointer<UInt8>
        ) throws(FileError) {
            append(row)
            append(UInt64(line.count))
            unsafe bytes.append(line)
            if bytes.count >= Limits.orderingRunBlockBytes { try flush() }
        }

        private mutating func append(_ number: UInt64) {
            unsafe withUnsafeBytes(of: number) {
                unsafe bytes.append($0.assumingMemoryBound(to: UInt8.self))
            }
        }

        private mutating func flush() throws(FileError) {
            _ = unsafe try file.append(UnsafeRawBufferPointer(bytes.bytes))
            bytes.removeAll()
        }

        /// Ends the run.
        /// - Returns: The run's place in the file.
        mutating func finish() throws(FileError) -> Range<Int> {
            try flush()
            return start..<file.end
        }
    }
}
