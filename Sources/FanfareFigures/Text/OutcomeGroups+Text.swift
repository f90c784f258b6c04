import FanfareBase
package import FanfareCore

extension OutcomeGroups {
    /// The groups that a table for people shows.
    private static let shownMax = 40

    /// Returns the groups as lines of at most 80 columns: rows, the share of accepted ones, and how that differs
    /// from the largest group's.
    package func lines(usesColor: Bool = false) -> [String] {
        let title = PlainText.padded(PlainText.fitted("by \(column)", 24), 26)
        // Nothing is accepted where rows are only looked at.
        let hasShares = groups.contains { $0.counts.sent > 0 }
        let head =
            "  " + title + PlainText.leftPadded("rows", 13)
            + (hasShares ? PlainText.leftPadded("accepted", 11) + "  difference" : "")
        var lines = [PlainText.styled(head, [.dim], usesColor: usesColor)]
        for (group, test) in zip(groups.prefix(Self.shownMax), tests) {
            let share = hasShares ? group.acceptedShare : nil
            lines.append(line(group.shownName, group, share, hasShares ? test : nil, usesColor))
        }
        let hidden = groups.dropFirst(Self.shownMax)
        if !hidden.isEmpty || rest.all > 0 {
            let counts = hidden.reduce(into: rest) { $0 += $1.counts }
            let others = Group("", counts)
            let share = hasShares ? others.acceptedShare : nil
            lines.append(line("all others", others, share, nil, usesColor))
        }
        return lines
    }

    private func line(
        _ name: String, _ group: Group, _ share: String?, _ test: ShareTest?, _ usesColor: Bool
    ) -> String {
        let text =
            "  " + PlainText.padded(PlainText.fitted(name, 24), 26)
            + PlainText.leftPadded(NumberText.grouped(group.counts.all), 13)
            + (share.map { PlainText.leftPadded($0, 11) } ?? "")
        guard let test else { return text }
        let style: PlainText.Style = test.difference < 0 ? .red : .green
        let words = "  " + test.words
        return text
            + (test.isSignificant
                ? PlainText.styled(words, [style], usesColor: usesColor) : words)
    }
}

extension OutcomeGroups.Group {
    /// The name as people see it.
    package var shownName: String { name.isEmpty ? "(none)" : PlainText.printable(name) }
}

extension ShareTest {
    /// The difference in points, and whether it may be chance.
    package var words: String {
        guard !isUniform else { return "no difference" }
        let tenths = UInt64((difference.magnitude * 1000).rounded())
        let sign = tenths == 0 ? "" : difference < 0 ? "-" : "+"
        let points = "\(sign)\(tenths / 10).\(tenths % 10) pp"
        guard let probability else { return points + ", too few rows" }
        guard isSignificant else { return points + ", may be chance" }
        return points + (probability < 0.001 ? ", p < 0.001" : ", p = \(Self.text(probability))")
    }

    /// `0.012`.
    private static func text(_ probability: Double) -> String {
        let thousandths = UInt64((probability * 1000).rounded())
        return "0." + String(String(1000 + thousandths).dropFirst())
    }
}
