/// One request and its answer in a session.
///
/// The id is the one on the wire; the slot is a dense index that the owner may use for tables of
/// its own. A slot is used again after `release`, an id never.
@frozen
package struct StreamHandle: Hashable, Sendable {
    package var id: Int32
    package var slot: UInt32

    @inlinable
    package init(id: Int32, slot: UInt32) {
        self.id = id
        self.slot = slot
    }
}

/// Events of a client session, as trivial values.
///
/// Connection-level events come before stream events, and of several of one kind that arrived
/// between two drains only the newest is reported: a peer cannot make a queue grow.
@frozen
package enum SessionEvent: Equatable, Sendable {
    /// The peer's SETTINGS have arrived; `UInt32.max` if it names no limit.
    case settings(maxConcurrentStreams: UInt32)
    /// A stream has ended, by any cause. Exactly once for each submitted request.
    ///
    /// Its answer can be read until `release`.
    case streamClosed(StreamHandle, tag: UInt32, code: HTTP2ErrorCode)
    /// The peer takes no new streams; those above the id were not processed.
    ///
    /// The debug data can be read from the session.
    case goAway(lastStreamID: Int32, code: HTTP2ErrorCode)
    /// The answer to a PING has come.
    case pingAcknowledged
}
