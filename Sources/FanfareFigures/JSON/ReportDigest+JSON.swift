import FanfareBase
package import FanfareCore

extension ReportDigest {
    /// The digest as a JSON document.
    package func json() -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("schema")
        writer.value(Self.schema)
        writeFiles(to: &writer)
        writer.key("rows")
        writer.value(rows.count)
        writer.key("highest_row")
        writer.value(rows.highest)
        writer.key("missing_rows")
        writer.value(missingRows)
        writer.key("repeated_lines")
        writer.value(repeatedLines)
        writer.writeOutcomes(of: tally)
        writer.key("statuses")
        writer.beginObject()
        for (status, count) in rowsByStatus.enumerated() where count > 0 && status > 0 {
            writer.key("\(status)")
            writer.value(count)
        }
        writer.endObject()
        writer.key("attempts")
        writer.value(tally.attempts)
        writer.key("retries")
        writer.value(tally.retries)
        writer.key("rows_by_attempts")
        writer.beginObject()
        for (attempts, count) in rowsByAttempts.enumerated() where count > 0 {
            writer.key("\(attempts)")
            writer.value(count)
        }
        writer.endObject()
        for (name, moment) in [
            ("first_sent_at", sent?.lowerBound), ("last_sent_at", sent?.upperBound),
        ] {
            writer.key(name)
            writer.value(moment.map { TimestampWriter.string(milliseconds: $0) })
        }
        writer.key("duration_ms")
        if let milliseconds = durationMilliseconds {
            writer.value(milliseconds)
        } else {
            writer.value(nil as String?)
        }
        writer.key("rows_per_second")
        writer.value(rowsPerSecond ?? .nan)
        writer.writeLatency(Summary.Latency(latency))
        writer.endObject()
        return writer.finish()
    }

    private func writeFiles(to writer: inout JSONWriter) {
        writer.key("files")
        writer.beginArray()
        for file in files {
            writer.beginObject()
            writer.key("name")
            writer.value(file.name)
            writer.key("lines")
            writer.value(file.lines)
            writer.key("torn")
            writer.value(file.torn)
            writer.endObject()
        }
        writer.endArray()
    }
}
