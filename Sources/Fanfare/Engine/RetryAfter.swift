/// Reads the `retry-after` of an answer.
enum RetryAfter {
    /// The longest wait that is believed; a provider that asks for more gets it by further attempts.
    private static let secondsMax: Int64 = 24 * 3600

    /// The wait that a header value asks for: a number of seconds.
    /// - Returns: `nil` when there is none, or when it is not a number of seconds.
    ///
    /// RFC 9110 §10.2.3
    static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Duration? {
        guard (1...9).contains(bytes.count) else { return nil }
        var seconds: Int64 = 0
        for index in bytes.indices {
            let byte = unsafe bytes[index]
            guard byte >= 48 && byte <= 57 else { return nil }
            seconds = seconds * 10 + Int64(byte - 48)
        }
        return .seconds(min(seconds, secondsMax))
    }
}
