import FanfareBase

/// Bounds of the event loop and of files.
extension Limits {
    /// How long a socket waits for others that are being made in its folder: each takes less than a
    /// millisecond.
    package static let controlLockPatience = Duration.seconds(2)

    /// The time from one attempt to connect to the next address. RFC 8305 §5
    package static let connectionAttemptDelay = Duration.milliseconds(250)

    /// How late what waits for a moment may notice that the machine has slept.
    package static let clockLook = Duration.seconds(1)

    /// What one read takes from a socket.
    ///
    /// Four full TLS records; the buffer is shared by all connections of a loop, so it costs
    /// nothing per connection.
    package static let readBufferBytes = 64 * 1024

    /// What a connection copies when the kernel's send buffer is full.
    ///
    /// One TLS record: enough to be told of the next room, little enough that the copy is not felt.
    package static let pendingWriteBytes = 16 * 1024

    /// How long a connection is read whose writing has failed.
    ///
    /// All that can come has come: the kernel's buffer, 6 MiB at most, is a hundred reads of a loop that
    /// may be busy for some milliseconds between them.
    package static let readingAfterFailedWriteMax = Duration.seconds(5)

    /// Connections that may wait to be accepted.
    ///
    /// The kernel lowers it to its own maximum.
    package static let listenBacklog = 1024

    /// Clients at once: people and scripts of one user, each for one question.
    ///
    /// One more is sent away.
    package static let controlClientsMax = 8

    /// How long a client may take for its request, and a job for its answer.
    package static let controlPatience = Duration.seconds(10)

    /// How long the reader of an output may take nothing when a job is to end at once: less than a person
    /// waits before the next Ctrl-C.
    package static let readerLookMilliseconds: Int32 = 500
}
