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

    /// The faults that the scenario has given the connection.
    var faults: ConnectionFaults { get }
}

extension SimulatedClient {
    /// True if nothing is read or written any more, by order of the scenario.
    package var isStalled: Bool { faults.isStalled }

    /// True if bytes of the client are taken; if not, its socket is not to be read.
    package var isReading: Bool { faults.isReading }

    /// True if the end is to be a reset of TCP; asked when `wantsClose`.
    package var endsWithReset: Bool { faults.endsWithReset }

    /// True if the end is to leave bytes of the client's unread; asked when `wantsClose`.
    package var leavesUnread: Bool { faults.leavesUnread }
}
