/// The bytes of a connection on their way to its peer, as numbers.
///
/// ```
///  submitted ──► framed ──► taken (into TLS) ──► reached the peer, or may have
/// ```
struct Outflow: ~Copyable {
    /// True if the transport has not taken everything: wait until it is writable again.
    private(set) var isFull = false
    /// True if the peer is in the middle of a message of TLS, between whose records nothing may
    /// be sent.
    private(set) var isHeld = false
    /// The bytes of frames that have been made so far: a request submitted now comes behind them.
    private(set) var framed = 0
    /// Bytes of bodies submitted but not yet made into frames: the session's window still counts
    /// them as free.
    private(set) var unframedBodyBytes = 0
    /// The progress of the outgoing frames toward the peer.
    private var progress = SendProgress()
    /// The bytes of frames before the newest request of HTTP/1.1.
    private var serialStart = 0

    /// True if nothing can be sent now.
    var isBlocked: Bool { isFull || isHeld }

    /// The bytes of frames that may have reached the peer; none behind them has.
    var reached: Int { progress.reached }

    /// True if bytes of the newest request of HTTP/1.1 may have reached the peer.
    var hasSerialLeft: Bool { progress.reached > serialStart }

    // MARK: Requests and frames

    /// A body was submitted, whose frames are still to be made.
    mutating func submitted(bodyBytes: Int) { unframedBodyBytes += bodyBytes }

    /// A request of HTTP/1.1 was submitted behind all frames so far.
    mutating func serialSubmitted() { serialStart = framed }

    /// Frames were made.
    mutating func made(_ bytes: Int) { framed += bytes }

    /// Every body that was submitted is in frames.
    mutating func allIsFramed() { unframedBodyBytes = 0 }

    // MARK: TLS and the transport

    /// Frames became a record; the numbers are those of `SendProgress`.
    mutating func encrypted(_ count: Int, before: Int, after: Int) {
        progress.encrypted(count, before: before, after: after)
    }

    /// TLS takes nothing until the rest of the peer's message has been read.
    mutating func hold() { isHeld = true }

    /// TLS takes bytes again.
    mutating func release() { isHeld = false }

    /// The transport takes bytes again.
    mutating func unblocked() { isFull = false }

    /// The transport has taken so many of the bytes of records that it was offered.
    mutating func sent(ciphertext taken: Int, of offered: Int) {
        if taken < offered { isFull = true }
        progress.sent(ciphertext: taken)
    }

    /// The transport has taken so many of the bytes of frames that it was offered.
    mutating func sent(plaintext taken: Int, of offered: Int) {
        if taken < offered { isFull = true }
        progress.sent(plaintext: taken)
    }
}
