/// The changes from one report to another: the figures that are better or worse, and the rows that
/// differ.
package struct ReportComparison: Sendable {
    /// The version of `json()`.
    package static let schema = "fanfare.comparison/1"

    /// A change from one outcome to another.
    package struct Transition: Hashable, Sendable {
        package var before: Outcome
        package var after: Outcome

        /// Describes a transition.
        package init(before: Outcome, after: Outcome) {
            self.before = before
            self.after = after
        }
    }

    /// A row whose outcome is another one now.
    package struct Change: Equatable, Sendable {
        /// Its number in the first and in the second report.
        package var rowBefore: UInt64
        package var rowAfter: UInt64
        package var before: Outcome
        package var after: Outcome
        /// The caller's own key for it; empty if there is none.
        package var id: String

        /// Describes a change.
        package init(
            rowBefore: UInt64, rowAfter: UInt64, before: Outcome, after: Outcome, id: String
        ) {
            self.rowBefore = rowBefore
            self.rowAfter = rowAfter
            self.before = before
            self.after = after
            self.id = id
        }
    }

    package var before: ReportDigest
    package var after: ReportDigest
    /// The column by which rows were matched.
    package let key: String
    /// Rows that are in both.
    package private(set) var matched: UInt64 = 0
    /// Rows that are in one of them only.
    package var onlyBefore: UInt64 = 0
    package private(set) var onlyAfter: UInt64 = 0
    /// Lines without a key, and those whose key another line of the same report has: compared with none.
    package var unmatchable: UInt64 = 0
    /// The number of rows that went from each outcome to each other one.
    package private(set) var transitions: [UInt64] = Array(
        repeating: 0, count: Outcome.count * Outcome.count)
    package let listedMax: Int
    /// The first rows that changed, by their number in the second report, and none left out between
    /// them: fewer than `listedMax` if some of them were taken back.
    package private(set) var listed: [Change] = []
    /// The first row that changed and is not listed because there was no room.
    private var firstDropped = UInt64.max

    /// Begins a comparison in which nothing has been seen.
    package init(key: String, listedMax: Int) {
        self.key = key
        self.listedMax = listedMax
        before = ReportDigest()
        after = ReportDigest()
    }

    /// Counts a row of the second report that the first one has, too.
    package mutating func record(_ change: @autoclosure () -> Change, _ transition: Transition) {
        matched += 1
        guard transition.before != transition.after else { return }
        transitions[Self.place(transition)] += 1
        list(change())
    }

    /// Takes back the record of a row: its key has come a second time, so it may be another's.
    package mutating func takeBack(rowBefore: UInt64, _ transition: Transition) {
        matched -= 1
        guard transition.before != transition.after else { return }
        transitions[Self.place(transition)] -= 1
        listed.removeAll { $0.rowBefore == rowBefore }
    }

    /// Counts a row of the second report that the first one does not have.
    package mutating func recordNew() { onlyAfter += 1 }

    private mutating func list(_ change: Change) {
        guard change.rowAfter < firstDropped else { return }
        var place = listed.count
        while place > 0 && listed[place - 1].rowAfter > change.rowAfter { place -= 1 }
        listed.insert(change, at: place)
        if listed.count > listedMax { firstDropped = listed.removeLast().rowAfter }
    }

    private static func place(_ transition: Transition) -> Int {
        Int(transition.before.rawValue) * Outcome.count + Int(transition.after.rawValue)
    }

    /// The rows whose outcome changed.
    package var changed: UInt64 { transitions.reduce(0, +) }

    /// The transitions that there were, the most frequent first.
    package var counts: [(transition: Transition, count: UInt64)] {
        var all: [(transition: Transition, count: UInt64)] = []
        for before in Outcome.allCases {
            for after in Outcome.allCases {
                let transition = Transition(before: before, after: after)
                let count = transitions[Self.place(transition)]
                if count > 0 { all.append((transition, count)) }
            }
        }
        // A sort of the standard library keeps equal ones in their order.
        return all.sorted { $0.count > $1.count }
    }
}

// MARK: - Better or worse

extension ReportComparison {
    /// The direction in which a figure went.
    package enum Verdict: String, Sendable {
        case better, worse, same
        /// It cannot be told: one report has no such figure, or neither direction is the better one.
        case unknown
    }

    /// Shares that differ by less than a tenth of a point are the same.
    static let sharePoints = 0.1
    /// Latencies that differ by less than a twentieth are the same.
    static let latencyShare = 0.05

    /// Returns an outcome's share in both, in per cent, and the direction in which it went.
    package func share(_ outcome: Outcome) -> (before: Double, after: Double, verdict: Verdict) {
        let shares = [before, after].map { digest in
            digest.tally.finished == 0
                ? .nan
                : Double(digest.tally.count(outcome)) * 100 / Double(digest.tally.finished)
        }
        // Rows are skipped because the user has said so.
        guard shares.allSatisfy(\.isFinite), outcome != .skipped else {
            return (shares[0], shares[1], .unknown)
        }
        let difference = shares[1] - shares[0]
        let isMore = outcome == .accepted ? Verdict.better : .worse
        let isLess = outcome == .accepted ? Verdict.worse : .better
        let verdict =
            abs(difference) < Self.sharePoints ? Verdict.same : difference > 0 ? isMore : isLess
        return (shares[0], shares[1], verdict)
    }

    /// Returns the direction in which a percentile went, from both values in nanoseconds.
    static func verdict(latency before: Int64, _ after: Int64) -> Verdict {
        guard before > 0, after > 0 else { return .unknown }
        let change = Double(after) / Double(before) - 1
        return abs(change) < Self.latencyShare ? .same : change > 0 ? .worse : .better
    }

    /// The percentiles of both.
    package var latencies: [(name: String, before: Int64, after: Int64, verdict: Verdict)] {
        zip(Summary.Latency(before.latency).figures, Summary.Latency(after.latency).figures).map {
            (
                $0.name, $0.nanoseconds, $1.nanoseconds,
                Self.verdict(latency: $0.nanoseconds, $1.nanoseconds)
            )
        }
    }
}
