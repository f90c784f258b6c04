import FanfareBase
package import FanfareCore

extension LoadResult {
    /// The result as a JSON document.
    package func json() -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("schema")
        writer.value(Self.schema)
        writer.key("environment")
        write(stamp, to: &writer)
        writer.key("settings")
        writer.beginObject()
        for (name, value) in settings {
            writer.key(name)
            write(value, to: &writer)
        }
        writer.endObject()
        writer.key("stopped_by")
        if let stop {
            writer.beginObject()
            writer.key("cause")
            writer.value(stop.kind.name)
            writer.key("message")
            writer.value(stop.message)
            writer.endObject()
        } else {
            writer.value(nil as String?)
        }
        if let knee { write(knee, to: &writer) }
        writer.key("steps")
        writer.beginArray()
        for step in steps { step.write(to: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.finish()
    }

    private func write(_ knee: Knee, to writer: inout JSONWriter) {
        func write(_ rate: Double?, as name: String) {
            writer.key(name)
            if let rate { writer.value(rate) } else { writer.value(nil as String?) }
        }
        writer.key("knee")
        writer.beginObject()
        write(knee.rate, as: "rate")
        write(knee.tooMuch, as: "lowest_rate_too_high")
        writer.key("is_complete")
        writer.value(knee.isComplete)
        writer.key("generator_limited")
        writer.value(knee.isGeneratorLimited)
        writer.endObject()
    }

    private func write(_ stamp: Stamp, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("version")
        writer.value(stamp.version)
        writer.key("cores")
        writer.value(Int64(stamp.cores))
        writer.key("kernel")
        writer.value(stamp.kernel)
        writer.key("tls")
        writer.value(stamp.tls)
        writer.key("started_at")
        writer.value(TimestampWriter.string(milliseconds: stamp.startMilliseconds))
        writer.key("command")
        writer.value(stamp.command)
        writer.endObject()
    }

    private func write(_ value: Setting, to writer: inout JSONWriter) {
        switch value {
        case .text(let text): writer.value(text)
        case .whole(let number?): writer.value(number)
        case .whole(nil): writer.value(nil as String?)
        case .real(let number): writer.value(number)
        }
    }
}

extension LoadStep {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeLoad(to: &writer)
        writeCounts(to: &writer)
        writer.key("requests_per_second")
        writer.value(throughput)
        writer.key("error_percent")
        writer.value(figures.errorShare * 100)
        writer.key("late_starts")
        writer.value(figures.lateStarts)
        writer.key("own_late_starts")
        writer.value(figures.ownLateStarts)
        writer.key("generator_limited")
        writer.value(generatorLimit?.rawValue)
        writer.key("cpu_us_per_request")
        writer.value(processorPerRequest / 1000)
        writer.key("busiest_lane_percent")
        writer.value(busyShare * 100)
        writer.key("connections_opened")
        writer.value(connections)
        writer.key("service_ms")
        write(figures.service, to: &writer)
        writer.key("response_ms")
        write(figures.response, to: &writer)
        writeTimeline(to: &writer)
        writer.endObject()
    }

    private func writeLoad(to writer: inout JSONWriter) {
        writer.key("rate")
        switch load {
        case .closed:
            writer.value(nil as String?)
        case .open(let from, let to):
            writer.beginArray()
            writer.value(from)
            writer.value(to)
            writer.endArray()
        }
        writer.key("in_flight")
        if let inFlight { writer.value(Int64(inFlight)) } else { writer.value(nil as String?) }
        writer.key("measured_ms")
        writer.value(Double(measuredNanoseconds) / 1e6)
        if let isWithinBounds {
            writer.key("within_bounds")
            writer.value(isWithinBounds)
        }
    }

    private func writeCounts(to writer: inout JSONWriter) {
        let counts = [
            ("due", figures.due), ("started", figures.started), ("answered", figures.answered),
            ("failed", figures.failed), ("unfinished", figures.unfinished),
            ("not_started", figures.unstarted),
        ]
        for (name, count) in counts {
            writer.key(name)
            writer.value(count)
        }
        writer.key("statuses")
        writer.beginObject()
        for (status, count) in figures.statuses.sorted(by: { $0.key < $1.key }) {
            writer.key(String(status))
            writer.value(count)
        }
        writer.endObject()
        writer.key("failures")
        writer.beginObject()
        for (kind, count) in figures.failures.sorted(by: { $0.key < $1.key }) {
            writer.key(kind)
            writer.value(count)
        }
        writer.endObject()
    }

    private func write(_ histogram: LatencyHistogram, to writer: inout JSONWriter) {
        guard histogram.count > 0 else { return writer.value(nil as String?) }
        writer.beginObject()
        writer.key("count")
        writer.value(histogram.count)
        writer.key("mean")
        writer.value(histogram.mean / 1e6)
        writer.key("min")
        writer.value(Double(histogram.min) / 1e6)
        for (name, percent) in Self.percentiles {
            writer.key(name)
            writer.value(Double(histogram.percentile(percent)) / 1e6)
        }
        writer.key("max")
        writer.value(Double(histogram.max) / 1e6)
        writer.endObject()
    }

    /// The percentiles that are written and shown.
    static let percentiles: [(name: String, percent: Double)] = [
        ("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9), ("p99.99", 99.99),
    ]

    private func writeTimeline(to writer: inout JSONWriter) {
        let slots = figures.timeline.slots
        writer.key("timeline")
        writer.beginObject()
        writer.key("seconds_per_slot")
        writer.value(figures.timeline.secondsPerSlot)
        let counts = [
            ("started", slots.map(\.started)), ("answered", slots.map(\.answered)),
            ("errors", slots.map(\.errors)),
        ]
        for (name, values) in counts {
            writer.key(name)
            writer.beginArray()
            for value in values { writer.value(value) }
            writer.endArray()
        }
        writer.key("response_max_ms")
        writer.beginArray()
        for slot in slots { writer.value(Double(slot.responseMax) / 1e6) }
        writer.endArray()
        writer.endObject()
    }
}
