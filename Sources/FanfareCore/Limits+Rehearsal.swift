import FanfareBase

/// Bounds of what a rehearsal remembers of rows.
extension Limits {
    /// Payload sizes are counted in steps of this many bytes: a sixty-fourth of the limit.
    package static let payloadStepBytes = 64

    /// The steps of payload sizes; the last one has all larger ones, which nothing checks.
    package static let payloadSteps = 5120 / payloadStepBytes + 1

    /// The rows shown that come nearest to the limit of their payload.
    package static let largePayloads = 3

    /// The first places of each reason why rows cannot be sent.
    package static let faultPlaces = 3

    /// The payloads that may be shown: 100 of 5 KiB for each worker.
    package static let samplesMax = 100
}
