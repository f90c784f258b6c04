internal import FanfareBase
import Glibc

/// A reader of lines from bytes that come in pieces of any size.
///
/// A line that comes in one piece is not copied. What is found depends on all bytes together and never on
/// how they were cut: a line is looked at when it is whole, or longer than it may be.
@safe
struct LineReader: ~Copyable {
    /// The beginning of a line that is not whole, or a whole one while it is looked at.
    private var pending = ByteBuffer(capacity: 256)
    private var isWhole = false

    /// The bytes of the line that have come, while it is not whole.
    var pendingCount: Int { isWhole ? 0 : pending.count }

    var allocatedBytes: Int { pending.allocatedBytes }

    /// Takes the next line off the front.
    /// - Parameters:
    ///   - rest: The bytes that have come; the line is taken away, or all of it if the line is not
    ///     whole.
    ///   - limit: The most bytes of the line, its end included.
    ///   - excess: The fault of a longer line.
    /// - Returns: The line without CR LF, valid until the next call; `nil` if more has to come.
    /// - Throws: `excess`, `bareLineFeed` or `bareCarriageReturn`.
    mutating func next(
        _ rest: inout UnsafeBufferPointer<UInt8>, limit: Int, excess: AnswerFault
    ) throws(AnswerFault) -> UnsafeBufferPointer<UInt8>? {
        if isWhole {
            isWhole = false
            pending.removeAll()
            pending.shrink(toCapacity: Self.bytesKept)
        }
        guard let start = rest.baseAddress else { return nil }
        let found = unsafe memchr(start, Int32(UInt8(ascii: "\n")), rest.count)
        let count = unsafe found.map { unsafe UnsafeRawPointer($0) - UnsafeRawPointer(start) + 1 }
        guard pending.count + (count ?? rest.count) <= limit else { throw excess }
        let piece = unsafe UnsafeBufferPointer(rebasing: rest[..<(count ?? rest.count)])
        unsafe rest = UnsafeBufferPointer(rebasing: rest[piece.count...])
        guard count != nil else {
            unsafe pending.append(piece)
            return nil
        }
        guard !pending.isEmpty else { return unsafe try Self.withoutEnd(piece) }
        unsafe pending.append(piece)
        isWhole = true
        return unsafe try Self.withoutEnd(pending.bytes)
    }

    /// Memory that is kept for the next line that comes in pieces.
    private static let bytesKept = 4 * 1024

    private static func withoutEnd(
        _ line: UnsafeBufferPointer<UInt8>
    ) throws(AnswerFault) -> UnsafeBufferPointer<UInt8> {
        let count = line.count - 2
        guard count >= 0, unsafe line[count] == UInt8(ascii: "\r") else { throw .bareLineFeed }
        if let start = line.baseAddress, count > 0,
            unsafe memchr(start, Int32(UInt8(ascii: "\r")), count) != nil
        {
            throw .bareCarriageReturn
        }
        return unsafe UnsafeBufferPointer(rebasing: line[..<count])
    }
}
