package import FanfareBase

/// One client's connection to the simulated provider: bytes in, bytes out.
///
/// Knows no socket and no clock. Call `receive` with what arrives and `timerFired` at
/// `nextDeadline`; after each, send what `write` gives, and close when `wantsClose` says so.
package protocol SimulatedClient: AnyObject {
    /// Takes bytes of the client, all of them.
    /// - Parameters:
    ///   - bytes: Lent for the call.
    ///   - now: The moment.
    ///   - unixMilliseconds: The time of day.
    func receive(_ bytes: UnsafeRawBufferPointer, now: Instant, unixMilliseconds: UInt64)

    /// True if bytes of the client are taken; if not, its socket is not to be read.
    var isReading: Bool { get }

    /// Gives the answers that are due.
    func timerFired(now: Instant)

    /// The time at which `timerFired` wants to be called, or nil.
    var nextDeadline: Instant? { get }

    /// Appends bytes for the client, until the buffer holds about `limit` or nothing is left.
    func write(into buffer: inout ByteBuffer, limit: Int)

    /// True if `write` would give something now.
    var wantsWrite: Bool { get }

    /// True if the connection is over, and all has been written that there was.
    var wantsClose: Bool { get }

    /// True if the end is to be a reset of TCP; asked when `wantsClose`.
    var endsWithReset: Bool { get }

    /// True if the end is to leave bytes of the client's unread; asked when `wantsClose`.
    var leavesUnread: Bool { get }
}
