package import FanfareBase
package import FanfareSimulator

extension ValueReader {
    /// A length of time with its unit.
    package static func duration(
        _ text: String, allowsZero: Bool = false
    ) throws(ValueFault) -> Duration {
        // For an option that does not allow zero, the missing unit is not the mistake.
        guard allowsZero || text != "0" else { throw ValueFault("has no unit") }
        do throws(DurationText.Fault) {
            let time = try DurationText.read(text)
            if allowsZero || time > .zero { return time }
        } catch {
            switch error {
            case .noNumber: throw ValueFault("is not a duration")
            case .noUnit(let isZero):
                throw ValueFault("has no unit", example: allowsZero || !isZero ? "\(text)s" : nil)
            case .unknownUnit(let unit):
                throw ValueFault(
                    "has the unknown unit \(unit.quotedForMessage), not ns, us, ms, s, m, h or d")
            case .notWhole:
                throw ValueFault("is not a whole number of nanoseconds below 292 years")
            }
        }
        throw ValueFault("is no time at all")
    }

    /// A number, a slash and a time; a bare unit is one of it, and a bare number is a second's.
    package static func rate(_ text: String) throws(ValueFault) -> RateText {
        do throws(RateText.Fault) {
            if !text.contains("/"), let rate = try? RateText(text + "/s") { return rate }
            return try RateText(text)
        } catch {
            switch error {
            case .noSlash: throw ValueFault("is not a rate", example: "5000/s")
            case .count(let number):
                let problem = problem(number) { text throws(ValueFault) in
                    try count(text, in: 1...Int.max)
                }
                throw ValueFault("has a number before its slash that \(problem)")
            case .time(let time, let count):
                let problem = problem(time) { text throws(ValueFault) in try duration(text) }
                throw ValueFault(
                    "has a time behind its slash that \(problem)", example: "\(count)/s")
            }
        }
    }

    /// Returns the reader's message about a wrong part.
    private static func problem<Value>(
        _ text: String, _ read: (String) throws(ValueFault) -> Value
    ) -> String {
        do throws(ValueFault) {
            _ = try read(text)
            return "is too much"
        } catch {
            return error.problem
        }
    }

    /// `20ms`, `20ms..80ms` or `lognormal:p50=40ms,p99=250ms`.
    package static func latency(_ text: String) throws(ValueFault) -> LatencyModel {
        do throws(LatencyText.Fault) {
            return try LatencyModel(reading: text)
        } catch {
            let example = "lognormal:p50=40ms,p99=250ms"
            switch error {
            case .delay:
                _ = try duration(text, allowsZero: true)
                throw ValueFault("is not a duration")
            case .tooLong: throw ValueFault("has a delay of more than 1h")
            case .end: throw ValueFault("is not a range of durations", example: "20ms..80ms")
            case .reversed(let first, let second):
                throw ValueFault(
                    "has its ends the wrong way round", example: "\(second)..\(first)")
            case .unknownPercentile, .percentile, .zeroPercentile:
                throw ValueFault("is not a log-normal latency", example: example)
            case .noPercentiles, .missingPercentile:
                throw ValueFault("does not have both p50 and p99", example: example)
            case .reversedPercentiles:
                throw ValueFault("has a p50 above its p99", example: example)
            }
        }
    }
}
