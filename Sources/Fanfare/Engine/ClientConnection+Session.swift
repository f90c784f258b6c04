import FanfareBase
import FanfareCore
import FanfareHTTP1
import FanfareHTTP2

/// The session that is in force, for those who look at one request and not at each.
extension ClientConnection {
    /// Works on the session of HTTP/1.1.
    @inline(__always)
    func withHTTP1<R: ~Copyable, E>(_ body: (inout HTTP1Session) throws(E) -> R) throws(E) -> R {
        switch http1 {
        case .some(let session): try session.withValue(body)
        case .none: preconditionFailure("BUG: HTTP/1.1 where only HTTP/2 will do")
        }
    }

    /// True if the next bytes that it sends begin a request of HTTP/1.1.
    var beginsRequest: Bool { isSerial && phase == .open && withHTTP1 { $0.isQueued } }

    /// False if there is no event: in HTTP/1.1 that is known without taking one.
    var mayHaveEvents: Bool { !isSerial || withHTTP1 { $0.hasNextEvent } }

    /// Takes the next event; `nil` if all were taken.
    func nextEvent() -> SessionEvent? {
        isSerial ? withHTTP1 { $0.nextEvent() } : session.withValue { $0.nextEvent() }
    }

    /// The answer of a stream that is not released, as far as it has come; lent until it is.
    func response(_ stream: StreamHandle) -> Response {
        isSerial ? withHTTP1 { $0.response(stream) } : session.withValue { $0.response(stream) }
    }

    /// The field `date` of an answer; lent like it.
    func date(_ stream: StreamHandle) -> UnsafeBufferPointer<UInt8> {
        isSerial
            ? unsafe withHTTP1 { unsafe $0.date(stream) }
            : unsafe session.withValue { unsafe $0.date(stream) }
    }

    /// Returns the provider's count of requests, as far as answers have said it since the last call.
    func takeQuota() -> QuotaNotice {
        isSerial ? withHTTP1 { $0.takeQuota() } : session.withValue { $0.takeQuota() }
    }

    /// Returns the part of a request that has been made into frames; the request is not released
    /// yet.
    func written(_ stream: StreamHandle) -> ClientSession.Written {
        isSerial ? withHTTP1 { $0.written(stream) } : session.withValue { $0.written(stream) }
    }

    /// Gives the place of a stream that has ended back.
    func release(_ stream: StreamHandle) {
        if isSerial {
            withHTTP1 { $0.release(stream) }
        } else {
            session.withValue { $0.release(stream) }
        }
    }

    /// The bytes of bodies that the peer takes beyond those under way; none in HTTP/1.1, which has no window.
    var sendWindow: Int { isSerial ? 0 : session.withValue { $0.connectionSendWindow } }

    /// Returns true if a connection of HTTP/1.1 has to be left, in good order, behind a request
    /// that has ended.
    ///
    /// That is so if the answer came before the whole request had left: the peer may take the next
    /// bytes for the rest of it.
    func isLeft(behind row: borrowing PreparedRow) -> Bool {
        let (isOver, hasFailed) = withHTTP1 { (!$0.canOpenStreams, $0.failure != nil) }
        return !hasFailed && (isOver || extent(of: row) == .part)
    }

    /// Advice about a server that has closed without a word of HTTP/2.
    ///
    /// TLS servers do so when they receive something other than TLS, or when they miss a
    /// certificate.
    /// - Parameter wasServed: True if the provider has ever spoken HTTP/2 with any lane.
    /// - Returns: The advice, to follow the failure's text.
    func adviceOnSilence(wasServed: Bool) -> Statement {
        if isEncrypted {
            return " (it has asked for a client certificate: check \(.certificate))"
        }
        return wasServed ? "" : " (is it TLS? then use https://)"
    }
}
