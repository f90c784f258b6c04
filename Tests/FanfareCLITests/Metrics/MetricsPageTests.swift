import Fanfare
import FanfareCLI
import FanfareCore
import Foundation
import Testing

/// The page of metrics, and the dashboard that shows it.
@Suite struct MetricsPageTests {
    private var snapshot: ProgressSnapshot {
        var snapshot = ProgressSnapshot()
        snapshot.counts.outcomes[.accepted] = 12
        snapshot.counts.outcomes[.unregistered] = 3
        snapshot.counts.attemptOutcomes[.accepted] = 12
        snapshot.counts.attemptOutcomes[.throttled] = 5
        snapshot.gauges.adaptiveLimit = 220
        snapshot.counts.retries = 2
        snapshot.gauges.inFlight = 640
        snapshot.inputShare = 0.25
        snapshot.gauges.connectionStates.open = 4
        snapshot.gauges.connectionStates.draining = 1
        snapshot.counts.connectionsOpened = 6
        snapshot.gauges.streamLimit = 4000
        snapshot.gauges.sendWindow = 65_535
        snapshot.counts.bytesSent = 1_000_000_007
        snapshot.counts.limits[.streamLimit] = 1_500_000_000
        // 2²⁰ ns are 1.048576 ms: one below, one above, and one beyond all bounds.
        snapshot.counts.latency.record(nanoseconds: 1_000_000)
        snapshot.counts.latency.record(nanoseconds: 1_100_000)
        snapshot.counts.latency.record(nanoseconds: 100_000_000_000)
        return snapshot
    }

    private var page: String {
        MetricsPage(
            snapshot, rate: SendingRate(90_000, per: .seconds(60)), lateStarts: 5,
            startMilliseconds: 1_000_000_000_500
        ).text
    }

    @Test(
        arguments: [
            #"fanfare_rows_total{outcome="accepted"} 12"#,
            #"fanfare_rows_total{outcome="unregistered"} 3"#,
            #"fanfare_rows_total{outcome="unknown"} 0"#,
            #"fanfare_attempts_total{outcome="accepted"} 12"#,
            #"fanfare_attempts_total{outcome="throttled"} 5"#,
            #"fanfare_attempts_total{outcome="failed"} 0"#, "fanfare_adaptive_limit_requests 220",
            "fanfare_retries_total 2", "fanfare_in_flight_requests 640", "fanfare_input_ratio 0.25",
            #"fanfare_connections{state="open"} 4"#, #"fanfare_connections{state="draining"} 1"#,
            "fanfare_connections_opened_total 6", "fanfare_stream_limit_requests 4000",
            "fanfare_flow_control_window_bytes 65535", "fanfare_sent_bytes_total 1000000007",
            "fanfare_paused 0", "fanfare_pace_requests_per_second 1500",
            "fanfare_late_starts_total 5", #"fanfare_limited_seconds_total{by="stream_limit"} 1.5"#,
            #"fanfare_limited_seconds_total{by="cpu"} 0"#,
            "fanfare_start_time_seconds 1000000000.5",
            #"fanfare_latency_seconds_bucket{le="0.000524288"} 0"#,
            #"fanfare_latency_seconds_bucket{le="0.001048576"} 1"#,
            #"fanfare_latency_seconds_bucket{le="0.002097152"} 2"#,
            #"fanfare_latency_seconds_bucket{le="68.719476736"} 2"#,
            #"fanfare_latency_seconds_bucket{le="+Inf"} 3"#, "fanfare_latency_seconds_count 3",
            "fanfare_latency_seconds_sum 100.0021",
        ])
    func `each figure has its line`(line: String) {
        #expect(page.split(separator: "\n").contains(Substring(line)), "\(page)")
    }

    @Test func `what there is not is left out`() {
        let text = MetricsPage(
            ProgressSnapshot(), rate: nil, lateStarts: nil, startMilliseconds: 0
        ).text
        for name in [
            "fanfare_input_ratio", "fanfare_pace_", "fanfare_late_starts", "fanfare_adaptive_",
            #"fanfare_attempts_total{outcome="skipped"}"#,
        ] {
            #expect(!text.contains(name))
        }
    }

    @Test func `each family has a type and a help before its samples, once`() {
        var families: [String] = []
        for line in page.split(separator: "\n") {
            if line.hasPrefix("# TYPE ") {
                families.append(String(line.split(separator: " ")[2]))
            } else if !line.hasPrefix("#") {
                #expect(line.hasPrefix(families.last ?? "?"))
            }
        }
        #expect(Set(families).count == families.count && families.count > 15)
        let helps = page.split(separator: "\n").count { $0.hasPrefix("# HELP ") }
        #expect(helps == families.count)
    }

    @Test func `the dashboard asks for what there is, and shows all of it`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appending(path: "docs/grafana-dashboard.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        let dashboard = try JSONSerialization.jsonObject(with: Data(text.utf8))
        #expect((dashboard as? [String: Any])?["panels"] is [Any])
        let asked = Set(text.matches(of: /fanfare_[a-z_]+/).map { String($0.output) })
        var families = Set<String>()
        var samples = Set<String>()
        for line in page.split(separator: "\n") {
            let name = line.hasPrefix("# TYPE ") ? line.split(separator: " ")[2] : ""
            if !name.isEmpty { families.insert(String(name)) }
            if !line.hasPrefix("#") {
                samples.insert(String(line.prefix { $0 != "{" && $0 != " " }))
            }
        }
        #expect(asked.subtracting(samples).isEmpty, "\(asked.subtracting(samples))")
        let shown = Set(asked.map { $0.replacing(/_(bucket|count|sum)$/, with: "") })
        #expect(families.subtracting(shown).isEmpty, "\(families.subtracting(shown))")
    }

    @Test func `a worker of several has the figures of the whole job, too`() {
        var shared = snapshot
        shared.wholeJob = WholeJob(finished: 40, rows: 90, isAllCounted: false, workers: 3)
        let text = MetricsPage(shared, rate: nil, lateStarts: nil, startMilliseconds: 0).text
        for line in [
            "fanfare_cluster_finished_rows 40", "fanfare_cluster_counted_rows 90",
            "fanfare_cluster_workers 3", #"fanfare_rows_total{outcome="accepted"} 12"#,
        ] {
            #expect(text.split(separator: "\n").contains(Substring(line)), "\(line)\n\(text)")
        }
        #expect(!page.contains("fanfare_cluster_"))
    }

    @Test func `each provider of several has samples of its own`() throws {
        var (apns, fcm) = (ProgressSnapshot(), ProgressSnapshot())
        apns.counts.outcomes[.accepted] = 7
        apns.gauges.inFlight = 3
        fcm.counts.outcomes[.failed] = 2
        fcm.gauges.connections = 4
        fcm.counts.limits[.pace] = 2_500_000_000
        var both = snapshot
        both.routes = [
            RouteProgress(.apns, counts: apns.counts, gauges: apns.gauges),
            RouteProgress(.fcm, counts: fcm.counts, gauges: fcm.gauges),
        ]
        let text = MetricsPage(
            both, rate: nil, routeRates: [(.apns, nil), (.fcm, SendingRate(9000))], lateStarts: nil,
            startMilliseconds: 0
        ).text
        for line in [
            #"fanfare_rows_total{outcome="accepted"} 12"#,
            #"fanfare_route_rows_total{provider="apns",outcome="accepted"} 7"#,
            #"fanfare_route_rows_total{provider="fcm",outcome="failed"} 2"#,
            #"fanfare_route_in_flight_requests{provider="apns"} 3"#,
            #"fanfare_route_open_connections{provider="fcm"} 4"#,
            #"fanfare_route_pace_requests_per_second{provider="fcm"} 9000"#,
            #"fanfare_route_limited_seconds_total{provider="fcm",by="pace"} 2.5"#,
        ] {
            #expect(text.split(separator: "\n").contains(Substring(line)), "\(line)\n\(text)")
        }
        #expect(!text.contains(#"fanfare_route_pace_requests_per_second{provider="apns"}"#))
        #expect(!page.contains("fanfare_route_"))
    }
}
