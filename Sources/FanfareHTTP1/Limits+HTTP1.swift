import FanfareBase

/// Bounds of HTTP/1.1 sessions.
extension Limits {
    /// The bytes of an answer's head with its trailers, and of each interim answer's head.
    ///
    /// Servers and proxies commonly bound the heads that they send at 8 to 32 KiB.
    package static let answerHeadBytes = 64 * 1024

    /// The fields of an answer, trailers included; servers send some ten, with a CDN before them thirty.
    package static let answerFieldsMax = 128

    /// The interim answers before one answer.
    ///
    /// An honest server sends one or two; each may be as long as a head.
    package static let interimAnswersMax = 32

    /// The bytes of a line with a chunk's size; a size has 16 at the most, the rest is extensions.
    package static let chunkLineBytes = 4 * 1024

    /// The bytes of chunk extensions in one answer: nothing in use sends any, and without a bound a body
    /// could be all of them. RFC 9112 §7.1.1
    package static let chunkExtensionBytes = 16 * 1024

    /// The most bytes of an answer's body that we wait for.
    ///
    /// No provider's answer has a thousandth of it, and the bodies that a load test fetches are
    /// smaller. A body without end would keep its connection until the time for an answer is over.
    package static let answerBodyBytes: UInt64 = 1024 * 1024 * 1024
}
