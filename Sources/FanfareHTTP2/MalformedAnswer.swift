/// Every way in which an answer can break HTTP/2 while its connection goes on, and where that is forbidden.
///
/// An answer with one of them counts for nothing, and its stream is reset with PROTOCOL_ERROR.
package enum MalformedAnswer: UInt8, CaseIterable, Sendable {
    // Fields.
    case badName
    case badValue
    case connectionField
    case pseudoField
    case latePseudoField
    case largeList
    // The status.
    case noStatus
    case severalStatuses
    case badStatus
    // Where the answer ends.
    case badLength
    case otherLength
    case announcedWithoutContent
    case bodyFirst
    case trailersWithoutEnd
    case endedInformational

    /// The fault, in a sentence without its end.
    package var sentence: StaticString {
        switch self {
        case .badName: "the name of a header field has upper case, or is no token"
        case .badValue: "the value of a header field has control characters, or blanks at its ends"
        case .connectionField: "a header field is about the connection, which HTTP/2 forbids"
        case .pseudoField: "a pseudo-header field is another than :status"
        case .latePseudoField: "the status stands behind other header fields"
        case .largeList: "the header fields are too large"
        case .noStatus: "there is no status"
        case .severalStatuses: "there is more than one status"
        case .badStatus: "the status is no number of three digits that HTTP/2 has"
        case .badLength: "the content-length is not one number"
        case .otherLength: "the body is not as long as its content-length"
        case .announcedWithoutContent: "an answer that has no content announces some"
        case .bodyFirst: "a body comes before its header fields"
        case .trailersWithoutEnd: "header fields behind the answer do not end it"
        case .endedInformational: "it ends with an informational answer"
        }
    }

    /// The section that forbids it.
    package var section: StaticString {
        switch self {
        case .badName, .badValue: "RFC 9113 §8.2.1"
        case .connectionField: "RFC 9113 §8.2.2"
        case .pseudoField, .latePseudoField: "RFC 9113 §8.3"
        case .largeList: "RFC 9113 §10.5.1"
        case .noStatus, .severalStatuses, .badStatus: "RFC 9113 §8.3.2"
        case .badLength, .announcedWithoutContent: "RFC 9110 §8.6"
        case .otherLength: "RFC 9113 §8.1.1"
        case .bodyFirst, .trailersWithoutEnd, .endedInformational: "RFC 9113 §8.1"
        }
    }
}

extension MalformedAnswer: CustomStringConvertible {
    package var description: String { "\(sentence) (\(section))" }
}
