package import FanfareBase
package import FanfareCore

extension ReportComparison {
    /// Returns the comparison as a table for people, with ANSI colors if the caller says so.
    /// - Parameters:
    ///   - usesColor: True if it has colors.
    ///   - naming: The way in which settings are named.
    /// - Returns: The table.
    package func table(usesColor: Bool = false, naming: Naming = .members) -> String {
        let name = { (digest: ReportDigest) in
            digest.files.map { PlainText.printable($0.name) }.joined(separator: ", ")
        }
        var lines = [
            PlainText.styled(
                "\(name(before)) -> \(name(after))", [.bold], usesColor: usesColor), "",
        ]
        lines += shareLines(usesColor: usesColor)
        lines += [""] + latencyLines(usesColor: usesColor) + [""] + rowLines(naming)
        if !listed.isEmpty { lines += [""] + listedLines }
        return lines.map { $0 + "\n" }.joined()
    }

    private func shareLines(usesColor: Bool) -> [String] {
        var lines: [String] = [Self.line("", "before", "after", "", "")]
        lines.append(
            Self.line(
                "rows", NumberText.grouped(before.rows.count),
                NumberText.grouped(after.rows.count), "", ""))
        for outcome in Outcome.allCases
        where before.tally.count(outcome) + after.tally.count(outcome) > 0 {
            let share = share(outcome)
            lines.append(
                Self.line(
                    "\(outcome.name)",
                    NumberText.share(before.tally.count(outcome), of: before.tally.finished),
                    NumberText.share(after.tally.count(outcome), of: after.tally.finished),
                    Self.signed(share.after - share.before, unit: " pp"),
                    Self.word(share.verdict, usesColor)))
        }
        return lines
    }

    private func latencyLines(usesColor: Bool) -> [String] {
        guard before.latency.count > 0, after.latency.count > 0 else {
            return ["  one of them has no latencies"]
        }
        return latencies.map { figure in
            let change = Double(figure.after) / Double(figure.before) - 1
            return Self.line(
                figure.name, NumberText.latency(nanoseconds: figure.before),
                NumberText.latency(nanoseconds: figure.after),
                Self.signed(change * 100, unit: " %"), Self.word(figure.verdict, usesColor))
        }
    }

    private func rowLines(_ naming: Naming) -> [String] {
        var lines = [
            "  " + PlainText.padded("matched by \(key)", 30)
                + PlainText.leftPadded(NumberText.grouped(matched), 15)
        ]
        let others = [
            ("only before", onlyBefore), ("only after", onlyAfter),
            ("without or with a repeated key", unmatchable), ("changed", changed),
        ]
        for (name, count) in others where count > 0 || name == "changed" {
            lines.append(
                "  " + PlainText.padded(name, 30)
                    + PlainText.leftPadded(NumberText.grouped(count), 15))
        }
        if unmatchable > 0 {
            var other: Statement = "\(.comparisonKey, option: "row", member: ".row")"
            if key == "id" { other += ", or token" }
            lines.append(
                "  Lines without a key, or with one that others have, are compared with none; "
                    + "\(other.text(naming)), may tell.")
        }
        for (transition, count) in counts {
            lines.append(
                "    "
                    + PlainText.padded(
                        "\(transition.before.name) -> \(transition.after.name)", 28)
                    + PlainText.leftPadded(NumberText.grouped(count), 15))
        }
        return lines
    }

    private var listedLines: [String] {
        let more = changed - UInt64(listed.count)
        let title =
            more == 0
            ? "The rows that changed:" : "The first \(listed.count) rows that changed:"
        return [title]
            + listed.map { change in
                let row =
                    change.rowBefore == change.rowAfter
                    ? "\(change.rowAfter)" : "\(change.rowBefore) -> \(change.rowAfter)"
                let id = change.id.isEmpty ? "" : "  \(PlainText.fitted(change.id, 24))"
                return "  row " + PlainText.padded(row, 12)
                    + " \(change.before.name) -> \(change.after.name)\(id)"
            }
    }

    private static func line(
        _ name: String, _ before: String, _ after: String, _ change: String, _ verdict: String
    ) -> String {
        let text =
            "  " + PlainText.padded(name, 14) + PlainText.leftPadded(before, 15)
            + PlainText.leftPadded(after, 15) + PlainText.leftPadded(change, 14)
        let line = verdict.isEmpty ? text : text + "  " + verdict
        return line.hasSuffix(" ") ? String(line.reversed().drop { $0 == " " }.reversed()) : line
    }

    private static func word(_ verdict: Verdict, _ usesColor: Bool) -> String {
        switch verdict {
        case .better: PlainText.styled("better", [.green], usesColor: usesColor)
        case .worse: PlainText.styled("worse", [.red], usesColor: usesColor)
        case .same, .unknown: ""
        }
    }

    /// Returns a number with its sign, and a digit behind the point: `+1.2 %`.
    static func signed(_ value: Double, unit: String) -> String {
        guard value.isFinite else { return "" }
        let tenths = UInt64(clamping: abs(value) * 10)
        let text = "\(NumberText.grouped(tenths / 10)).\(tenths % 10)\(unit)"
        return tenths == 0 ? text : (value < 0 ? "-" : "+") + text
    }
}
