package import FanfareCore

/// A comparison of two load tests, for people.
extension LoadComparison {
    /// The table, with a line end at its end; of more than three steps only what is worse.
    package func render(usesColor: Bool) -> String {
        typealias Text = SummaryTable
        func styled(_ text: String, _ style: Text.Style) -> String {
            usesColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
        }
        let allowed = LoadTable.percent(regressionMax * 100)
        var lines = [
            Text.wrapped(
                Text.printable("Compared with \(name); \(allowed) worse is allowed."), Text.width)
        ]
        let stepCount = changes.last?.step ?? 0
        let shown = stepCount > 3 ? changes.filter(\.hasRegressed) : changes
        if !shown.isEmpty {
            let head = ["before", "now", "change"].map { Text.leftPadded($0, 14) }.joined()
            lines.append(styled("  " + Text.padded("", 22) + head, .dim))
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
                "  " + Text.padded(title, 22) + cells.map { Text.leftPadded($0, 14) }.joined()
            lines.append(change.hasRegressed ? styled(line + "  regressed", .red) : line)
        }
        let worse = changes.count(where: \.hasRegressed)
        lines.append(
            worse == 0
                ? styled("No figure is worse than that.", .green)
                : styled("\(worse) of \(changes.count) figures are worse than that.", .red))
        if !differences.isEmpty {
            let text = "The machines differ: \(differences.joined(separator: "; "))."
            lines.append(styled(Text.wrapped(Text.printable(text), Text.width), .yellow))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func text(_ value: Double, _ metric: Metric) -> String {
        switch metric {
        case .throughput, .knee: LoadTable.perSecond(value)
        case .median, .tail: SummaryTable.latency(nanoseconds: Int64(value * 1e6))
        case .processor: LoadTable.perSecond(value) + " µs"
        case .errors: LoadTable.percent(value)
        }
    }

    private static func difference(_ change: Change) -> String {
        if change.metric == .errors {
            let points = change.now - change.before
            return (points >= 0 ? "+" : "-") + LoadTable.percent(abs(points))
        }
        guard change.before > 0 else { return "" }
        let share = (change.now - change.before) / change.before * 100
        return (share >= 0 ? "+" : "-") + LoadTable.percent(abs(share))
    }
}
