import FanfareCore
import Testing

/// The document that others read: written here by hand, member for member.
@Suite struct LoadResultTests {
    static func step() -> LoadStep {
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

    static func result() -> LoadResult {
        LoadResult(
            stamp: LoadResult.Stamp(
                version: "1.2.3", cores: 8, kernel: "Linux 6.1.0 x86_64", tls: nil,
                startMilliseconds: 1_700_000_000_000, command: "fanfare bench"),
            settings: [
                ("service", .text("simulator")), ("streams", .whole(nil)),
                ("connections", .whole(4)), ("rate_from", .real(2)),
            ], steps: [step()])
    }

    private let golden = """
        {
          "schema": "fanfare-bench/1",
          "environment": {
            "version": "1.2.3",
            "cores": 8,
            "kernel": "Linux 6.1.0 x86_64",
            "tls": null,
            "started_at": "2023-11-14T22:13:20.000Z",
            "command": "fanfare bench"
          },
          "settings": {
            "service": "simulator",
            "streams": null,
            "connections": 4,
            "rate_from": 2.0
          },
          "stopped_by": null,
          "steps": [
            {
              "rate": [
                2.0,
                2.0
              ],
              "in_flight": null,
              "measured_ms": 2000.0,
              "due": 4,
              "started": 4,
              "answered": 3,
              "failed": 1,
              "unfinished": 0,
              "not_started": 0,
              "statuses": {
                "200": 2,
                "429": 1
              },
              "failures": {
                "REFUSED_STREAM": 1
              },
              "requests_per_second": 1.5,
              "error_percent": 50.0,
              "late_starts": 1,
              "own_late_starts": 1,
              "generator_limited": "late_starts",
              "cpu_us_per_request": 30.0,
              "busiest_lane_percent": 25.0,
              "connections_opened": 1,
              "service_ms": {
                "count": 3,
                "mean": 1.049,
                "min": 1.049,
                "p50": 1.049,
                "p90": 1.049,
                "p99": 1.049,
                "p99.9": 1.049,
                "p99.99": 1.049,
                "max": 1.049
              },
              "response_ms": {
                "count": 3,
                "mean": 1.398,
                "min": 1.049,
                "p50": 1.053,
                "p90": 2.097,
                "p99": 2.097,
                "p99.9": 2.097,
                "p99.99": 2.097,
                "max": 2.097
              },
              "timeline": {
                "seconds_per_slot": 1,
                "started": [
                  3,
                  1
                ],
                "answered": [
                  2,
                  1
                ],
                "errors": [
                  0,
                  2
                ],
                "response_max_ms": [
                  1.049,
                  2.097
                ]
              }
            }
          ]
        }

        """

    @Test func `the document has these members in this order`() {
        #expect(Self.result().json() == golden)
    }

    @Test func `a stop is in it`() {
        var result = Self.result()
        result.stop = JobStop(.interrupted, "interrupted")
        #expect(
            result.json().contains(
                #""stopped_by": {\#n    "cause": "interrupted",\#n    "message": "interrupted"\#n  }"#
            ))
        #expect(result.exitStatus == .interrupted)
    }

    @Test func `a test that no server has answered is not a success`() {
        var result = Self.result()
        #expect(result.exitStatus == .success)
        result.steps[0].figures = LoadFigures()
        #expect(result.exitStatus == .incomplete)
    }

    @Test func `sums that do not add up are a bug`() {
        var result = Self.result()
        result.steps[0].figures.started(at: 0, lateness: 0, isOwn: false)
        #expect(result.exitStatus == .bug)
        #expect(LoadTable(result, usesColor: false).render().contains("bug in fanfare"))
    }

    @Test func `the table fits 80 columns and says who was the bottleneck`() {
        var result = Self.result()
        for text in [LoadTable(result, usesColor: false).render(), overview(&result)] {
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
            #expect(text.contains("Generator-limited"))
        }
    }

    private func overview(_ result: inout LoadResult) -> String {
        result.steps += [result.steps[0], result.steps[0]]
        result.steps[1].load = .open(from: 20_000_000, to: 20_000_000)
        result.steps[2].isWithinBounds = false
        return LoadTable(result, usesColor: false).render()
    }
}
