/// The time that answers take, as people write it: `20ms`, `20ms..80ms`,
/// `lognormal:p50=40ms,p99=250ms`.
package enum LatencyText: Equatable, Sendable {
    case fixed(Duration)
    /// Any time of a range with the same probability.
    case uniform(ClosedRange<Duration>)
    /// A log-normal distribution, given by its median and its 99th percentile.
    case logNormal(p50: Duration, p99: Duration)

    /// The reason why a text is no latency, with the part of it that is wrong.
    package enum Fault: Error, Equatable {
        case delay(String)
        case tooLong(String)
        case end(String)
        case reversed(String, String)
        /// `lognormal` without a colon and percentiles behind it.
        case noPercentiles(String)
        /// Neither `p50=` nor `p99=`, or one of them twice.
        case unknownPercentile
        case percentile(String)
        case missingPercentile
        case zeroPercentile
        case reversedPercentiles
    }

    /// Reads a latency.
    /// - Parameters:
    ///   - text: The latency; percentiles come in either order.
    ///   - max: The longest time that may stand in it.
    /// - Throws: `Fault`.
    package init(_ text: String, max: Duration) throws(Fault) {
        if text.hasPrefix("lognormal") {
            self = try Self.logNormal(text, max: max)
        } else if let (first, second) = text.parts(at: "..") {
            // Of three points any two could be the range's.
            guard !second.hasPrefix(".") else { throw .end(second) }
            let low = try Self.time(first, max: max, Fault.end)
            let high = try Self.time(second, max: max, Fault.end)
            guard low <= high else { throw .reversed(first, second) }
            self = .uniform(low...high)
        } else {
            self = .fixed(try Self.time(text, max: max, Fault.delay))
        }
    }

    private static func logNormal(_ text: String, max: Duration) throws(Fault) -> LatencyText {
        let beginning = "lognormal:"
        guard text.hasPrefix(beginning) else { throw .noPercentiles(text) }
        var times: [Substring: Duration] = [:]
        for part in text.dropFirst(beginning.count).split(
            separator: ",", omittingEmptySubsequences: false)
        {
            let name = part.prefix { $0 != "=" }
            guard ["p50", "p99"].contains(name), name.count < part.count, times[name] == nil else {
                throw .unknownPercentile
            }
            let value = String(part.dropFirst(name.count + 1))
            times[name] = try time(value, max: max, Fault.percentile)
        }
        guard let p50 = times["p50"], let p99 = times["p99"] else { throw .missingPercentile }
        guard p50 > .zero, p99 > .zero else { throw .zeroPercentile }
        guard p50 <= p99 else { throw .reversedPercentiles }
        return .logNormal(p50: p50, p99: p99)
    }

    private static func time(
        _ text: String, max: Duration, _ fault: (String) -> Fault
    ) throws(Fault) -> Duration {
        guard let time = try? DurationText.read(text) else { throw fault(text) }
        guard time <= max else { throw .tooLong(text) }
        return time
    }
}
