/// Bounds of the socket by which a job is steered.
extension Limits {
    /// Clients at once: people and scripts of one user, each for one question.
    ///
    /// One more is sent away.
    package static let controlClientsMax = 8

    /// The longest request, and the longest answer: the longest of either has some 400 bytes.
    package static let controlLineBytesMax = 4096

    /// How long a client may take for its request, and a job for its answer.
    package static let controlPatience = Duration.seconds(10)

    /// How long no client is taken in after the process had no descriptor for one.
    package static let controlPause = Duration.seconds(1)

    /// How long a socket waits for others that are being made in its folder: each takes less than a
    /// millisecond.
    package static let controlLockPatience = Duration.seconds(2)
}
