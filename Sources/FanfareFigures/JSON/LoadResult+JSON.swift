package import FanfareBase
package import FanfareCore

extension LoadResult {
    /// Returns the result as a JSON document.
    /// - Parameter naming: The way in which settings are named.
    /// - Returns: The document.
    package func json(naming: Naming = .members) -> String {
        JSONWriter.document { writer in
            writer.member("schema", Self.schema)
            if let name { writer.member("name", name) }
            if let note { writer.member("note", note) }
            write(stamp, to: &writer)
            writer.beginObject("settings")
            for (name, value) in settings {
                switch value {
                case .text(let text): writer.member(name, text)
                case .whole(let number): writer.member(name, number)
                case .real(let number): writer.member(name, number)
                }
            }
            writer.endObject()
            writer.writeStop(stop, naming)
            writeCrossings(to: &writer)
            if let knee { write(knee, to: &writer) }
            writer.objects("steps", steps) { $0.write(to: &$1) }
        }
    }

    /// Writes the conditions that hold, or `null` for a test that was stopped and not judged.
    private func writeCrossings(to writer: inout JSONWriter) {
        let name = "thresholds_crossed"
        guard stop == nil else { return writer.member(name, nil as String?) }
        writer.member(name, crossings.map(\.condition.description))
    }

    private func write(_ knee: Knee, to writer: inout JSONWriter) {
        writer.beginObject("knee")
        writer.member("rate", knee.rate)
        writer.member("lowest_rate_too_high", knee.tooMuch)
        writer.member("is_complete", knee.isComplete)
        writer.member("generator_limited", knee.isGeneratorLimited)
        writer.endObject()
    }

    private func write(_ stamp: Stamp, to writer: inout JSONWriter) {
        writer.beginObject("environment")
        writer.member("version", stamp.version)
        writer.member("cores", stamp.cores)
        writer.member("kernel", stamp.kernel)
        writer.member("tls", stamp.tls)
        writer.member("started_at", TimestampWriter.string(milliseconds: stamp.startMilliseconds))
        writer.member("command", stamp.command)
        writer.endObject()
    }
}

extension LoadStep {
    fileprivate func write(to writer: inout JSONWriter) {
        writeLoad(to: &writer)
        writeCounts(to: &writer)
        writer.member("requests_per_second", throughput)
        writer.member("error_percent", figures.errorShare * 100)
        writer.member("late_starts", figures.lateStarts)
        writer.member("own_late_starts", figures.ownLateStarts)
        writer.member("generator_limited", generatorLimit?.rawValue)
        writer.member("cpu_us_per_request", processorPerRequest / 1000)
        writer.member("busiest_lane_percent", busyShare * 100)
        writer.member("connections_opened", connections)
        write("service_ms", figures.service, to: &writer)
        write("response_ms", figures.response, to: &writer)
        writeTimeline(to: &writer)
    }

    private func writeLoad(to writer: inout JSONWriter) {
        switch load {
        case .closed: writer.member("rate", nil as Double?)
        case .open(let from, let to): writer.member("rate", [from, to])
        }
        writer.member("in_flight", inFlight)
        writer.member("measured_ms", Double(measuredNanoseconds) / 1e6)
        if let isWithinBounds { writer.member("within_bounds", isWithinBounds) }
    }

    private func writeCounts(to writer: inout JSONWriter) {
        let counts = [
            ("due", figures.due), ("started", figures.started), ("answered", figures.answered),
            ("failed", figures.failed), ("unfinished", figures.unfinished),
            ("not_started", figures.unstarted),
        ]
        for (name, count) in counts { writer.member(name, count) }
        writer.beginObject("statuses")
        for (status, count) in figures.statuses.sorted(by: { $0.key < $1.key }) {
            writer.member(String(status), count)
        }
        writer.endObject()
        writer.beginObject("failures")
        for (kind, count) in figures.failures.sorted(by: { $0.key < $1.key }) {
            writer.member(kind, count)
        }
        writer.endObject()
    }

    private func write(
        _ name: String, _ histogram: LatencyHistogram, to writer: inout JSONWriter
    ) {
        guard histogram.count > 0 else { return writer.member(name, nil as Double?) }
        writer.beginObject(name)
        writer.member("count", histogram.count)
        writer.member("mean", histogram.mean / 1e6)
        writer.member("min", Double(histogram.min) / 1e6)
        for (name, percent) in Self.percentiles {
            writer.member(name, Double(histogram.percentile(percent)) / 1e6)
        }
        writer.member("max", Double(histogram.max) / 1e6)
        writer.endObject()
    }

    /// The percentiles that are written and shown.
    static let percentiles: [(name: String, percent: Double)] = [
        ("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9), ("p99.99", 99.99),
    ]

    private func writeTimeline(to writer: inout JSONWriter) {
        let slots = figures.timeline.slots
        writer.beginObject("timeline")
        writer.member("seconds_per_slot", figures.timeline.secondsPerSlot)
        let counts = [
            ("started", slots.map(\.started)), ("answered", slots.map(\.answered)),
            ("errors", slots.map(\.errors)),
        ]
        for (name, values) in counts { writer.member(name, values) }
        writer.member("response_max_ms", slots.map { Double($0.responseMax) / 1e6 })
        writer.endObject()
    }
}
