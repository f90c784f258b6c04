internal import FanfareBase
import Glibc

/// The head of the last answer, if it came in one piece: one with the same bytes means the same.
///
/// A server mostly sends the same head for a second, in which its date does not change. To compare it
/// costs a tenth of reading it.
struct KnownHead: ~Copyable {
    /// With the empty line; empty if none is known.
    private var bytes = ByteBuffer(capacity: 16)
    private(set) var head = AnswerHead()
    /// The longest head that is kept.
    static let bytesMax = 2 * 1024

    var count: Int { bytes.count }

    var allocatedBytes: Int { bytes.allocatedBytes }

    /// True if what has come begins with it.
    func begins(_ found: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !bytes.isEmpty, found.count >= bytes.count, let start = found.baseAddress,
            let known = unsafe bytes.bytes.baseAddress
        else { return false }
        return unsafe memcmp(start, known, bytes.count) == 0
    }

    /// Keeps a head that was read.
    /// - Parameters:
    ///   - head: Its meaning.
    ///   - found: Its bytes with the empty line.
    mutating func keep(_ head: AnswerHead, _ found: UnsafeBufferPointer<UInt8>) {
        bytes.removeAll()
        guard found.count <= Self.bytesMax else { return }
        unsafe bytes.append(found)
        self.head = head
    }

    mutating func forget() { bytes.removeAll() }
}
