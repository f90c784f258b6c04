import FanfareBase
import FanfareCore

/// The provider's own limits, apart from the client's checks.
///
/// The push types in `NotificationKind` are separate, too: a simulator that took its rules from the
/// client would find no fault with it.
extension Limits {
    /// The longest payload of a notification in bytes, as the provider documents it.
    package static let simulatorPayloadBytes = 4096

    /// The longest payload of a VoIP notification in bytes.
    package static let simulatorVoIPPayloadBytes = 5120

    /// The fewest hex characters of a device token.
    ///
    /// 64 are the shortest ever issued.
    package static let simulatorTokenCharactersMin = 64

    /// The longest `apns-collapse-id` in bytes.
    package static let simulatorCollapseIDBytes = 64

    /// The most seconds between now and the issue of a provider token.
    package static let simulatorTokenAgeSeconds: Int64 = 3600

    /// The least seconds between two changes of a connection's provider token.
    package static let simulatorTokenUpdateSeconds: Int64 = 20 * 60

    /// The time from the first GOAWAY of a graceful end to the second: a round trip to any place,
    /// so that requests which were under way have come. RFC 9113 §6.8
    package static let simulatorDrainNanoseconds: Int64 = 100_000_000

    /// A TLS record holds this much. RFC 8446 §5.1
    package static let simulatorRecordBytes = 16 * 1024

    /// The most bytes of a connection that may wait for a full socket.
    ///
    /// The connection reads nothing then, so that a client that does not read its answers is not
    /// fed.
    package static let simulatorUnsentBytes = 64 * 1024

    /// The most bytes of a connection on a way that takes time: 100 MB/s at 40 ms.
    package static let simulatorWayBytes = 4 << 20

    /// The longest such way; no client waits longer for a handshake.
    package static let simulatorRoundTripMax = Duration.seconds(10)

    /// Log lines are written in pieces of this size, so that a request costs no system call.
    package static let simulatorLogBytes = 64 * 1024

    /// The time that a line of the log waits for others.
    ///
    /// Ten system calls a second cost nothing, and a reader of the log sees a request while it is
    /// of interest.
    package static let simulatorLogDelay = Duration.milliseconds(100)

    /// The time that a connection with nothing left to send waits for the client to close.
    package static let simulatorLingerNanoseconds: Int64 = 1_000_000_000

    /// The interval in which a connection that has to close with bytes unread checks for such
    /// bytes.
    package static let simulatorUnreadLook = Duration.milliseconds(1)

    /// The rules of a scenario.
    ///
    /// Each one may be asked about each request.
    package static let simulatorRules = 1000

    /// The device tokens whose attempts a scenario counts: a million of them take about 40 MB.
    ///
    /// Tokens beyond that count as seen for the first time.
    package static let simulatorCountedTokens = 1 << 20

    /// The longest answer delay.
    ///
    /// A lognormal model has no end of its own; an hour is longer than any client waits.
    package static let simulatorLatencyNanoseconds: Int64 = 3_600_000_000_000

    /// The most requests that are being answered at once, if there is a bound: 8 MB of moments.
    package static let simulatorKneeMax = 1_000_000

    /// The most bytes in `data` and `notification` of a message for FCM, as the provider documents
    /// it.
    package static let simulatorFCMTextBytes = 4096

    /// The fewest characters of a registration token; those that were ever issued have 140 and more.
    package static let simulatorFCMTokenCharactersMin = 100

    /// The interval in which the quota of a project at FCM is filled: each minute.
    package static let simulatorQuotaNanoseconds: Int64 = 60_000_000_000

    /// The characters of an access token; the real ones have several hundred.
    package static let simulatorAccessTokenBytes = 512

    /// The longest head of a request in HTTP/1.1: as many bytes as a header list of HTTP/2 and half as much again.
    package static let simulatorHeadBytes = 12 * 1024

    /// The longest body of a request to a provider that a file describes: 2,000 rows with 500 bytes each.
    package static let simulatorBodyBytes = 1 << 20

    /// The longest life of an access token; Google's own end after twelve hours, if that was asked for.
    package static let simulatorTokenLifeMax = Duration.seconds(12 * 3600)

    /// The longest life of an assertion, in seconds.
    package static let simulatorAssertionSeconds: Int64 = 3600
}
