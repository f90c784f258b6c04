package import FanfareTLS

/// The behavior of the simulated provider.
///
/// The defaults are the values that the real one was seen to send.
package struct SimulatorConfiguration: Sendable {
    /// The delay of every answer, unless a rule has its own.
    package var latency = LatencyModel.none
    /// The requests that are being answered at once, over all connections; others wait.
    ///
    /// `nil` for any number.
    package var knee: Int?
    /// The streams that a connection may have open while all is well.
    package var maxConcurrentStreams: UInt32 = 1000
    /// Keeps the stream limit where it is: neither does it start at one with a provider token, nor
    /// does a rejection lower it.
    package var fixedStreamLimit = false
    /// True if clients without any credentials are served, as if they had shown a certificate.
    package var acceptsAnonymous = false
    /// The bundle ids that may be pushed to; by default any.
    package var topics = AcceptedTopics()
    /// Checks provider tokens; without it only their form counts.
    package var tokenVerifier: ProviderTokenVerifier?
    package var fcm = FCMConfiguration()
    /// The provider that is simulated in place of APNs and FCM, if a file describes one.
    package var described: DescribedDesk?
    package var scenario = Scenario()
    /// Decides about latencies and about the `apns-id` of requests that have none.
    package var seed: UInt64 = 1
    /// Keeps one line of NDJSON for each request.
    package var logsRequests = false

    /// SETTINGS_INITIAL_WINDOW_SIZE.
    /// - Unit: bytes.
    package var initialWindowSize: UInt32 = 65_535
    /// The window for the bodies of all requests of a connection.
    /// - Unit: bytes.
    package var connectionWindow: Int32 = 65_535
    /// SETTINGS_HEADER_TABLE_SIZE.
    /// - Unit: bytes.
    package var headerTableSize: UInt32 = 4096
    /// SETTINGS_MAX_HEADER_LIST_SIZE.
    /// - Unit: bytes.
    package var maxHeaderListSize: UInt32 = 8000

    package init() {}
}
