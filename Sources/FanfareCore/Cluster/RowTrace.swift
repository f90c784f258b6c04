/// The trace of a row in a worker's folder, left by any of its processes.
package enum RowTrace: Equatable, Sendable {
    /// It was never sent, or its provider has proved that it did nothing with it.
    case none
    /// It may have been sent, and has no line.
    case mark
    /// It has a line.
    case line

    /// Sorts rows by their traces.
    /// - Returns: Those without a trace, and those that are in doubt.
    static func sorted(
        _ rows: RowIntervals, by trace: (UInt64) -> RowTrace
    ) -> (unsent: RowIntervals, doubtful: RowIntervals) {
        var (unsent, doubtful) = (RowIntervals(), RowIntervals())
        for span in rows.spans {
            var first = span.lowerBound
            while first < span.upperBound {
                let found = trace(first)
                var end = first + 1
                while end < span.upperBound, trace(end) == found { end += 1 }
                switch found {
                case .none: unsent.insert(first..<end)
                case .mark: doubtful.insert(first..<end)
                case .line: break
                }
                first = end
            }
        }
        return (unsent, doubtful)
    }
}
