package import Fanfare
import FanfareBase
import FanfareCore

/// A job's figures in the text format of Prometheus.
///
/// Counters are those of this run, from its beginning; a sum over lanes where lanes have their own.
/// https://prometheus.io/docs/instrumenting/exposition_formats/
package struct MetricsPage {
    private let snapshot: ProgressSnapshot
    private let rate: SendingRate?
    private let routeRates: [(provider: Provider, rate: SendingRate?)]
    private let lateStarts: UInt64?
    private let startMilliseconds: Int64
    /// The job's id, and the name that the user has given it.
    private let job: (id: String, name: String?)?

    /// - Parameters:
    ///   - snapshot: The moment.
    ///   - rate: The pace; `nil` for none.
    ///   - routeRates: The paces of the routes, if there are several.
    ///   - lateStarts: Starts that the pace allowed and that came late; `nil` without a pace.
    ///   - startMilliseconds: The start of the job, in UNIX time.
    ///   - job: The job's id, and the name that the user has given it.
    package init(
        _ snapshot: ProgressSnapshot, rate: SendingRate?,
        routeRates: [(provider: Provider, rate: SendingRate?)] = [], lateStarts: UInt64?,
        startMilliseconds: Int64, job: (id: String, name: String?)? = nil
    ) {
        self.job = job
        self.snapshot = snapshot
        self.rate = rate
        self.routeRates = routeRates
        self.lateStarts = lateStarts
        self.startMilliseconds = startMilliseconds
    }

    package var text: String {
        var page = MetricsText()
        if let job {
            page.family("fanfare_job_info", .gauge, "Always 1; its labels say which job this is.")
            page.sample(["job_id": job.id, "name": job.name ?? ""], 1)
        }
        addRows(to: &page)
        addConnections(to: &page)
        addPace(to: &page)
        addLatency(to: &page)
        if !snapshot.routes.isEmpty { addRoutes(to: &page) }
        if let whole = snapshot.wholeJob { Self.add(whole, to: &page) }
        return page.text
    }

    private func addRows(to page: inout MetricsText) {
        page.family("fanfare_rows_total", .counter, "Rows that have an outcome.")
        for outcome in Outcome.allCases {
            page.sample(
                ["outcome": outcome.name.description], Double(snapshot.counts.outcomes[outcome]))
        }
        page.family(
            "fanfare_attempts_total", .counter,
            "Attempts that have ended, without provably unprocessed ones, by what that alone means."
        )
        for outcome in Outcome.allCases where outcome.wasSent {
            page.sample(
                ["outcome": outcome.name.description],
                Double(snapshot.counts.attemptOutcomes[outcome]))
        }
        page.single(
            "fanfare_retries_total", .counter, "Attempts of finished rows beyond the first.",
            Double(snapshot.retries))
        page.single(
            "fanfare_in_flight_requests", .gauge, "Requests that wait for their answer.",
            Double(snapshot.inFlight))
        if let share = snapshot.inputShare {
            page.single(
                "fanfare_input_ratio", .gauge, "Share of the inputs that is done, from 0 to 1.",
                share)
        }
        page.single(
            "fanfare_start_time_seconds", .gauge, "When the job began, in UNIX time.",
            Double(startMilliseconds) / 1000)
    }

    private func addConnections(to page: inout MetricsText) {
        page.family("fanfare_connections", .gauge, "Connections to the provider.")
        for (state, count) in snapshot.gauges.connectionStates.named {
            page.sample(["state": state], Double(count))
        }
        page.single(
            "fanfare_connections_opened_total", .counter,
            "Connections that got as far as sending requests.",
            Double(snapshot.connectionsOpened))
        page.single(
            "fanfare_stream_limit_requests", .gauge,
            "Requests that may be in flight on open connections, by the provider's limit and ours.",
            Double(snapshot.gauges.streamLimit))
        if let limit = snapshot.gauges.adaptiveLimit {
            page.single(
                "fanfare_adaptive_limit_requests", .gauge,
                "Requests that may be in flight as the provider's latency and refusals have it.",
                Double(limit))
        }
        page.single(
            "fanfare_flow_control_window_bytes", .gauge,
            "What the provider's flow-control windows of the open connections have room for.",
            Double(snapshot.gauges.sendWindow))
        page.single(
            "fanfare_sent_bytes_total", .counter, "Bytes sent on connections, TLS included.",
            Double(snapshot.bytesSent))
    }

    private func addPace(to page: inout MetricsText) {
        page.single(
            "fanfare_paused", .gauge, "Whether nothing new starts for now.",
            snapshot.isPaused ? 1 : 0)
        if let rate {
            page.single(
                "fanfare_pace_requests_per_second", .gauge, "The pace of the job.",
                rate.perSecond)
        }
        if let lateStarts {
            page.single(
                "fanfare_late_starts_total", .counter,
                "Starts that the pace allowed and that were not made in time.", Double(lateStarts))
        }
        page.family(
            "fanfare_limited_seconds_total", .counter, "Time of lanes, by what held them.")
        for limitation in Limitation.allCases {
            page.sample(
                ["by": limitation.name.description],
                Double(snapshot.counts.limits[limitation]) / 1e9)
        }
    }

    /// Adds the figures of the job that this worker shares; all others are its own.
    private static func add(_ whole: WholeJob, to page: inout MetricsText) {
        page.single(
            "fanfare_cluster_finished_rows", .gauge,
            "Rows of the whole job that have an outcome, by any of its workers.",
            Double(whole.finished))
        page.single(
            "fanfare_cluster_counted_rows", .gauge,
            "Rows that were counted in the input of the whole job so far.", Double(whole.rows))
        page.single(
            "fanfare_cluster_workers", .gauge, "Workers of the job that are there.",
            Double(whole.workers))
    }

    private func addLatency(to page: inout MetricsText) {
        let latency = snapshot.counts.latency
        page.family(
            "fanfare_latency_seconds", .histogram, "Time from a request to its answer.")
        for (bound, count) in latency.cumulative {
            page.sample(["le": MetricsText.number(bound)], Double(count), suffix: "_bucket")
        }
        page.sample(["le": "+Inf"], Double(latency.count), suffix: "_bucket")
        page.sample([:], latency.total / 1e9, suffix: "_sum")
        page.sample([:], Double(latency.count), suffix: "_count")
    }

    /// Adds the figures of each provider of a job with several; the sums have no such label.
    private func addRoutes(to page: inout MetricsText) {
        page.family("fanfare_route_rows_total", .counter, "Rows of a provider with an outcome.")
        for route in snapshot.routes {
            for outcome in Outcome.allCases {
                page.sample(
                    ["provider": route.provider.rawValue, "outcome": outcome.name.description],
                    Double(route.counts.outcomes[outcome]))
            }
        }
        func gauge(_ name: String, _ help: String, _ value: (RouteProgress) -> Double?) {
            let samples = snapshot.routes.compactMap { route in
                value(route).map { (route.provider.rawValue, $0) }
            }
            guard !samples.isEmpty else { return }
            page.family(name, .gauge, help)
            for (provider, value) in samples { page.sample(["provider": provider], value) }
        }
        gauge("fanfare_route_in_flight_requests", "Requests that wait for a provider's answer.") {
            Double($0.inFlight)
        }
        gauge("fanfare_route_open_connections", "Open connections to a provider.") {
            Double($0.connections)
        }
        gauge("fanfare_route_no_answer_seconds", "How long a provider has answered nothing.") {
            $0.gauges.trouble?.seconds ?? 0
        }
        gauge("fanfare_route_pace_requests_per_second", "The pace of a provider.") { route in
            routeRates.first { $0.provider == route.provider }?.rate?.perSecond
        }
        page.family(
            "fanfare_route_limited_seconds_total", .counter,
            "Time of a provider's lanes, by what held them.")
        for route in snapshot.routes {
            for limitation in Limitation.allCases {
                page.sample(
                    ["provider": route.provider.rawValue, "by": limitation.name.description],
                    Double(route.counts.limits[limitation]) / 1e9)
            }
        }
    }
}

extension SendingRate {
    fileprivate var perSecond: Double {
        Double(count) * 1e9 / Double(max(period.wholeNanoseconds, 1))
    }
}
