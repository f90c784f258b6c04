import FanfareBase

/// Bounds of what an HTTP proxy is listened to before it has opened a tunnel.
extension Limits {
    /// The head of the answer to CONNECT.
    ///
    /// Proxies send some 200 bytes; those that ask for a password list a few ways to prove oneself.
    /// Twice what servers commonly allow a head, and each connection that is being set up has one.
    package static let proxyAnswerBytesMax = 16 * 1024

    /// The ways to prove oneself that a message names; proxies offer four at most.
    package static let proxySchemesMax = 8

    /// The longest of their names that a message shows: the longest registered one has 15 letters.
    package static let proxySchemeBytesMax = 24
}
