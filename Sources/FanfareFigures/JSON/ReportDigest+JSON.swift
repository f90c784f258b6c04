import FanfareBase
package import FanfareCore

extension ReportDigest {
    /// Returns the digest as a JSON document.
    package func json() -> String {
        JSONWriter.document { writer in
            writer.member("schema", Self.schema)
            writeFiles(to: &writer)
            writer.member("rows", rows.count)
            writer.member("highest_row", rows.highest)
            writer.member("missing_rows", missingRows)
            writer.member("repeated_lines", repeatedLines)
            writer.writeOutcomes(of: tally)
            writer.beginObject("statuses")
            for (status, count) in rowsByStatus.enumerated() where count > 0 && status > 0 {
                writer.member("\(status)", count)
            }
            writer.endObject()
            writer.member("attempts", tally.attempts)
            writer.member("retries", tally.retries)
            writer.beginObject("rows_by_attempts")
            for (attempts, count) in rowsByAttempts.enumerated() where count > 0 {
                writer.member("\(attempts)", count)
            }
            writer.endObject()
            for (name, moment) in [
                ("first_sent_at", sent?.lowerBound), ("last_sent_at", sent?.upperBound),
            ] {
                writer.member(name, moment.map { TimestampWriter.string(milliseconds: $0) })
            }
            writer.member("duration_ms", durationMilliseconds)
            writer.member("rows_per_second", rowsPerSecond)
            writer.writeLatency(Summary.Latency(latency))
            groups?.write(to: &writer, as: "by")
        }
    }

    private func writeFiles(to writer: inout JSONWriter) {
        writer.objects("files", files) { file, writer in
            writer.member("name", file.name)
            writer.member("lines", file.lines)
            writer.member("torn", file.torn)
        }
    }
}
