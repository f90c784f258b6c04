import FanfareBase
import FanfareCore

/// A rehearsal's figures as JSON.
extension RehearsalResult {
    /// Writes the figures as a member of the summary.
    func write(to writer: inout JSONWriter, reasons: [Tally.ReasonCount]) {
        writer.key("rehearsal")
        writer.beginObject()
        writer.key("rows_ready")
        writer.value(figures.readyCount)
        writer.key("invalid")
        writer.beginArray()
        for reason in reasons where reason.outcome == .invalid {
            writer.beginObject()
            writer.key("reason")
            writer.value(reason.reason)
            writer.key("count")
            writer.value(reason.count)
            writer.key("first")
            writer.beginArray()
            for place in figures.places(of: reason.reason) {
                writer.beginObject()
                write(place, to: &writer)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.key("rows_lacking")
        writer.beginObject()
        for (value, count) in zip(values, figures.rowsLacking) {
            writer.key(value)
            writer.value(count)
        }
        writer.endObject()
        if let census {
            writer.key("duplicates")
            writer.value(census.duplicates)
            writer.key("duplicates_among_rows")
            writer.value(census.rows)
        }
        writePayloads(to: &writer)
        writer.key("tokens_by_length")
        writer.beginObject()
        for (length, rows) in figures.tokensByLength {
            writer.key(String(length))
            writer.value(rows)
        }
        writer.endObject()
        writer.key("connections")
        if let connections { writer.value(UInt64(connections)) } else { writer.value(nil) }
        writer.key("estimated_ms")
        if let duration = durationMilliseconds { writer.value(duration) } else { writer.value(nil) }
        writer.key("samples")
        writer.beginArray()
        for sample in figures.samples {
            writer.beginObject()
            write(sample.place, to: &writer)
            writer.key("payload")
            writer.value(sample.payload)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    private func writePayloads(to writer: inout JSONWriter) {
        writer.key("payload_bytes")
        writer.beginObject()
        for (name, bytes) in [
            ("min", figures.payloadBytesMin), ("p50", figures.payloadBytes(atPercentile: 50)),
            ("p90", figures.payloadBytes(atPercentile: 90)),
            ("p99", figures.payloadBytes(atPercentile: 99)), ("max", figures.payloadBytesMax),
        ] {
            writer.key(name)
            writer.value(UInt64(bytes))
        }
        writer.key("mean")
        writer.value(figures.payloadBytesMean)
        writer.endObject()
        writer.key("largest")
        writer.beginArray()
        for large in figures.largest {
            writer.beginObject()
            write(large.place, to: &writer)
            writer.key("bytes")
            writer.value(UInt64(large.bytes))
            writer.key("limit")
            writer.value(UInt64(large.bytesMax))
            writer.endObject()
        }
        writer.endArray()
    }

    private func write(_ place: RehearsalFigures.Place, to writer: inout JSONWriter) {
        writer.key("row")
        writer.value(place.row)
        writer.key("input")
        writer.value(inputs.indices.contains(place.input) ? inputs[place.input] : nil)
        writer.key("line")
        writer.value(place.line)
    }
}
