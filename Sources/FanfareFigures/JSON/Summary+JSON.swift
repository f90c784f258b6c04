import FanfareBase
package import FanfareCore

extension Summary {
    /// The summary as a JSON document.
    package func json() -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("schema")
        writer.value(Self.schema)
        writer.key("job_id")
        writer.value(jobID)
        writer.key("started_at")
        writer.value(TimestampWriter.string(milliseconds: startMilliseconds))
        writer.key("ended_at")
        writer.value(TimestampWriter.string(milliseconds: endMilliseconds))
        writer.key("duration_ms")
        writer.value(durationMilliseconds)
        writer.key("exit_code")
        writer.value(Int64(exitStatus.rawValue))
        write(stop, to: &writer)
        writer.key("thresholds_crossed")
        writer.beginArray()
        for threshold in thresholdsCrossed { writer.value(threshold.description) }
        writer.endArray()
        writeCounts(to: &writer)
        writer.writeLatency(latency)
        rehearsal?.write(to: &writer, reasons: tally.reasons)
        if let proxy {
            writer.key("proxy")
            writer.value(proxy)
        }
        writer.key("report")
        writer.value(reportPath)
        if let reportParts {
            writer.key("report_parts")
            writer.value(UInt64(reportParts))
        }
        writer.key("unregistered")
        writer.value(unregisteredPath)
        writer.key("retry_rows")
        writer.value(retryRowsPath)
        writer.key("resume_command")
        writer.value(resumeCommand)
        writer.key("retry_command")
        writer.value(tally.indefinite > 0 ? retryCommand : nil)
        writer.endObject()
        return writer.finish()
    }

    private func write(_ stop: JobStop?, to writer: inout JSONWriter) {
        writer.key("stopped_by")
        guard let stop else { return writer.value(nil as String?) }
        writer.beginObject()
        writer.key("cause")
        writer.value(stop.kind.name)
        writer.key("message")
        writer.value(stop.message)
        writer.endObject()
    }

    private func writeCounts(to writer: inout JSONWriter) {
        writer.key("rows_read")
        writer.value(tally.rowsRead)
        writer.key("resumed_rows")
        writer.value(earlier.rows)
        writer.writeOutcomes(of: tally)
        writer.key("attempts")
        writer.value(tally.attempts)
        writer.key("retries")
        writer.value(tally.retries)
        writer.key("requests_per_second")
        writer.value(requestsPerSecond)
        if let lateStarts {
            writer.key("late_starts")
            writer.value(lateStarts)
        }
        writer.key("connections_opened")
        writer.value(tally.connectionsOpened)
        if let chosen {
            writer.key("connections_chosen")
            writer.value(UInt64(chosen.count))
            writer.key("connections_chosen_for")
            writer.value(chosen.cause?.name.description)
        }
        writer.key("limited_by_seconds")
        writer.beginObject()
        for (limitation, nanoseconds) in limits.ranked {
            writer.key(limitation.name.description)
            writer.value(Double(nanoseconds / 1_000_000) / 1000)
        }
        writer.endObject()
        writer.key("bytes_sent")
        writer.value(tally.bytesSent)
    }
}
