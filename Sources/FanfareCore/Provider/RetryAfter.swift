import FanfareBase

/// Reads the `retry-after` of an answer.
package enum RetryAfter {
    /// The longest wait that is believed; a provider that asks for more gets it by further attempts.
    private static let secondsMax: Int64 = 24 * 3600

    /// The wait that a header value asks for: a number of seconds, or the time until a date.
    /// - Parameters:
    ///   - bytes: The value; empty if there was none.
    ///   - now: The time in UNIX seconds.
    /// - Returns: `nil` when there is none, or when it is neither.
    ///
    /// RFC 9110 §10.2.3
    package static func parse(_ bytes: UnsafeBufferPointer<UInt8>, now: Int64) -> Duration? {
        guard !bytes.isEmpty else { return nil }
        if let date = unsafe HTTPDate.parse(bytes, now: now) {
            return .seconds(min(max(date - now, 0), secondsMax))
        }
        guard bytes.count <= 9 else { return nil }
        var seconds: Int64 = 0
        for index in bytes.indices {
            let byte = unsafe bytes[index]
            guard byte >= 48 && byte <= 57 else { return nil }
            seconds = seconds * 10 + Int64(byte - 48)
        }
        return .seconds(min(seconds, secondsMax))
    }
}
