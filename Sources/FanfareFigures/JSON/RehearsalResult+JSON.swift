import FanfareBase
import FanfareCore

/// A rehearsal's figures as JSON.
extension RehearsalResult {
    /// Writes the figures as a member of the summary.
    func write(to writer: inout JSONWriter, reasons: [Tally.ReasonCount]) {
        writer.beginObject("rehearsal")
        writer.member("rows_ready", figures.readyCount)
        writer.beginArray("invalid")
        for reason in reasons where reason.outcome == .invalid {
            writer.beginObject()
            writer.member("reason", reason.reason)
            writer.member("count", reason.count)
            writer.beginArray("first")
            for place in figures.places(of: reason.reason) {
                writer.beginObject()
                write(place, to: &writer)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        if !routes.isEmpty {
            writer.beginArray("routes")
            for (name, route) in zip(routes, figures.routes) {
                writer.beginObject()
                writer.member("provider", name)
                writer.member("rows_by_name", route.byWord)
                writer.member("rows_by_token", route.byToken)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.beginObject("rows_lacking")
        for (value, count) in zip(values, figures.rowsLacking) { writer.member(value, count) }
        writer.endObject()
        if let census {
            writer.member("duplicates", census.duplicates)
            writer.member("duplicates_among_rows", census.rows)
        }
        writePayloads(to: &writer)
        writer.beginObject("tokens_by_length")
        for (length, rows) in figures.tokensByLength { writer.member(String(length), rows) }
        writer.endObject()
        writer.member("connections", connections)
        writer.member("estimated_ms", durationMilliseconds)
        writer.beginArray("samples")
        for sample in figures.samples {
            writer.beginObject()
            write(sample.place, to: &writer)
            writer.member("payload", sample.payload)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    private func writePayloads(to writer: inout JSONWriter) {
        writer.beginObject("payload_bytes")
        for (name, bytes) in [
            ("min", figures.payloadBytesMin), ("p50", figures.payloadBytes(atPercentile: 50)),
            ("p90", figures.payloadBytes(atPercentile: 90)),
            ("p99", figures.payloadBytes(atPercentile: 99)), ("max", figures.payloadBytesMax),
        ] {
            writer.member(name, bytes)
        }
        writer.member("mean", figures.payloadBytesMean)
        writer.endObject()
        writer.beginArray("largest")
        for large in figures.largest {
            writer.beginObject()
            write(large.place, to: &writer)
            writer.member("bytes", large.bytes)
            writer.member("limit", large.bytesMax == .max ? Int?.none : large.bytesMax)
            writer.endObject()
        }
        writer.endArray()
    }

    private func write(_ place: RehearsalFigures.Place, to writer: inout JSONWriter) {
        writer.member("row", place.row)
        writer.member("input", inputs.indices.contains(place.input) ? inputs[place.input] : nil)
        writer.member("line", place.line)
    }
}
