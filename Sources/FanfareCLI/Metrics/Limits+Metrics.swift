import FanfareBase

/// Bounds of metrics.
extension Limits {
    /// Clients at once: a scraper or two, and a person.
    ///
    /// With one more the one that came first is closed.
    package static let metricsClientsMax = 16

    /// The longest request head: Prometheus sends some 300 bytes, a browser up to 2 KiB.
    package static let metricsRequestBytesMax = 8 * 1024

    /// The time from a client's connection until it has read its answer.
    ///
    /// Fanfare makes the page in milliseconds, and a scraper sends its request at once.
    package static let metricsPatience = Duration.seconds(5)
}
