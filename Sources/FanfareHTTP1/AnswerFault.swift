/// Every way in which a peer can break HTTP/1.1, and where that is forbidden.
///
/// An answer with one of them counts for nothing, and its connection ends, because the beginning of
/// the next answer cannot be told any more. The parser also refuses forms that others only advise
/// against, wherever two readers may take the same bytes for different messages.
package enum AnswerFault: UInt8, CaseIterable, Error, Sendable {
    // The status line.
    case notHTTP
    case speaksHTTP2
    case speaksTLS
    case version
    case statusLine
    case status
    case switchedProtocols
    case tooManyInterim
    // Lines.
    case bareLineFeed
    case bareCarriageReturn
    case headTooLarge
    case tooManyFields
    // Fields.
    case foldedLine
    case missingColon
    case emptyName
    case blankBeforeColon
    case badName
    case badValue
    // Where the answer ends.
    case severalLengths
    case badLength
    case hugeLength
    case lengthWithCoding
    case unknownCoding
    case codingInHTTP10
    case announcedWithoutContent
    case framingInTrailers
    // Chunks.
    case chunkSize
    case hugeChunk
    case chunkEnd
    case chunkExtension
    case longExtensions
    // Between answers.
    case unsolicited

    /// The fault, in a sentence without its end.
    package var sentence: StaticString {
        switch self {
        case .notHTTP: "what it says does not begin with HTTP/"
        case .speaksHTTP2: "what it says begins like a frame of HTTP/2"
        case .speaksTLS: "it speaks TLS"
        case .version: "the answer's version is not 1.0 or 1.1"
        case .statusLine: "the status line is not a version, a status and words"
        case .status: "the status is below 100"
        case .switchedProtocols: "it switches to a protocol that the request did not ask for"
        case .tooManyInterim: "interim answers come without end"
        case .bareLineFeed: "a line ends with LF alone"
        case .bareCarriageReturn: "a line has a CR in it"
        case .headTooLarge: "the head is too large"
        case .tooManyFields: "there are too many header fields"
        case .foldedLine: "a line of the head begins with a blank"
        case .missingColon: "a header field has no colon"
        case .emptyName: "a header field has no name"
        case .blankBeforeColon: "there is a blank before the colon of a header field"
        case .badName: "the name of a header field is no token"
        case .badValue: "the value of a header field has control characters"
        case .severalLengths: "there is more than one content-length"
        case .badLength: "the content-length is not a number"
        case .hugeLength: "the content-length is larger than any body"
        case .lengthWithCoding: "there are both content-length and transfer-encoding"
        case .unknownCoding: "the transfer-encoding is another than chunked alone"
        case .codingInHTTP10: "an answer of HTTP/1.0 has a transfer-encoding"
        case .announcedWithoutContent: "an answer that has no content announces some"
        case .framingInTrailers: "a length or coding stands behind the body"
        case .chunkSize: "the size of a chunk is not a number"
        case .hugeChunk: "the size of a chunk is larger than any body"
        case .chunkEnd: "a chunk is longer than its size"
        case .chunkExtension: "the extension of a chunk has control characters"
        case .longExtensions: "the extensions of chunks are too long"
        case .unsolicited: "it answers without a question"
        }
    }

    /// The section that forbids it, or advises against it.
    package var section: StaticString {
        switch self {
        case .notHTTP, .statusLine, .speaksHTTP2, .speaksTLS: "RFC 9112 §4"
        case .version: "RFC 9112 §2.3"
        case .status: "RFC 9110 §15"
        case .switchedProtocols: "RFC 9110 §15.2.2"
        case .tooManyInterim: "RFC 9110 §15.2"
        case .bareLineFeed, .bareCarriageReturn: "RFC 9112 §2.2"
        case .headTooLarge, .tooManyFields: "RFC 9110 §5.4"
        case .foldedLine: "RFC 9112 §5.2"
        case .missingColon, .emptyName: "RFC 9112 §5"
        case .blankBeforeColon: "RFC 9112 §5.1"
        case .badName: "RFC 9110 §5.1"
        case .badValue: "RFC 9110 §5.5"
        case .severalLengths, .badLength, .hugeLength: "RFC 9112 §6.3"
        case .lengthWithCoding: "RFC 9112 §6.1"
        case .unknownCoding: "RFC 9112 §6.1"
        case .codingInHTTP10: "RFC 9112 §6.1"
        case .announcedWithoutContent: "RFC 9110 §8.6"
        case .framingInTrailers: "RFC 9110 §6.5.1"
        case .chunkSize, .hugeChunk, .chunkEnd: "RFC 9112 §7.1"
        case .chunkExtension, .longExtensions: "RFC 9112 §7.1.1"
        case .unsolicited: "RFC 9112 §9.2"
        }
    }
}

extension AnswerFault: CustomStringConvertible {
    package var description: String { "\(sentence) (\(section))" }
}
