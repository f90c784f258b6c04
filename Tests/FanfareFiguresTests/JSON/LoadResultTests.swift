import FanfareCore
import FanfareFigures
import FanfareTestSupport
import Testing

/// The document that others read: written here by hand, member for member.
@Suite struct LoadResultTests {
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
          "thresholds_crossed": [],
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
        #expect(LoadSample.result().json() == golden)
    }

    @Test func `a stop is in it`() {
        var result = LoadSample.result()
        result.stop = JobStop(.interrupted, "interrupted")
        #expect(
            result.json().contains(
                #""stopped_by": {\#n    "cause": "interrupted",\#n    "message": "interrupted"\#n  }"#
            ))
        #expect(result.exitStatus == .interrupted)
    }

    @Test func `a test that no server has answered is not a success`() {
        var result = LoadSample.result()
        #expect(result.exitStatus == .success)
        result.steps[0].figures = LoadFigures()
        #expect(result.exitStatus == .incomplete)
    }

    @Test func `sums that do not add up are a bug`() {
        var result = LoadSample.result()
        result.steps[0].figures.started(at: 0, lateness: 0, isOwn: false)
        #expect(result.exitStatus == .bug)
        #expect(LoadTable(result, usesColor: false).render().contains("bug in fanfare"))
    }

    @Test func `a service that could not be reached has no figures`() {
        var result = LoadSample.result()
        result.stop = JobStop(.refused, "connect to 127.0.0.1:1: connection refused")
        // Some were answered before the end.
        #expect(LoadTable(result, usesColor: false).render().contains("service time"))
        result.steps[0].figures = LoadFigures()
        #expect(
            LoadTable(result, usesColor: false).render()
                == "Stopped: connect to 127.0.0.1:1: connection refused\n")
    }

    @Test func `the table fits 80 columns and says who was the bottleneck`() {
        var result = LoadSample.result()
        for text in [LoadTable(result, usesColor: false).render(), overview(&result)] {
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
            #expect(text.contains("Generator-limited"))
        }
    }

    /// Four connections are kept: those beyond are counted against a quarter of the answers.
    @Test(
        arguments: [
            (4, 400, false), (103, 0, false), (104, 400, true), (104, 401, true), (104, 404, false),
            (504, 2000, true),
        ] as [(UInt64, Int, Bool)])
    func `connections that do not last are told of`(
        connections: UInt64, answers: Int, isTold: Bool
    ) {
        var result = LoadSample.result()
        result.steps[0].figures = LoadFigures()
        for _ in 0..<answers {
            result.steps[0].figures.started(at: 0, lateness: 0, isOwn: false)
            result.steps[0].figures.answered(200, service: 1, response: 1, at: 0)
        }
        result.steps[0].connections = connections
        let text = LoadTable(result, usesColor: false).render().replacing("\n", with: " ")
        let note =
            "Connections did not last: \(connections) were opened for "
            + "\(answers == 2000 ? "2,000" : "\(answers)") answers. A lane opens 200 a second"
        #expect(text.contains(note) == isTold, "\(text)")
    }

    private func overview(_ result: inout LoadResult) -> String {
        result.steps += [result.steps[0], result.steps[0]]
        result.steps[1].load = .open(from: 20_000_000, to: 20_000_000)
        result.steps[2].isWithinBounds = false
        return LoadTable(result, usesColor: false).render()
    }

    @Test func `a knee is in the document, the table and the exit code`() {
        var result = LoadSample.result()
        var search = KneeSearch(first: 1000, precision: 0.5)
        search.tried(isWithinBounds: true)
        search.tried(isWithinBounds: false)
        search.tried(isWithinBounds: false)
        let bounds = KneeSearch.Bounds(p99: 250_000_000, errorShare: 0.01)
        result.knee = Knee(bounds: bounds, search: search, steps: result.steps)
        #expect(
            result.json().contains(
                """
                  "knee": {
                    "rate": 1000.0,
                    "lowest_rate_too_high": 1500.0,
                    "is_complete": true,
                    "generator_limited": false
                  },
                """))
        #expect(
            LoadTable(result, usesColor: false).render().replacing("\n", with: " ").contains(
                "Knee: 1,000 a second keep a 99th percentile of 250 ms and 1 % errors; 1,500 do not."
            ))
        #expect(result.exitStatus == .success)
        result.knee?.rate = nil
        #expect(result.exitStatus == .incomplete)
    }
}
