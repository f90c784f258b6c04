import FanfareBase
import FanfareCore

extension JobPage {
    /// The groups that a page lists.
    private static let shownGroupsMax = 100

    /// Writes what became of the rows by a value of each.
    func writeGroups(to markup: inout Markup) {
        guard let groups, !groups.groups.isEmpty else { return }
        let outcomes = groups.outcomes.filter { $0 != .accepted }
        var note =
            "The share is of all rows of the group. The difference is to the largest group, in "
            + "points; p is the chance that equal shares differ as much (two-proportion test"
        note += groups.groups.count > 2 ? ", corrected for the number of lines)." : ")."
        markup.section("By \(groups.column)", note: note) { markup in
            markup.table(
                caption: "Rows by \(groups.column)",
                columns: [groups.column, "Rows", "Accepted", "Share"]
                    + outcomes.map { "\($0.name)" } + ["Difference"],
                textColumns: [0, 4 + outcomes.count],
                rows: zip(groups.groups.prefix(Self.shownGroupsMax), groups.tests).map {
                    group, test in
                    [
                        group.shownName, NumberText.grouped(group.counts.all),
                        NumberText.grouped(group.counts[.accepted]),
                        group.counts.all == 0 ? "" : group.acceptedShare,
                    ] + outcomes.map { NumberText.grouped(group.counts[$0]) }
                        + [test?.words ?? ""]
                }, isWide: true)
        }
    }
}
