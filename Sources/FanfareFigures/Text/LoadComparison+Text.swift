import FanfareBase
package import FanfareCore

/// A comparison of two load tests, for people.
extension LoadComparison {
    /// Returns the table, with a line end at its end; of more than three steps only the figures
    /// that are worse.
    package func render(usesColor: Bool) -> String {
        func styled(_ text: String, _ style: PlainText.Style) -> String {
            PlainText.styled(text, [style], usesColor: usesColor)
        }
        var lines = [
            PlainText.wrapped(
                PlainText.printable("Compared with \(name); \(allowance)."), PlainText.width)
        ]
        let stepCount = changes.last?.step ?? 0
        let shown = stepCount > 3 ? changes.filter(\.hasRegressed) : changes
        if !shown.isEmpty {
            let head = ["before", "now", "change"].map { PlainText.leftPadded($0, 14) }.joined()
            lines.append(styled("  " + PlainText.padded("", 22) + head, .dim))
        }
        for change in shown {
            let title =
                stepCount > 1
                ? "step \(change.step) \(change.metric.rawValue)" : change.metric.rawValue
            let cells = [
                Self.text(change.before, change.metric), Self.text(change.now, change.metric),
                Self.difference(change),
            ]
            let line =
                "  " + PlainText.padded(title, 22)
                + cells.map { PlainText.leftPadded($0, 14) }.joined()
            lines.append(change.hasRegressed ? styled(line + "  regressed", .red) : line)
        }
        lines.append(styled(verdict, hasRegressed ? .red : .green))
        if let machines {
            lines.append(
                styled(PlainText.wrapped(PlainText.printable(machines), PlainText.width), .yellow))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The share by which a figure may be worse, as the end of a sentence.
    var allowance: String {
        let share = NumberText.percent(regressionMax * 100)
        guard let spreads else { return "\(share) worse is allowed" }
        return
            "\(share) worse is allowed, and \(Int(spreads)) times as far as these runs are spread"
    }

    /// A sentence that says how many figures are worse than allowed.
    var verdict: String {
        let worse = changes.count(where: \.hasRegressed)
        return worse == 0
            ? "No figure is worse than that."
            : "\(worse) of \(changes.count) figures \(worse == 1 ? "is" : "are") worse than that."
    }

    /// A sentence about the differences between the two machines; nil if there are none.
    var machines: String? {
        differences.isEmpty
            ? nil : "The machines differ: \(differences.joined(separator: "; "))."
    }

    /// Returns a figure that is worse, in words.
    static func text(of change: Change) -> String {
        let now = text(change.now, change.metric)
        let before = text(change.before, change.metric)
        let difference = difference(change)
        return "\(change.metric.rawValue) of step \(change.step) is \(now), and was \(before)"
            + (difference.isEmpty ? "" : " (\(difference))")
    }

    /// Returns a figure with its unit.
    static func text(_ value: Double, _ metric: Metric) -> String {
        switch metric {
        case .throughput, .knee: NumberText.perSecond(value)
        case .median, .tail: NumberText.latency(nanoseconds: Int64(value * 1e6))
        case .processor: NumberText.perSecond(value) + " µs"
        case .errors: NumberText.percent(value)
        }
    }

    /// Returns the difference between two figures as a share of the earlier one, or in percentage
    /// points for shares; empty if the earlier one was nothing.
    static func difference(_ change: Change) -> String {
        if change.metric == .errors {
            let points = change.now - change.before
            return (points >= 0 ? "+" : "-") + NumberText.percent(abs(points))
        }
        guard change.before > 0 else { return "" }
        let share = (change.now - change.before) / change.before * 100
        return (share >= 0 ? "+" : "-") + NumberText.percent(abs(share))
    }
}
