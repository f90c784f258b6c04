import FanfareBase
import FanfareHTTP2
import Glibc

/// The status and the body of the last answer: one with the same bytes has the same verdict.
///
/// Most services say no more of a row that they take than that they have taken it.
struct KnownReply: ~Copyable {
    /// 0 if none is known.
    private var status: UInt16 = 0
    private var body = ByteBuffer(capacity: 64)
    /// The longest body that is kept: longer ones are mostly about the row.
    private static let bodyBytesMax = 512

    /// True if an answer that has come whole is the same.
    func equals(_ response: Response) -> Bool {
        guard status != 0, response.status == status, unsafe response.body.count == body.count
        else { return false }
        guard let found = unsafe response.body.baseAddress,
            let known = unsafe body.bytes.baseAddress
        else { return body.isEmpty }
        return unsafe memcmp(found, known, body.count) == 0
    }

    /// Keeps an answer that has come whole.
    mutating func keep(_ response: Response) {
        guard unsafe response.body.count <= Self.bodyBytesMax else { return }
        status = response.status
        body.removeAll()
        unsafe body.append(response.body)
    }

    mutating func forget() { status = 0 }
}
