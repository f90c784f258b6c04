/// The failure of a call of an HTTP/1.1 session, or of the session itself.
package enum HTTP1Error: Error, Equatable, Sendable {
    /// The peer has broken HTTP; the connection is over.
    case malformed(AnswerFault)
    /// The connection takes no request now, or none any more; the request was not sent.
    case noMoreRequests
    /// The request's head is larger than can be sent; it was not sent.
    case headTooLarge
    /// A field of the request has bytes that would end it, or there is no way to write it; it was not sent.
    case unsendable
}

extension HTTP1Error: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let fault): "the peer broke HTTP/1.1: \(fault.description)"
        case .noMoreRequests: "the HTTP/1.1 connection takes no request now"
        case .headTooLarge: "the request's header fields are too large for HTTP/1.1"
        case .unsendable: "the request's header fields cannot be written in HTTP/1.1"
        }
    }
}
