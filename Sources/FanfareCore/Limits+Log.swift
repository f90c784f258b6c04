import FanfareBase

/// Bounds of a job's log.
extension Limits {
    /// Events that a lane keeps in one turn: a loss of all 256 connections has two or three for each.
    package static let logEventsPerTurn = 1000

    /// The longest text of an event: a reason, an address, a path.
    package static let logTextBytesMax = 1024

    /// The longest reason of an answer in an event: Apple's have 30 bytes at most.
    package static let logReasonBytesMax = 64

    /// Different answers that are told of in a second: the provider's table has five that ask to
    /// come again.
    package static let logReasonsMax = 16
}
