import FanfareBase
package import FanfareCore

extension ReportComparison {
    /// Returns the comparison as a JSON document.
    package func json() -> String {
        JSONWriter.document { writer in
            writer.member("schema", Self.schema)
            for (name, digest) in [("before", before), ("after", after)] {
                writer.beginObject(name)
                writer.member("files", digest.files.map(\.name))
                writer.member("rows", digest.rows.count)
                writer.writeOutcomes(of: digest.tally)
                writer.writeLatency(Summary.Latency(digest.latency))
                writer.endObject()
            }
            writeVerdicts(to: &writer)
            writer.member("matched_by", key)
            for (name, count) in [
                ("matched", matched), ("only_before", onlyBefore), ("only_after", onlyAfter),
                ("unmatchable", unmatchable), ("changed", changed),
            ] {
                writer.member(name, count)
            }
            writeChanges(to: &writer)
        }
    }

    private func writeVerdicts(to writer: inout JSONWriter) {
        writer.beginObject("outcome_shares")
        for outcome in Outcome.allCases {
            let share = share(outcome)
            writer.beginObject("\(outcome.name)")
            writer.member("before_percent", share.before)
            writer.member("after_percent", share.after)
            writer.member("verdict", share.verdict.rawValue)
            writer.endObject()
        }
        writer.endObject()
        writer.beginObject("latencies")
        for figure in latencies {
            writer.beginObject(figure.name)
            writer.member("before_ms", Double(figure.before) / 1_000_000)
            writer.member("after_ms", Double(figure.after) / 1_000_000)
            writer.member("verdict", figure.verdict.rawValue)
            writer.endObject()
        }
        writer.endObject()
    }

    private func writeChanges(to writer: inout JSONWriter) {
        writer.objects("transitions", counts) { entry, writer in
            writer.member("before", "\(entry.transition.before.name)")
            writer.member("after", "\(entry.transition.after.name)")
            writer.member("count", entry.count)
        }
        writer.objects("rows_changed", listed) { change, writer in
            writer.member("row_before", change.rowBefore)
            writer.member("row_after", change.rowAfter)
            writer.member("id", change.id.isEmpty ? nil : change.id)
            writer.member("before", "\(change.before.name)")
            writer.member("after", "\(change.after.name)")
        }
    }
}
