import FanfareBase
import FanfareCore

/// A rehearsal's figures as JSON.
extension RehearsalResult {
    /// Writes the figures as a member of the summary.
    func write(to writer: inout JSONWriter, reasons: [Tally.ReasonCount]) {
        writer.beginObject("rehearsal")
        writer.member("rows_ready", figures.readyCount)
        writer.objects("invalid", reasons.filter { $0.outcome == .invalid }) { reason, writer in
            writer.member("reason", reason.reason)
            writer.member("count", reason.count)
            writer.objects("first", figures.places(of: reason.reason)) { write($0, to: &$1) }
        }
        if !routes.isEmpty {
            writer.objects("routes", zip(routes, figures.routes)) { pair, writer in
                let (name, route) = pair
                writer.member("provider", name)
                writer.member("rows_by_name", route.byWord)
                writer.member("rows_by_token", route.byToken)
            }
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
        writer.objects("samples", figures.samples) { sample, writer in
            write(sample.place, to: &writer)
            writer.member("payload", sample.payload)
        }
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
        writer.objects("largest", figures.largest) { large, writer in
            write(large.place, to: &writer)
            writer.member("bytes", large.bytes)
            writer.member("limit", large.bytesMax == .max ? Int?.none : large.bytesMax)
        }
    }

    private func write(_ place: RehearsalFigures.Place, to writer: inout JSONWriter) {
        writer.member("row", place.row)
        writer.member("input", inputs.indices.contains(place.input) ? inputs[place.input] : nil)
        writer.member("line", place.line)
    }
}
