package import Fanfare
import FanfareBase
package import FanfareCore
import FanfareFigures

/// The figures that any display shows of a running job.
package struct ProgressReading: Equatable, Sendable {
    package enum State: String, Sendable {
        case running, paused, stopping, ordering, ended
    }

    /// The latencies of the answers that came within a time.
    package struct Latency: Equatable, Sendable {
        /// Nanoseconds that half of the answers took at most.
        package var p50: Int64
        /// Nanoseconds that all but a hundredth of the answers took at most.
        package var p99: Int64

        package init(p50: Int64, p99: Int64) {
            self.p50 = p50
            self.p99 = p99
        }
    }

    package var state = State.running
    /// The time since the beginning.
    package var elapsedSeconds = 0.0
    /// The finished share of the inputs, from 0 to 1; `nil` if their length is not known.
    package var inputShare: Double?
    /// Rows that have an outcome.
    package var rows: UInt64 = 0
    /// The figures of all workers together, if several share the job.
    package var wholeJob: WholeJob?
    package var counts = OutcomeCounts()
    /// Rows of these that were only to be looked at, and are good.
    package var valid: UInt64 = 0
    package var inFlight = 0
    package var connections = 0
    /// The time that rate, latency and limitation are about: the last one, up to now.
    package var recentSeconds = 0.0
    package var rowsPerSecond = 0.0
    /// `nil` when no answer came.
    package var latency: Latency?
    /// The cause that limited the job most; `nil` when no time has passed.
    package var limitation: Limitation?
    /// The remaining time at the present speed; `nil` when it is not known.
    package var secondsLeft: Double?
    /// Rows that wait for their window, while there is nothing else to send.
    package var waitingRows: UInt64 = 0
    /// Until when they wait, in milliseconds of UNIX time; `nil` when none does.
    package var waitsUntilMilliseconds: Int64?
    /// A provider that has answered nothing for a while.
    package var trouble: ProviderTrouble?
    /// Providers that let nothing start for now.
    package var pauses: [PauseReading] = []
    /// The providers, if the job has several.
    package var routes: [RouteProgress] = []

    package init() {}

    /// Rows that were accepted, or are good where they were only to be looked at.
    package var good: UInt64 { counts[.accepted] + valid }
    /// The word for good rows.
    package var goodWord: String { valid > 0 ? "valid" : "accepted" }
    package var unregistered: UInt64 { counts[.unregistered] }
    /// Rows with an outcome that is a reason to look: everything but accepted, unregistered and skipped.
    package var bad: UInt64 {
        let outcomes: [Outcome] = [.suspect, .rejected, .throttled, .failed, .unknown, .invalid]
        return outcomes.reduce(0) { $0 + counts[$1] }
    }
    /// Rows that were not to be sent, or not in time, without those that were only to be looked at.
    package var skipped: UInt64 { rows - min(rows, good + unregistered + bad) }
}

extension ProgressReading {
    /// The version of `json`.
    ///
    /// Members may be added under the same version.
    package static let schema = "fanfare-progress/1"

    /// For programs: an object on one line, with its end.
    package var json: String {
        JSONWriter.document(isOneLine: true) { writer in
            writer.member("schema", Self.schema)
            writer.member("state", state.rawValue)
            writer.member("elapsed_seconds", elapsedSeconds)
            writer.member("input_share", inputShare)
            writer.member("seconds_left", secondsLeft)
            writer.member("rows", rows)
            writer.writeOutcomes { counts[$0] }
            writer.member("in_flight", inFlight)
            writer.member("connections", connections)
            writer.member("recent_seconds", recentSeconds)
            writer.member("rows_per_second", rowsPerSecond)
            writer.member("latency_p50_ms", latency.map { Double($0.p50) / 1e6 })
            writer.member("latency_p99_ms", latency.map { Double($0.p99) / 1e6 })
            writer.member("waiting_rows", waitingRows)
            writer.member(
                "waits_until", waitsUntilMilliseconds.map(TimestampWriter.string(milliseconds:)))
            writer.member("limited_by", limitation?.name.description)
            writer.member("no_answer_seconds", trouble?.seconds)
            PauseReading.write(pauses, to: &writer)
            if !routes.isEmpty { writeRoutes(to: &writer) }
        }
    }

    private func writeRoutes(to writer: inout JSONWriter) {
        writer.objects("routes", routes) { route, writer in
            route.writeMembers(to: &writer)
            writer.member("no_answer_seconds", route.gauges.trouble?.seconds)
        }
    }
}
