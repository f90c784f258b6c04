import FanfareBase

/// Bounds of files, sockets and threads.
extension Limits {
    /// The longest wait of a socket for others that are being made in its folder: each takes less
    /// than a millisecond.
    package static let controlLockPatience = Duration.seconds(2)

    /// The longest delay until a waiting thread notices that the machine has slept.
    package static let clockLook = Duration.seconds(1)

    /// Clients at once: people and scripts of one user, each for one question.
    ///
    /// One more is sent away.
    package static let controlClientsMax = 8

    /// The longest time that a client may take for its request, and a job for its answer.
    package static let controlPatience = Duration.seconds(10)

    /// The longest time that the reader of an output may take nothing when a job is to end at once:
    /// less than a person waits before the next Ctrl-C.
    package static let readerLookMilliseconds: Int32 = 500
}
