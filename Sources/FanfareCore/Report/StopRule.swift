import FanfareBase

/// The rule that stops a job because too many rows have had some outcome.
///
/// It watches a share over the first `Limits.guardedOutcomes` outcomes: a wrong environment shows
/// at once, and later a share would say little about now. The share is crossed as soon as no later
/// outcome can change that, so never by a few rows: with `suspect>50%` at the 501st suspect of the
/// first 1,000 outcomes, and not at one of one. A shorter job is measured by its own length once
/// that is known, but never by less than `Limits.guardedOutcomesMin` rows: of a handful of tokens
/// many may be bad, and there is little left to be saved.
///
/// It watches a number of rows over the whole run.
///
/// Outcomes come in batches; the batch with the thousandth counts as a whole, with the share taken
/// of all outcomes up to its end. A resumed job begins to count anew: its first thousand rows show
/// whether the fault has been mended.
package struct StopRule: Sendable {
    package let thresholds: [Threshold]
    /// True for each threshold that can still be crossed.
    private var isOpen: [Bool]

    package init(_ thresholds: [Threshold]) {
        self.thresholds = thresholds
        isOpen = thresholds.map { _ in true }
    }

    /// True if any threshold can still be crossed.
    package var isWatching: Bool { isOpen.contains(true) }

    /// Looks at the outcomes so far.
    /// - Parameters:
    ///   - counts: All outcomes of the run, not only the new ones.
    ///   - others: The outcomes of other workers that share the job: numbers of rows are those of all.
    ///   - rowCount: The rows of the run, when all have been read.
    /// - Returns: The first threshold that is crossed.
    package mutating func check(
        _ counts: OutcomeCounts, others: OutcomeCounts = OutcomeCounts(), rowCount: UInt64?
    ) -> Threshold? {
        var crossed: Threshold?
        var sums = counts
        sums += others
        for (index, threshold) in thresholds.enumerated() where isOpen[index] {
            let isCrossed: Bool
            if threshold.isShare {
                let whole = Self.firstOutcomes(threshold, counts, rowCount)
                isCrossed = threshold.isCrossed(by: counts, ofAtLeast: whole)
                // This batch was the last that is looked at.
                isOpen[index] = threshold.base(of: counts) < Limits.guardedOutcomes
            } else {
                isCrossed = threshold.isCrossed(by: sums)
            }
            if isCrossed && crossed == nil { crossed = threshold }
        }
        return crossed
    }

    /// Returns the number of first outcomes that a threshold waits for.
    private static func firstOutcomes(
        _ threshold: Threshold, _ counts: OutcomeCounts, _ rowCount: UInt64?
    ) -> UInt64 {
        guard let rowCount else { return Limits.guardedOutcomes }
        let neverSent = threshold.outcome.wasSent ? counts.all - counts.sent : 0
        let rows = rowCount - min(neverSent, rowCount)
        return min(max(rows, Limits.guardedOutcomesMin), Limits.guardedOutcomes)
    }
}
