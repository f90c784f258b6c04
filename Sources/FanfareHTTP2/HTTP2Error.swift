/// The failure of a call of a session, or of the session itself.
package struct HTTP2Error: Error, Equatable, Sendable {
    /// The kind of failure, as far as a caller can act on it.
    package enum Kind: Sendable {
        /// The connection is over; the rest of the output (GOAWAY) may still be written.
        case connectionFailed
        /// This connection takes no more requests; the request was not sent.
        case noMoreStreams
        /// All stream slots are in use; the request was not sent. The caller's gate was too wide.
        case noFreeSlot
        /// The request's header fields are larger than can be sent; it was not sent.
        case headersTooLarge
        /// Memory was refused by the system or by the session's own bound.
        case outOfMemory
    }

    /// The side that began it.
    package enum Initiator: Sendable {
        case peer
        case us
        case library
    }

    package var kind: Kind
    package var initiator: Initiator
    /// The error code for the peer; `internalError` if the peer gets none.
    package var code: HTTP2ErrorCode
    /// The words of the library or of the GOAWAY that goes out.
    package var text: String

    package init(
        _ kind: Kind, _ initiator: Initiator, code: HTTP2ErrorCode = .internalError,
        text: String = ""
    ) {
        self.kind = kind
        self.initiator = initiator
        self.code = code
        self.text = text
    }
}

extension HTTP2Error: CustomStringConvertible {
    package var description: String {
        let who =
            switch initiator {
            case .peer: "the peer broke HTTP/2"
            case .us: "the HTTP/2 connection cannot go on"
            case .library: "nghttp2 failed"
            }
        return text.isEmpty ? "\(who) (\(code.name))" : "\(who): \(text) (\(code.name))"
    }
}
