import FanfareBase
package import FanfareCore

/// The members that the summary of a job and that of a report have in common.
extension JSONWriter {
    /// Writes the member `outcomes`, which has all outcomes.
    /// - Parameter count: The rows of an outcome.
    package mutating func writeOutcomes(_ count: (Outcome) -> UInt64) {
        beginObject("outcomes")
        for outcome in Outcome.allCases { member(outcome.name.description, count(outcome)) }
        endObject()
    }

    /// Writes the members `outcomes` and `reasons`.
    mutating func writeOutcomes(of tally: Tally) {
        writeOutcomes { tally.count($0) }
        let reasons = tally.reasons.filter { $0.status != 0 || !$0.reason.isEmpty }
        objects("reasons", reasons) { reason, writer in
            writer.member("outcome", reason.outcome.name.description)
            writer.member("status", reason.status == 0 ? nil : reason.status)
            writer.member("reason", reason.reason.isEmpty ? nil : reason.reason)
            writer.member("count", reason.count)
        }
    }

    /// Writes the member `stopped_by`: the reason that ended it before its time, or `null`.
    mutating func writeStop(_ stop: JobStop?, _ naming: Naming) {
        guard let stop else { return member("stopped_by", nil as String?) }
        beginObject("stopped_by")
        member("cause", stop.kind.name)
        member("message", stop.statement.text(naming))
        endObject()
    }

    /// Writes the member `latency_ms`; `null` without values.
    mutating func writeLatency(_ latency: Summary.Latency) {
        guard latency.count > 0 else { return member("latency_ms", nil as String?) }
        beginObject("latency_ms")
        for (name, nanoseconds) in [("min", latency.min)] + latency.figures {
            member(name, Double(nanoseconds) / 1_000_000)
        }
        member("mean", latency.mean / 1_000_000)
        endObject()
    }
}
