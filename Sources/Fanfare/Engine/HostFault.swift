import FanfareCore

/// The reason why a host that rows name was given up, and what becomes of its rows.
struct HostFault: Equatable, Sendable {
    /// The reason for the report; empty if the host was not given up.
    var text: [UInt8] = []
    /// The outcome of rows that were not sent.
    var outcome = Outcome.failed

    /// True if the host was not given up.
    var isEmpty: Bool { text.isEmpty }
}
