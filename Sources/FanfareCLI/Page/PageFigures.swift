package import Fanfare
import FanfareBase
import FanfareCore
import FanfareFigures

/// A moment of a job as its page receives it.
package struct PageFigures: Sendable {
    /// The progress line's figures.
    package var reading: ProgressReading
    /// The rest.
    package var snapshot: ProgressSnapshot
    /// The pace; `nil` for none.
    package var rate: SendingRate?
    /// The paces of the routes, if there are several.
    package var routeRates: [(provider: Provider, rate: SendingRate?)] = []
    /// Starts that the pace allowed and that came late; `nil` without a pace.
    package var lateStarts: UInt64?
    /// The steps of a load test; `nil` for a job.
    package var steps: PageSteps?

    package init(_ reading: ProgressReading, _ snapshot: ProgressSnapshot) {
        self.reading = reading
        self.snapshot = snapshot
    }

    /// For the page's script: an object on one line.
    package var json: String {
        let document = JSONWriter.document(isOneLine: true) { writer in
            writer.member("state", reading.state.rawValue)
            writer.member("elapsed", reading.elapsedSeconds)
            writer.member("share", reading.inputShare)
            writer.member("left", reading.secondsLeft)
            writer.member("rows", reading.rows)
            writer.member("valid", reading.valid)
            writer.writeOutcomes { reading.counts[$0] }
            writer.member("rate", reading.rowsPerSecond)
            writer.member("p50", reading.latency.map { Double($0.p50) / 1e6 })
            writer.member("p99", reading.latency.map { Double($0.p99) / 1e6 })
            writer.member("in_flight", reading.inFlight)
            writer.member("allowed", snapshot.gauges.streamLimit)
            writer.member("adaptive", snapshot.gauges.adaptiveLimit)
            writer.beginObject("connections")
            for (state, count) in snapshot.gauges.connectionStates.named {
                writer.member(state, count)
            }
            writer.endObject()
            writer.member("opened", snapshot.connectionsOpened)
            writer.member("retries", snapshot.retries)
            writer.member("sent_bytes", snapshot.bytesSent)
            writer.member("pace", Self.text(rate))
            writer.member("late_starts", lateStarts)
            writer.member("limit", reading.limitation?.text)
            writer.beginObject("limits")
            for limitation in Limitation.allCases {
                writer.member(
                    limitation.name.description, Double(snapshot.counts.limits[limitation]) / 1e9)
            }
            writer.endObject()
            writer.member("waiting", reading.waitingRows)
            writer.member("waits_until", reading.waitsUntilMilliseconds)
            writer.member("trouble", trouble)
            writer.member(
                "pause",
                reading.pauses.isEmpty
                    ? nil : reading.pauses.map { $0.forms[0] }.joined(separator: ", "))
            writer.objects("routes", reading.routes) { write($0, to: &$1) }
            writeVariants(to: &writer)
            writer.member("step", steps?.current)
            writer.member("step_load", steps?.load)
            writer.member("steps_over", steps?.count)
            writer.objects("steps", steps?.last ?? []) { $0.write(to: &$1) }
        }
        return Self.oneLine(document)
    }

    private func write(_ route: RouteProgress, to writer: inout JSONWriter) {
        let rate = routeRates.first { $0.provider == route.provider }?.rate
        writer.member("rows", route.finished)
        writer.member("accepted", route.accepted)
        writer.member("unregistered", route.counts.outcomes[.unregistered])
        writer.member("in_flight", route.inFlight)
        writer.member("connections", route.connections)
        writer.member("pace", Self.text(rate))
        writer.member("limit", route.counts.limits.ranked.first?.limitation.text)
        writer.member("trouble", route.gauges.trouble.map(Self.text))
        let pause = reading.pauses.first { $0.provider == route.provider.rawValue }
        writer.member("pause", pause?.cause.text)
    }

    private func writeVariants(to writer: inout JSONWriter) {
        let variants = snapshot.variants
        let groups = (variants?.groups ?? []).prefix(Limits.pageVariantsMax)
        writer.objects("variants", zip(groups, variants?.tests ?? [])) { pair, writer in
            let (group, test) = pair
            writer.member("rows", group.counts.all)
            writer.member("accepted", group.counts[.accepted])
            writer.member("unregistered", group.counts[.unregistered])
            writer.member("share", group.counts.all == 0 ? "" : group.acceptedShare)
            writer.member("difference", test?.words ?? "")
        }
    }

    /// The provider that is waited for, in a sentence.
    private var trouble: String? {
        guard let trouble = reading.trouble else { return nil }
        let route = reading.routes.first { $0.gauges.trouble == trouble }
        let name = route.map { "\($0.provider.rawValue): " } ?? ""
        return
            "\(name)\(Self.text(trouble)) (\(trouble.reason.text(.commandLine))), giving up after "
            + NumberText.duration(milliseconds: Int64(trouble.patienceSeconds) * 1000)
    }

    private static func text(_ trouble: ProviderTrouble) -> String {
        "no answer for \(NumberText.duration(milliseconds: Int64(trouble.seconds) * 1000))"
    }

    private static func text(_ rate: SendingRate?) -> String { rate?.description ?? "unlimited" }

    /// A document without the line end behind it.
    static func oneLine(_ json: String) -> String { String(json.dropLast()) }
}
