import FanfareBase
import FanfareHTTP1
import FanfareHTTP2
import FanfareTLS

/// The reason why a connection cannot go on, seen from inside.
enum ConnectionError: Error {
    /// TLS did not come about, though these versions of HTTP were offered.
    case tls(TLSError, HTTPVersions = .http2)
    /// The peer's first bytes are none of TLS; they may be an answer of HTTP.
    case noTLS(TLSError, speaksHTTP: Bool)
    /// TLS has failed after the peer had shown that it takes us.
    case tlsBroken(TLSError)
    case http2(HTTP2Error)
    case http1(HTTP1Error)
    /// The peer has ended TLS.
    case closedByPeer
    /// The peer speaks something else; in words for the user.
    case notHTTP2(String)
    /// The peer speaks HTTP/1.1 where HTTP/2 was wanted.
    case speaksHTTP1
    /// The first word of a peer that should speak HTTP/1.1 is another protocol's: `speaksTLS` or `speaksHTTP2`.
    case foreign(AnswerFault)

    var failure: ConnectionFailure {
        switch self {
        case .tls(let error, let versions):
            error.isPermanent
                ? .permanent(error.statement(offering: versions))
                : .transient(error.statement(offering: versions))
        // A byte of one connection proves nothing about the others, as for `foreign`.
        case .noTLS(let error, speaksHTTP: false): .transient(error.statement)
        case .noTLS(_, speaksHTTP: true):
            .transient(
                "the server speaks HTTP without TLS there: check host and port in \(.endpoint); http:// is "
                    + "for servers of this machine without TLS")
        // Advice on settings is for peers that have not taken them yet.
        case .tlsBroken(let error): .transient(Statement(error.description))
        case .http2(let error): .transient(Statement(error.description))
        // Another connection could not send it either.
        case .http1(let error) where error == .unsendable || error == .headTooLarge:
            .permanent(Statement(error.description))
        case .http1(let error): .transient(Statement(error.description))
        case .closedByPeer: .transient("closed by the peer")
        case .notHTTP2(let text): .transient(Statement(text))
        case .speaksHTTP1: .transient("the peer speaks HTTP/1.1, not HTTP/2")
        // A byte of one connection proves nothing about the others: `ConnectionKeeper` knows of their answers.
        case .foreign(.speaksTLS): .transient("the peer wants TLS: use https://")
        case .foreign: .transient("the peer speaks HTTP/2, not HTTP/1.1")
        }
    }

    /// True if the peer's first bytes are those of something else than was asked: another connection will hardly get
    /// others.
    var isForeign: Bool {
        switch self {
        case .foreign, .noTLS: true
        case .tls, .tlsBroken, .http2, .http1, .closedByPeer, .notHTTP2, .speaksHTTP1: false
        }
    }

    /// True if the peer may be reached with another version of HTTP.
    var isOfVersion: Bool {
        switch self {
        case .speaksHTTP1, .foreign(.speaksHTTP2), .tls(.wrongApplicationProtocol, _): true
        case .tls(let error, _): error.remark == .noApplicationProtocol
        case .noTLS, .tlsBroken, .http2, .http1, .closedByPeer, .notHTTP2, .foreign: false
        }
    }
}
