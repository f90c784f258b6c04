import FanfareBase

/// Bounds of HTTP/2 sessions.
extension Limits {
    /// The number of requests that a client session has slots for unless told otherwise: APNs
    /// allows as many.
    package static let sessionStreams = 1024

    /// The window for the bytes that the peer sends, of the connection and of each stream.
    ///
    /// Answers of 1,000 streams with a few hundred bytes fit many times over, so that none ever
    /// waits.
    package static let receiveWindowBytes: Int32 = 16 * 1024 * 1024

    /// The bytes of a GOAWAY's debug data that are kept.
    ///
    /// APNs sends a JSON object of about 60.
    package static let goAwayDebugBytes = 1024

    /// Answers to PING and SETTINGS that may wait to be written.
    ///
    /// At 17 bytes each they are 17 KB. A peer that sends more without fetching them is flooding us;
    /// nghttp2 has the same bound.
    package static let unsentAcknowledgementsMax = 1000

    /// Entries of one SETTINGS frame; there are seven kinds, and nghttp2 has the same bound.
    package static let settingsEntriesMax = 32

    /// CONTINUATION frames of one field block.
    ///
    /// With HEADERS they hold 144 KiB, far more than a header list may have; nghttp2 has the same
    /// bound.
    package static let continuationsMax = 8

    /// GOAWAYs with a lower last stream than the one before; each looks through all streams.
    ///
    /// An honest peer sends one: the first names the highest there is, the second the last that it has
    /// taken. RFC 9113 §6.8
    package static let goAwaysLoweringMax = 10

    /// Frames of one answer that bring neither content nor an end: informational answers and empty
    /// DATA.
    ///
    /// An honest peer sends one or two.
    package static let emptyFramesMax: UInt16 = 1000

    /// The largest sum of a message's header fields, counted as in RFC 9113 §6.5.2, in either
    /// direction.
    ///
    /// APNs takes 8,000 bytes.
    package static let headerListBytes = 32 * 1024

    /// The bytes of an answer's body that are looked at.
    ///
    /// APNs sends about 50; the rest of a long one (an HTML page of some proxy) is dropped.
    package static let responseBodyBytes = 1024
}
