import FanfareBase
import FanfareCore

/// The top of the page: the figures that are looked at first, and the earlier result beside them.
extension LoadPage {
    /// The figures that are looked at first.
    var headline: [(name: String, value: String, note: String)] {
        var figures: [(name: String, value: String, note: String)] = []
        if let knee = result.knee {
            figures.append(
                ("Knee", knee.rate.map(NumberText.perSecond) ?? "none", "requests a second"))
        }
        if result.steps.count == 1, let step = result.steps.first {
            figures.append(
                ("Answers a second", NumberText.perSecond(step.throughput), demand(of: step)))
            for (name, histogram) in [
                ("Service time", step.figures.service), ("Response time", step.figures.response),
            ] where histogram.count > 0 {
                figures.append(
                    (
                        name, NumberText.latency(nanoseconds: histogram.percentile(50)),
                        "p50; p99 \(NumberText.latency(nanoseconds: histogram.percentile(99)))"
                    ))
            }
        } else {
            let best = result.steps.map(\.throughput).max() ?? 0
            figures.append(("Most answers", NumberText.perSecond(best), "a second, of all steps"))
            figures.append(("Steps", NumberText.grouped(UInt64(result.steps.count)), offers))
        }
        let due = result.steps.reduce(0) { $0 + $1.figures.due }
        let errors = result.steps.reduce(0) { $0 + $1.figures.errors }
        let measured = result.steps.reduce(0) { $0 + $1.measuredNanoseconds }
        figures.append(
            (
                "Errors", NumberText.share(errors, of: due),
                errors == 0 ? "" : "\(NumberText.grouped(errors)) of the requests"
            ))
        figures.append(
            (
                "Requests", NumberText.grouped(due),
                "due in \(NumberText.duration(milliseconds: measured / 1_000_000))"
            ))
        return figures
    }

    private func demand(of step: LoadStep) -> String {
        switch step.load {
        case .closed: "with \(Self.offered(step))"
        case .open: "of \(Self.offered(step)) offered"
        }
    }

    /// The lowest and the highest rate that was offered; empty if none was.
    private var offers: String {
        let rates = result.steps.compactMap { step -> Double? in
            guard case .open(_, let to) = step.load else { return nil }
            return to
        }
        guard let least = rates.min(), let most = rates.max() else { return "" }
        return "\(NumberText.perSecond(least)) to \(NumberText.perSecond(most)) a second"
    }

    // MARK: The earlier result

    /// Writes the comparison with an earlier result, if there was one.
    func writeComparison(to markup: inout Markup) {
        guard let comparison else { return }
        markup.section(
            "Compared with an earlier result",
            note: "\(comparison.name); \(comparison.allowance)."
        ) { markup in
            if comparison.hasRegressed {
                markup.element("p", .style("alert"), text: comparison.verdict)
            } else {
                markup.element("p", text: comparison.verdict)
            }
            // The figures of several steps fill a screen, and mostly one looks for those that are worse.
            let hasSteps = comparison.changes.contains { $0.step > 1 }
            let worse = comparison.changes.filter(\.hasRegressed)
            if hasSteps, !worse.isEmpty {
                write(
                    Array(worse.prefix(Self.changesMax)), "Figures that are worse", hasSteps,
                    to: &markup)
            }
            if hasSteps {
                markup.folded("All figures") { markup in
                    write(
                        Array(comparison.changes.prefix(Self.changesMax)), "Figures before and now",
                        hasSteps, to: &markup)
                }
            } else if !comparison.changes.isEmpty {
                write(comparison.changes, "Figures before and now", hasSteps, to: &markup)
            }
            if let machines = comparison.machines {
                markup.element("p", .style("note"), text: machines)
            }
        }
    }

    /// The figures of twenty steps: more than a reader compares, and few enough to keep a page small.
    private static let changesMax = 100

    private func write(
        _ changes: [LoadComparison.Change], _ caption: String, _ hasSteps: Bool,
        to markup: inout Markup
    ) {
        markup.table(
            caption: caption, columns: ["figure", "before", "now", "change"],
            rows: changes.map { change in
                // A phone has no room for more columns than these.
                let step = hasSteps ? "step \(change.step): " : ""
                let mark = change.hasRegressed ? " (worse)" : ""
                return [
                    step + change.metric.rawValue + mark,
                    LoadComparison.text(change.before, change.metric),
                    LoadComparison.text(change.now, change.metric),
                    LoadComparison.difference(change),
                ]
            })
    }
}
