#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// A test whether two shares differ by more than chance would have them: the two-proportion z-test with the
/// pooled share.
package struct ShareTest: Equatable, Sendable {
    /// The second share less the first one, from −1 to 1.
    package let difference: Double
    /// The chance of a difference as large as this one, or larger, between equal shares; `nil` if there are too few
    /// rows to tell: the test needs five expected rows of each kind on either side.
    package let probability: Double?
    /// True if all rows of both groups count, or none does: then there is nothing to tell apart.
    package let isUniform: Bool

    /// Compares two shares; `nil` if one of the groups has no rows.
    /// - Parameters:
    ///   - first: The rows of the first group that count, and all of its rows.
    ///   - second: The same of the second group.
    ///   - comparisons: The number of comparisons that are made at once: the chance is multiplied by it
    ///     (Bonferroni), because one of many differs by chance alone.
    package init?(
        _ first: (count: UInt64, of: UInt64), _ second: (count: UInt64, of: UInt64),
        comparisons: Int = 1
    ) {
        guard first.of > 0, second.of > 0 else { return nil }
        let (rows1, rows2) = (Double(first.of), Double(second.of))
        difference = Double(second.count) / rows2 - Double(first.count) / rows1
        let pooled = Double(first.count + second.count) / (rows1 + rows2)
        let count = first.count + second.count
        isUniform = count == 0 || count == first.of + second.of
        guard min(pooled, 1 - pooled) * min(rows1, rows2) >= 5 else {
            probability = nil
            return
        }
        let error = (pooled * (1 - pooled) * (1 / rows1 + 1 / rows2)).squareRoot()
        let z = difference.magnitude / error
        probability = min(erfc(z / 2.0.squareRoot()) * Double(max(comparisons, 1)), 1)
    }

    /// The chance below which a difference is taken for a real one.
    package static let significance = 0.05

    /// True if the shares differ by more than chance would have them.
    package var isSignificant: Bool { probability.map { $0 < Self.significance } ?? false }
}
