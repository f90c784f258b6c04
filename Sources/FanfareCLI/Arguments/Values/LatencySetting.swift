/// How long a simulated answer takes.
package enum LatencySetting: Equatable, Sendable {
    case fixed(Duration)
    /// Any time of a range with the same probability.
    case uniform(ClosedRange<Duration>)
    /// A log-normal distribution, given by its median and its 99th percentile.
    case logNormal(p50: Duration, p99: Duration)
}

extension ValueReader {
    /// `20ms`, `20ms..80ms` or `lognormal:p50=40ms,p99=250ms`.
    package static func latency(_ text: String) throws(ValueFault) -> LatencySetting {
        if text.hasPrefix("lognormal") { return try logNormal(text) }
        if text.contains("..") {
            return .uniform(try durationRange(text, allowsZero: true))
        }
        return .fixed(try duration(text, allowsZero: true))
    }

    private static func logNormal(_ text: String) throws(ValueFault) -> LatencySetting {
        let example = "lognormal:p50=40ms,p99=250ms"
        var values: [String: Duration] = [:]
        if let (_, settings) = split(text, at: "lognormal:") {
            for setting in settings.split(separator: ",", omittingEmptySubsequences: false) {
                guard let (key, value) = split(String(setting), at: "="),
                    let time = try? duration(value), values.updateValue(time, forKey: key) == nil
                else { throw ValueFault("is not a log-normal latency", example: example) }
            }
        }
        guard values.count == 2, let p50 = values["p50"], let p99 = values["p99"] else {
            throw ValueFault("does not have both p50 and p99", example: example)
        }
        guard p50 <= p99 else {
            throw ValueFault("has a p50 above its p99", example: example)
        }
        return .logNormal(p50: p50, p99: p99)
    }
}
