package import FanfareHTTP2

/// Events of a server session, as trivial values.
@frozen
package enum ServerSessionEvent: Equatable, Sendable {
    /// The peer's SETTINGS have arrived.
    case settings(maxConcurrentStreams: UInt32)
    /// A request is complete. Its fields can be read until `release`.
    case requestReceived(StreamHandle)
    /// A stream has ended. Comes after `requestReceived`, or without it if the client gave up.
    case streamClosed(StreamHandle, code: HTTP2ErrorCode)
    /// The client leaves.
    case goAway(lastStreamID: Int32, code: HTTP2ErrorCode)
    /// The answer to a PING has come.
    case pingAcknowledged
}
