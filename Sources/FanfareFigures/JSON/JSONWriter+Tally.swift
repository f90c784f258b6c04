import FanfareBase
import FanfareCore

/// What the summary of a job and that of a report say in the same words.
extension JSONWriter {
    /// Writes the members `outcomes` and `reasons`.
    mutating func writeOutcomes(of tally: Tally) {
        key("outcomes")
        beginObject()
        for outcome in Outcome.allCases {
            key(outcome.name.description)
            value(tally.count(outcome))
        }
        endObject()
        key("reasons")
        beginArray()
        for reason in tally.reasons where reason.status != 0 || !reason.reason.isEmpty {
            beginObject()
            key("outcome")
            value(reason.outcome.name.description)
            key("status")
            if reason.status == 0 { value(nil as String?) } else { value(UInt64(reason.status)) }
            key("reason")
            value(reason.reason.isEmpty ? nil : reason.reason)
            key("count")
            value(reason.count)
            endObject()
        }
        endArray()
    }

    /// Writes the member `latency_ms`; `null` without values.
    mutating func writeLatency(_ latency: Summary.Latency) {
        key("latency_ms")
        guard latency.count > 0 else { return value(nil as String?) }
        beginObject()
        for (name, nanoseconds) in [("min", latency.min)] + latency.figures {
            key(name)
            value(Double(nanoseconds) / 1_000_000)
        }
        key("mean")
        value(latency.mean / 1_000_000)
        endObject()
    }
}
