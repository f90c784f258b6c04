package import Fanfare
import FanfareBase
import FanfareCore

/// Where a job stands, as `fanfare control PATH status` says it.
package struct JobStatus: Sendable {
    private let progress: ProgressSnapshot
    private let rate: SendingRate?
    private let isStopping: Bool

    package init(_ job: Job) {
        self.init(job.progress, rate: job.rate, isStopping: job.isStopping)
    }

    init(_ progress: ProgressSnapshot, rate: SendingRate?, isStopping: Bool) {
        self.progress = progress
        self.rate = rate
        self.isStopping = isStopping
    }

    private var state: String {
        if progress.isOrdering { return "ordering" }
        if isStopping { return "stopping" }
        return progress.isPaused ? "paused" : "running"
    }

    private var rateText: String { rate?.description ?? "unlimited" }

    /// For people.
    package var text: String {
        let counts = Outcome.allCases.compactMap { outcome in
            let count = progress.outcomes[outcome.name.description] ?? 0
            return count == 0 ? nil : "\(outcome.name) \(count)"
        }
        let parts = counts.isEmpty ? "" : " (\(counts.joined(separator: ", ")))"
        let waiting = progress.waitsUntilMilliseconds.map {
            "; \(progress.waitingRows) rows wait for their window until "
                + TimestampWriter.string(milliseconds: $0)
        }
        return "\(state): \(progress.finished) rows\(parts), \(progress.inFlight) in flight on "
            + "\(progress.connections) connections, rate \(rateText)" + (waiting ?? "")
    }

    /// For scripts: an object on one line.
    package var json: String {
        var writer = JSONWriter(isOneLine: true)
        writer.beginObject()
        writer.member("state", state)
        writer.member("rows", progress.finished)
        writer.beginObject("outcomes")
        for outcome in Outcome.allCases {
            writer.member(
                outcome.name.description, progress.outcomes[outcome.name.description] ?? 0)
        }
        writer.endObject()
        writer.member("in_flight", progress.inFlight)
        writer.member("connections", progress.connections)
        writer.member("rate", rateText)
        writer.member("waiting", progress.waitingRows)
        writer.member(
            "waiting_until",
            progress.waitsUntilMilliseconds.map { TimestampWriter.string(milliseconds: $0) })
        writer.endObject()
        return writer.finish().split(separator: "\n").joined()
    }
}

extension Job {
    /// Does what was asked for.
    package func perform(_ request: ControlRequest) -> ControlAnswer {
        switch request {
        case .rate(let rate):
            do throws(FanfareError) {
                try setRate(rate)
            } catch {
                return ControlAnswer(error.statement.text(.commandLine), isError: true)
            }
            return ControlAnswer("the rate is \(rate?.description ?? "unlimited")")
        case .pause:
            pause()
            return ControlAnswer("paused: nothing new starts until resume")
        case .resume:
            resume()
            return ControlAnswer("resumed")
        case .status(let asJSON):
            let status = JobStatus(self)
            return ControlAnswer(asJSON ? status.json : status.text)
        case .stop:
            stop()
            return ControlAnswer("stopping: waiting for the answers to what is in flight")
        }
    }
}
