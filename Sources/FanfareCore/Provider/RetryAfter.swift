import FanfareBase

/// The `retry-after` of an answer.
package enum RetryAfter {
    /// The longest wait that is believed; a provider that asks for more gets it by further attempts.
    static let secondsMax: Int64 = 24 * 3600

    /// Returns the wait that a header value asks for: a number of seconds, or the time until a
    /// date.
    /// - Parameters:
    ///   - bytes: The value; empty if there was none.
    ///   - now: The time in UNIX seconds.
    /// - Returns: The wait; `nil` if there is no value, or if it is neither.
    ///
    /// RFC 9110 §10.2.3
    package static func parse(_ bytes: UnsafeBufferPointer<UInt8>, now: Int64) -> Duration? {
        guard !bytes.isEmpty else { return nil }
        if let date = unsafe HTTPDate.parse(bytes, now: now) {
            return .seconds(min(max(date - now, 0), secondsMax))
        }
        guard bytes.count <= 9, let seconds = unsafe bytes.decimal else { return nil }
        return .seconds(min(Int64(seconds), secondsMax))
    }
}
