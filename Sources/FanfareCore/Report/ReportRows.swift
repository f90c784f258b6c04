import FanfareBase

/// The rows of one report of several, for those who ask which reports have which rows.
package struct ReportRows: Sendable {
    package let file: String
    /// The rows with a line of their own.
    package private(set) var own = RowSet()
    /// The rows with a line that says that their worker or its report was lost.
    package private(set) var lost = RowSet()
    private var repeatedLines: UInt64 = 0
    private var repeatedRow: UInt64?

    package init(file: String) { self.file = file }

    /// Notes the row of a line.
    package mutating func note(row: UInt64, isWrittenOff: Bool) {
        guard isWrittenOff ? !lost.insert(row) : !own.insert(row) else { return }
        repeatedLines += 1
        repeatedRow = repeatedRow ?? row
    }

    /// Lines of one report about rows that it has another line of.
    package struct Repeat: Equatable, Sendable {
        package let file: String
        package let lines: UInt64
        /// The first such row.
        package let row: UInt64
    }

    /// The lines of rows that have another one of their kind in this report; `nil` if there is none.
    package var repeats: Repeat? {
        repeatedRow.map { Repeat(file: file, lines: repeatedLines, row: $0) }
    }
}

/// Two reports that have lines of the same rows.
package struct ReportOverlap: Equatable, Sendable {
    /// The relation of the two.
    package enum Kind: Equatable, Sendable {
        /// Both have the same rows.
        case same
        /// The second one has no row that the first one does not have.
        case inFirst
        /// The first one has no row that the second one does not have.
        case inSecond
        case partial
    }

    package let first: String
    package let second: String
    package let kind: Kind
    /// The number of rows that both have, and the first and the last of them.
    package let rows: UInt64
    package let span: ClosedRange<UInt64>

    package init(
        first: String, second: String, kind: Kind, rows: UInt64, span: ClosedRange<UInt64>
    ) {
        (self.first, self.second, self.kind) = (first, second, kind)
        (self.rows, self.span) = (rows, span)
    }

    /// Compares two reports; the result is `nil` if no row has two lines of one kind in them.
    init?(_ first: ReportRows, _ second: ReportRows) {
        let (own, lost) = (first.own.common(with: second.own), first.lost.common(with: second.lost))
        let spans = [own.span, lost.span].compactMap(\.self)
        guard let low = spans.map(\.lowerBound).min(), let high = spans.map(\.upperBound).max()
        else { return nil }
        let rows = own.count + lost.count
        let kind: Kind =
            switch (
                rows == first.own.count + first.lost.count,
                rows == second.own.count + second.lost.count
            ) {
            case (true, true): .same
            case (false, true): .inFirst
            case (true, false): .inSecond
            case (false, false): .partial
            }
        self.init(
            first: first.file, second: second.file, kind: kind, rows: rows, span: low...high)
    }
}

extension ReportDigest {
    /// The pairs of reports that have lines of the same rows, as many as a person reads.
    package var overlaps: [ReportOverlap] {
        var found: [ReportOverlap] = []
        for (place, second) in parts.enumerated() {
            for first in parts[..<place] {
                guard let overlap = ReportOverlap(first, second) else { continue }
                found.append(overlap)
                if found.count == Limits.reportOverlapsMax { return found }
            }
        }
        return found
    }
}

extension ReportLine {
    /// True if it says that the row's worker or its report was lost, and so gives way to a line of the row's own.
    package var isWrittenOff: Bool {
        guard outcome == .unknown else { return false }
        return Outcome.lostReasons.contains { unsafe reason.elementsEqual($0.bytes) }
    }
}
