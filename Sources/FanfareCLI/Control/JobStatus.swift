package import Fanfare
import FanfareBase
import FanfareCore
import FanfareFigures

/// The state of a job, as `fanfare control PATH status` shows it.
package struct JobStatus: Sendable {
    /// The name that the user has given the job.
    private let name: String?
    private let progress: ProgressSnapshot
    private let rate: SendingRate?
    private let routeRates: [(provider: Provider, rate: SendingRate?)]
    private let isStopping: Bool
    /// The speed and the time left; `nil` if they are not known.
    private let reading: ProgressReading?

    package init(_ job: Job, _ reading: ProgressReading?) {
        self.init(
            job.progress, rate: job.rate, routeRates: job.routeRates, isStopping: job.isStopping,
            name: job.givenName, reading: reading)
    }

    package init(
        _ progress: ProgressSnapshot, rate: SendingRate?,
        routeRates: [(provider: Provider, rate: SendingRate?)] = [], isStopping: Bool,
        name: String? = nil, reading: ProgressReading? = nil
    ) {
        self.reading = reading
        self.name = name
        self.progress = progress
        self.rate = rate
        self.routeRates = routeRates
        self.isStopping = isStopping
    }

    private var state: String {
        if progress.isOrdering { return "ordering" }
        if isStopping { return "stopping" }
        return progress.isPaused ? "paused" : "running"
    }

    private static func text(_ rate: SendingRate?) -> String { rate?.description ?? "unlimited" }

    private func rate(of route: RouteProgress) -> String {
        Self.text(routeRates.first { $0.provider == route.provider }?.rate)
    }

    /// For people.
    package var text: String {
        let counts = Outcome.allCases.compactMap { outcome in
            let count = progress.outcomes[outcome.name.description] ?? 0
            return count == 0 ? nil : "\(outcome.name) \(NumberText.grouped(count))"
        }
        let parts = counts.isEmpty ? "" : " (\(counts.joined(separator: ", ")))"
        let waiting = progress.waitsUntilMilliseconds.map {
            "; \(progress.waitingRows) rows wait for their window until "
                + TimestampWriter.string(milliseconds: $0)
        }
        let routes = progress.routes.map { route in
            "; \(route.provider.rawValue): \(NumberText.grouped(route.finished)) "
                + "\(route.finished == 1 ? "row" : "rows"), \(NumberText.grouped(route.accepted)) accepted, "
                + "\(route.inFlight) in flight on \(Self.connections(route.connections)), rate "
                + rate(of: route)
        }
        return (name.map { "\($0) is " } ?? "")
            + "\(state): \(NumberText.grouped(progress.finished)) rows\(parts)\(way), "
            + "\(progress.inFlight) in flight on \(Self.connections(progress.connections)), rate "
            + Self.text(rate) + (waiting ?? "") + routes.joined()
            + (reading?.pauses ?? []).map { "; \($0.forms[0])" }.joined()
    }

    private static func connections(_ count: Int) -> String {
        "\(count) \(count == 1 ? "connection" : "connections")"
    }

    /// The share that is done, the speed and the time left, as far as they are known.
    private var way: String {
        var parts: [String] = []
        if let share = reading?.inputShare { parts.append("\(Int(share * 100)) % done") }
        if let rate = reading?.rowsPerSecond, rate > 0 {
            parts.append("\(NumberText.perSecond(rate)) rows/s")
        }
        if let left = reading?.secondsLeft {
            let milliseconds = Int64(min(left, 1e12).rounded()) * 1000
            parts.append("\(NumberText.duration(milliseconds: milliseconds)) left")
        }
        return parts.map { ", \($0)" }.joined()
    }

    /// For scripts: an object on one line.
    package var json: String {
        let document = JSONWriter.document(isOneLine: true) { writer in
            if let name { writer.member("name", name) }
            writer.member("state", state)
            writer.member("rows", progress.finished)
            writer.member("elapsed_seconds", reading?.elapsedSeconds)
            writer.member("input_share", reading?.inputShare)
            writer.member("rows_per_second", reading?.rowsPerSecond)
            writer.member("seconds_left", reading?.secondsLeft)
            writer.writeOutcomes { progress.outcomes[$0.name.description] ?? 0 }
            writer.member("in_flight", progress.inFlight)
            writer.member("connections", progress.connections)
            writer.member("rate", Self.text(rate))
            writer.member("waiting", progress.waitingRows)
            writer.member(
                "waiting_until",
                progress.waitsUntilMilliseconds.map { TimestampWriter.string(milliseconds: $0) })
            PauseReading.write(reading?.pauses ?? [], to: &writer)
            if !progress.routes.isEmpty { write(progress.routes, to: &writer) }
        }
        return document.split(separator: "\n").joined()
    }
}

extension JobStatus {
    private func write(_ routes: [RouteProgress], to writer: inout JSONWriter) {
        writer.objects("routes", routes) { route, writer in
            route.writeMembers(to: &writer)
            writer.member("rate", rate(of: route))
        }
    }
}

extension Job {
    /// Performs a request.
    /// - Parameters:
    ///   - request: The request.
    ///   - reading: The speed and the time left, for the status.
    /// - Returns: The answer.
    package func perform(
        _ request: ControlRequest, _ reading: ProgressReading?
    ) -> ControlAnswer {
        switch request {
        case .rate(let rate, let provider):
            do throws(FanfareError) {
                try setRate(rate, of: provider)
            } catch {
                return ControlAnswer(error.statement.text(.commandLine), isError: true)
            }
            let whose = provider.map { "the rate of \($0.rawValue)" } ?? "the rate"
            return ControlAnswer("\(whose) is \(rate?.description ?? "unlimited")")
        case .pause:
            pause()
            return ControlAnswer("paused: nothing new starts until resume")
        case .resume:
            resume()
            return ControlAnswer("resumed")
        case .status(let asJSON):
            let status = JobStatus(self, reading)
            return ControlAnswer(asJSON ? status.json : status.text)
        case .stop:
            stop()
            return ControlAnswer("stopping: waiting for the answers to what is in flight")
        }
    }
}
