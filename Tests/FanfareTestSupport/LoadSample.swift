package import FanfareCore

/// A load test of one step, whose figures can be worked out by hand.
package enum LoadSample {
    package static func step() -> LoadStep {
        var figures = LoadFigures()
        // 2²⁰ ns begin a bucket that is 2¹³ ns wide, so its middle is 1.052672 ms.
        let latency: Int64 = 1 << 20
        for _ in 0..<3 { figures.started(at: 0, lateness: 0, isOwn: false) }
        figures.started(at: 1_000_000_000, lateness: 20_000_000, isOwn: true)
        figures.answered(200, service: latency, response: latency, at: 0)
        figures.answered(200, service: latency, response: latency, at: 0)
        figures.answered(429, service: latency, response: 2 * latency, at: 1_000_000_000)
        figures.failed("REFUSED_STREAM", waited: nil, at: 1_000_000_000)
        figures.answeredInTime = 3
        return LoadStep(
            .open(from: 2, to: 2), inFlight: nil, measuredNanoseconds: 2_000_000_000,
            figures: figures, processorNanoseconds: 90_000, busyShare: 0.25, connections: 1)
    }

    package static func result() -> LoadResult {
        LoadResult(
            stamp: LoadResult.Stamp(
                version: "1.2.3", cores: 8, kernel: "Linux 6.1.0 x86_64", tls: nil,
                startMilliseconds: 1_700_000_000_000, command: "fanfare bench"),
            settings: [
                ("service", .text("simulator")), ("streams", .whole(nil)),
                ("connections", .whole(4)), ("rate_from", .real(2)),
            ], steps: [step()])
    }
}
