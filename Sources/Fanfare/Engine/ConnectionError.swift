import FanfareBase
import FanfareHTTP1
import FanfareHTTP2
import FanfareTLS

/// The reason why a connection cannot go on, seen from inside.
enum ConnectionError: Error {
    /// TLS did not come about.
    case tls(TLSError)
    /// TLS has failed after the peer had shown that it takes us.
    case tlsBroken(TLSError)
    case http2(HTTP2Error)
    case http1(HTTP1Error)
    /// The peer has ended TLS.
    case closedByPeer
    /// The peer speaks something else; in words for the user.
    case notHTTP2(String)

    var failure: ConnectionFailure {
        switch self {
        case .tls(let error):
            error.isPermanent ? .permanent(error.statement) : .transient(error.statement)
        case .tlsBroken(let error): .transient(error.statement)
        case .http2(let error): .transient(Statement(error.description))
        // Another connection could not send it either.
        case .http1(.unsendable), .http1(.headTooLarge): .permanent(http1Text)
        case .http1: .transient(http1Text)
        case .closedByPeer: .transient("closed by the peer")
        case .notHTTP2(let text): .transient(Statement(text))
        }
    }

    /// The fault in HTTP/1.1, with advice if there is any.
    private var http1Text: Statement {
        switch self {
        case .http1(.malformed(.speaksTLS)): "the peer wants TLS: use https://"
        case .http1(.malformed(.speaksHTTP2)): "the peer speaks HTTP/2, not HTTP/1.1"
        case .http1(let error): Statement(error.description)
        case .tls, .tlsBroken, .http2, .closedByPeer, .notHTTP2: ""
        }
    }
}
