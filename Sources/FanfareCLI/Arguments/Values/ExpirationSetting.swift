/// Until when the provider keeps a notification that it cannot deliver at once.
///
/// Not giving one is a fourth case and means that the provider decides.
package enum ExpirationSetting: Equatable, Sendable {
    /// One attempt at delivery, and nothing is kept.
    case once
    /// Seconds since 1970 in UTC.
    case at(unixSeconds: Int64)
    /// So long after the job's start.
    case after(Duration)
}

/// A moment, as it was written.
package enum MomentSetting: Equatable, Sendable {
    /// Seconds since 1970 in UTC.
    case at(unixSeconds: Int64)
    /// So long after the job's start.
    case after(Duration)
}

extension ValueReader {
    /// `0`, UNIX seconds, `+1h`, or an RFC 3339 time.
    package static func expiration(_ text: String) throws(ValueFault) -> ExpirationSetting {
        if text == "0" { return .once }
        if text.hasPrefix("+") {
            let time = try relative(String(text.dropFirst()))
            guard time >= .seconds(1) else {
                throw ValueFault("is less than a second", example: "+1h")
            }
            return .after(time)
        }
        if text.contains("-") { return .at(unixSeconds: try rfc3339(text)) }
        guard let seconds = Int64(text) else {
            let isDuration = (try? duration(text)) != nil
            throw ValueFault("is not a time", example: isDuration ? "+\(text)" : "+1h")
        }
        // 2001 to 5138: a user who writes 3600 means a length, and 13 digits are milliseconds.
        guard seconds >= 1_000_000_000 else {
            throw ValueFault("is a moment before 2001", example: "+\(text)s")
        }
        guard seconds < 100_000_000_000 else {
            throw ValueFault(
                "is a moment after 5138, as if it were milliseconds",
                example: String(seconds / 1000))
        }
        return .at(unixSeconds: seconds)
    }

    /// UNIX seconds, `+1h`, or an RFC 3339 time.
    package static func moment(_ text: String) throws(ValueFault) -> MomentSetting {
        switch try expiration(text) {
        case .once: throw ValueFault("is not a time", example: "+1h")
        case .at(let seconds): return .at(unixSeconds: seconds)
        case .after(let duration): return .after(duration)
        }
    }

    private static func relative(_ text: String) throws(ValueFault) -> Duration {
        do throws(ValueFault) {
            return try duration(text)
        } catch {
            throw ValueFault(error.problem, example: "+\(error.example ?? "1h")")
        }
    }
}
