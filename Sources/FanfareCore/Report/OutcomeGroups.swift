import FanfareBase

/// The outcomes of rows by a value of each: by variant, or by any column of a report.
package struct OutcomeGroups: Equatable, Sendable {
    /// The rows with one value.
    package struct Group: Equatable, Sendable {
        /// The value; empty for rows without one.
        package var name: String
        package var counts = OutcomeCounts()

        package init(_ name: String, _ counts: OutcomeCounts = OutcomeCounts()) {
            self.name = name
            self.counts = counts
        }

        /// The share of accepted rows in words, of all rows as any share of a job is.
        package var acceptedShare: String { NumberText.share(counts[.accepted], of: counts.all) }
    }

    /// The column that has the values.
    package let column: String
    /// The groups, in the order in which they were met or given.
    package private(set) var groups: [Group] = []
    /// The rows with values for which there was no room.
    package private(set) var rest = OutcomeCounts()
    private var places: [String: Int] = [:]

    /// Begins without rows.
    /// - Parameters:
    ///   - column: The column.
    ///   - groups: The groups that are known, in order.
    package init(column: String, _ groups: [Group] = []) {
        self.column = column
        for group in groups { add(group.counts, to: group.name) }
    }

    /// Counts a row.
    package mutating func record(_ name: String, _ outcome: Outcome) {
        guard let place = place(of: name) else {
            rest[outcome] += 1
            return
        }
        groups[place].counts[outcome] += 1
    }

    private mutating func add(_ counts: OutcomeCounts, to name: String) {
        guard let place = place(of: name) else {
            rest += counts
            return
        }
        groups[place].counts += counts
    }

    private mutating func place(of name: String) -> Int? {
        if let place = places[name] { return place }
        guard groups.count < Limits.outcomeGroupsMax else { return nil }
        places[name] = groups.count
        groups.append(Group(name))
        return groups.count - 1
    }

    /// Puts the largest groups first, and those of one size in the order of their names.
    package mutating func sort() {
        groups.sort { ($1.counts.all, $0.name) < ($0.counts.all, $1.name) }
        places = [:]
        for (place, group) in groups.enumerated() { places[group.name] = place }
    }

    /// The outcomes that any row had.
    package var outcomes: [Outcome] {
        Outcome.allCases.filter { outcome in
            rest[outcome] > 0 || groups.contains { $0.counts[outcome] > 0 }
        }
    }

    /// The comparisons of the share of accepted rows in each group with that in the largest one, by place.
    ///
    /// The largest is that which `sort` puts first, so that a job and its report say the same. There is
    /// none for it itself, and where one of the two has no rows.
    package var tests: [ShareTest?] {
        guard
            let base = groups.max(by: { ($0.counts.all, $1.name) < ($1.counts.all, $0.name) })
        else { return [] }
        return groups.map { group in
            guard group.name != base.name else { return nil }
            return ShareTest(
                (base.counts[.accepted], base.counts.all),
                (group.counts[.accepted], group.counts.all),
                comparisons: groups.count - 1)
        }
    }
}

extension Limits {
    /// The values of a column by which rows are counted one by one: a megabyte with their names, and more than a
    /// person looks at.
    package static let outcomeGroupsMax = 10_000
}
