/// A set of row numbers, kept as disjoint intervals in their order.
///
/// Rows come and go in long runs here, so a set has few intervals: what a worker was granted has one for each
/// range that it has worked on, and what it gives back at most one for each row that it held.
package struct RowIntervals: Equatable, Sendable {
    /// The intervals: none is empty, and none touches the next one.
    package private(set) var spans: [Range<UInt64>] = []

    package init() {}

    package init(_ span: Range<UInt64>) {
        if !span.isEmpty { spans = [span] }
    }

    package var isEmpty: Bool { spans.isEmpty }

    /// The lowest row in the set.
    package var first: UInt64? { spans.first?.lowerBound }

    /// The row behind the highest one in the set.
    package var end: UInt64? { spans.last?.upperBound }

    /// The number of rows.
    package var count: UInt64 { spans.reduce(0) { $0 + UInt64($1.count) } }

    /// True if a row is in the set.
    package func contains(_ row: UInt64) -> Bool {
        spans.contains { $0.contains(row) }
    }

    /// True if all rows of another set are in this one.
    package func isSuperset(of other: RowIntervals) -> Bool {
        other.subtracting(self).isEmpty
    }

    package mutating func insert(_ span: Range<UInt64>) {
        guard !span.isEmpty else { return }
        if let last = spans.last, span.lowerBound >= last.lowerBound {
            // Rows nearly always come in their order.
            guard span.lowerBound <= last.upperBound else { return spans.append(span) }
            spans[spans.count - 1] = last.lowerBound..<max(last.upperBound, span.upperBound)
            return
        }
        var merged = span
        var kept: [Range<UInt64>] = []
        for other in spans {
            if other.upperBound < merged.lowerBound || other.lowerBound > merged.upperBound {
                kept.append(other)
            } else {
                merged =
                    min(
                        merged.lowerBound, other.lowerBound)..<max(
                        merged.upperBound, other.upperBound)
            }
        }
        let place = kept.firstIndex { $0.lowerBound > merged.lowerBound } ?? kept.endIndex
        kept.insert(merged, at: place)
        spans = kept
    }

    package mutating func remove(_ span: Range<UInt64>) {
        guard !span.isEmpty, spans.contains(where: { $0.overlaps(span) }) else { return }
        var kept: [Range<UInt64>] = []
        for other in spans {
            guard other.overlaps(span) else {
                kept.append(other)
                continue
            }
            if other.lowerBound < span.lowerBound {
                kept.append(other.lowerBound..<span.lowerBound)
            }
            if other.upperBound > span.upperBound {
                kept.append(span.upperBound..<other.upperBound)
            }
        }
        spans = kept
    }

    package mutating func formUnion(_ other: RowIntervals) {
        for span in other.spans { insert(span) }
    }

    package mutating func subtract(_ other: RowIntervals) {
        for span in other.spans { remove(span) }
    }

    package func subtracting(_ other: RowIntervals) -> RowIntervals {
        var rest = self
        rest.subtract(other)
        return rest
    }

    /// Returns the rows of the set that are in an interval.
    package func intersection(_ span: Range<UInt64>) -> RowIntervals {
        var common = RowIntervals()
        for other in spans where other.overlaps(span) {
            common.spans.append(other.clamped(to: span))
        }
        return common
    }

    package func intersection(_ other: RowIntervals) -> RowIntervals {
        var common = RowIntervals()
        for span in other.spans { common.formUnion(intersection(span)) }
        return common
    }
}
