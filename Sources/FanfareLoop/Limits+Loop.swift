import FanfareBase

/// Bounds of the event loop.
extension Limits {
    /// The time from one attempt to connect to the next address. RFC 8305 §5
    package static let connectionAttemptDelay = Duration.milliseconds(250)

    /// The most bytes that one read takes from a socket.
    ///
    /// It is four full TLS records; all connections of a loop share the buffer, so it costs nothing
    /// per connection.
    package static let readBufferBytes = 64 * 1024

    /// The most bytes that a connection copies when the kernel's send buffer is full.
    ///
    /// It is one TLS record: enough to be told of the next room, little enough that the copy is not
    /// felt.
    package static let pendingWriteBytes = 16 * 1024

    /// The longest time that a connection is read after its writing has failed.
    ///
    /// All that can come has come: the kernel's buffer, 6 MiB at most, is a hundred reads of a loop that
    /// may be busy for some milliseconds between them.
    package static let readingAfterFailedWriteMax = Duration.seconds(5)

    /// Connections that may wait to be accepted.
    ///
    /// The kernel lowers it to its own maximum.
    package static let listenBacklog = 1024
}
