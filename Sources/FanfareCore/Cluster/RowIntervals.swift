/// A set of row numbers, kept as disjoint intervals in their order.
///
/// Rows come and go in long runs here, so a set has few intervals: what a worker was granted has one for each
/// range that it has worked on, and what it gives back at most one for each row that it held.
package typealias RowIntervals = RangeSet<UInt64>

extension RowIntervals {
    /// The rows of an interval that a range has.
    /// - Parameters:
    ///   - span: The interval.
    ///   - only: The rows of the range; `nil` for all of its interval.
    init(_ span: Range<UInt64>, only: RowIntervals?) {
        self = only?.intersection(span) ?? RowIntervals(span)
    }

    /// The intervals: none is empty, and none touches the next one.
    package var spans: [Range<UInt64>] { Array(ranges) }

    /// The lowest row in the set.
    package var first: UInt64? { ranges.first?.lowerBound }

    /// The row behind the highest one in the set.
    package var end: UInt64? { ranges.last?.upperBound }

    /// The number of rows.
    package var count: UInt64 { count(from: 0) }

    /// Returns the number of rows from one on.
    func count(from first: UInt64) -> UInt64 {
        // By their places: an iterator of the standard library's takes 2,000 instructions for a step.
        let spans = ranges
        return spans.indices.reduce(0) {
            let span = spans[$1]
            return span.upperBound <= first
                ? $0 : $0 + span.upperBound - max(span.lowerBound, first)
        }
    }

    package mutating func insert(_ span: Range<UInt64>) { insert(contentsOf: span) }

    package mutating func remove(_ span: Range<UInt64>) { remove(contentsOf: span) }

    /// Returns the row that has so many others of the set before it; `nil` if there are no more than those.
    package func row(at place: UInt64) -> UInt64? {
        var rest = place
        for span in ranges {
            let count = UInt64(span.count)
            if rest < count { return span.lowerBound + rest }
            rest -= count
        }
        return nil
    }

    /// Returns the rows by numbers that begin with another one than 0.
    package func counted(from first: UInt64) -> RowIntervals {
        spans.reduce(into: RowIntervals()) {
            $0.insert($1.lowerBound + first..<$1.upperBound + first)
        }
    }

    /// Returns the rows of the set that are in an interval.
    package func intersection(_ span: Range<UInt64>) -> RowIntervals {
        intersection(RowIntervals(span))
    }
}
