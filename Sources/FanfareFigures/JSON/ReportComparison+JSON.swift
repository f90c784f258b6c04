import FanfareBase
package import FanfareCore

extension ReportComparison {
    /// The comparison as a JSON document.
    package func json() -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("schema")
        writer.value(Self.schema)
        for (name, digest) in [("before", before), ("after", after)] {
            writer.key(name)
            writer.beginObject()
            writer.key("files")
            writer.beginArray()
            for file in digest.files { writer.value(file.name) }
            writer.endArray()
            writer.key("rows")
            writer.value(digest.rows.count)
            writer.writeOutcomes(of: digest.tally)
            writer.writeLatency(Summary.Latency(digest.latency))
            writer.endObject()
        }
        writeVerdicts(to: &writer)
        writer.key("matched_by")
        writer.value(key)
        for (name, count) in [
            ("matched", matched), ("only_before", onlyBefore), ("only_after", onlyAfter),
            ("unmatchable", unmatchable), ("changed", changed),
        ] {
            writer.key(name)
            writer.value(count)
        }
        writeChanges(to: &writer)
        writer.endObject()
        return writer.finish()
    }

    private func writeVerdicts(to writer: inout JSONWriter) {
        writer.key("outcome_shares")
        writer.beginObject()
        for outcome in Outcome.allCases {
            let share = share(outcome)
            writer.key("\(outcome.name)")
            writer.beginObject()
            writer.key("before_percent")
            writer.value(share.before)
            writer.key("after_percent")
            writer.value(share.after)
            writer.key("verdict")
            writer.value(share.verdict.rawValue)
            writer.endObject()
        }
        writer.endObject()
        writer.key("latencies")
        writer.beginObject()
        for figure in latencies {
            writer.key(figure.name)
            writer.beginObject()
            writer.key("before_ms")
            writer.value(Double(figure.before) / 1_000_000)
            writer.key("after_ms")
            writer.value(Double(figure.after) / 1_000_000)
            writer.key("verdict")
            writer.value(figure.verdict.rawValue)
            writer.endObject()
        }
        writer.endObject()
    }

    private func writeChanges(to writer: inout JSONWriter) {
        writer.key("transitions")
        writer.beginArray()
        for (transition, count) in counts {
            writer.beginObject()
            writer.key("before")
            writer.value("\(transition.before.name)")
            writer.key("after")
            writer.value("\(transition.after.name)")
            writer.key("count")
            writer.value(count)
            writer.endObject()
        }
        writer.endArray()
        writer.key("rows_changed")
        writer.beginArray()
        for change in listed {
            writer.beginObject()
            writer.key("row_before")
            writer.value(change.rowBefore)
            writer.key("row_after")
            writer.value(change.rowAfter)
            writer.key("id")
            writer.value(change.id.isEmpty ? nil : change.id)
            writer.key("before")
            writer.value("\(change.before.name)")
            writer.key("after")
            writer.value("\(change.after.name)")
            writer.endObject()
        }
        writer.endArray()
    }
}
