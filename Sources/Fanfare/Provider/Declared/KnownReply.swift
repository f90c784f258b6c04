import FanfareBase
import FanfareCore
import FanfareHTTP2

/// The status and the body of the last answer: one with the same bytes has the same verdict.
///
/// Most services say no more of a row that they take than that they have taken it, and many give it an id. So
/// the place of the id is known, too: another plain text there changes nothing else.
///
/// ```
///  {"id":"‹id›","ok":true}
///         └─ the one thing in which the next answer may differ
/// ```
struct KnownReply: ~Copyable {
    /// The likeness of an answer to the known one.
    enum Likeness {
        case none
        /// It is the same.
        case same
        /// It is the same but for the id, which is in this range of its body.
        case sameBut(id: Range<Int>)
    }

    /// 0 if none is known.
    private var status: UInt16 = 0
    private var body = ByteBuffer(capacity: 64)
    /// The place of the id in the body, without the quotes; `nil` if there is none that nothing else depends on.
    private var id: Range<Int>?
    /// The longest body that is kept: longer ones are mostly about the row.
    private static let bodyBytesMax = 512

    /// Compares an answer that has come whole.
    func likeness(_ response: Response) -> Likeness {
        guard status != 0, response.status == status else { return .none }
        let (found, known) = unsafe (response.body, body.bytes)
        guard let id else { return unsafe found.hasBytes(of: known) ? .same : .none }
        let rest = known.count - id.upperBound
        let end = found.count - rest
        guard end >= id.lowerBound, end - id.lowerBound <= Limits.reasonBytesMax,
            unsafe Self.part(found, 0..<id.lowerBound).hasBytes(
                of: Self.part(known, 0..<id.lowerBound)),
            unsafe Self.part(found, end..<found.count).hasBytes(
                of: Self.part(known, id.upperBound..<known.count)),
            // Neither a quote, which would end it, nor anything that JSON escapes or a report does not show.
            unsafe TextScan.isVisible(Self.part(found, id.lowerBound..<end))
        else { return .none }
        return .sameBut(id: id.lowerBound..<end)
    }

    private static func part(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> UnsafeBufferPointer<UInt8> {
        bytes.extracting(range)
    }

    /// Keeps an answer that has come whole.
    /// - Parameters:
    ///   - response: The answer.
    ///   - offset: The offset of the id's first quote, if the verdict is the same for any id.
    ///   - text: The id.
    mutating func keep(_ response: Response, idAt offset: Int?, _ text: String) {
        guard unsafe response.body.count <= Self.bodyBytesMax else { return }
        status = response.status
        body.removeAll()
        unsafe body.append(response.body)
        id = offset.flatMap { place(ofIDAt: $0, text) }
    }

    /// Returns the place of an id that stands in the body as it is, between quotes.
    private func place(ofIDAt offset: Int, _ text: String) -> Range<Int>? {
        let range = offset + 1..<offset + 1 + text.utf8.count
        let bytes = unsafe body.bytes
        guard range.upperBound < bytes.count, unsafe bytes[offset] == UInt8(ascii: "\""),
            unsafe bytes[range.upperBound] == UInt8(ascii: "\""),
            unsafe bytes.extracting(range).elementsEqual(text.utf8)
        else { return nil }
        return range
    }

    mutating func forget() { status = 0 }
}
