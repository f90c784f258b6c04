/// The rule by which workers share a pace: each gets what it can use, and those that could use more get equal parts.
///
/// The unit is a millionth of a start per second, so that a slow pace can be divided among many.
package enum ShareRule {
    /// The units of one start per second.
    package static let unitsPerStart: Int64 = 1_000_000

    /// Returns the part of a worker.
    /// - Parameters:
    ///   - wanted: The rate that this worker could use.
    ///   - others: The rates that the others could use.
    ///   - rate: The rate for all of them.
    /// - Returns: Its part of the rate.
    package static func part(wanted: Int64, others: [Int64], of rate: Int64) -> Int64 {
        var rest = rate
        var count = Int64(others.count + 1)
        // Those who want less than an equal part of the rest leave theirs to the others.
        for other in others.sorted() where other < wanted {
            let equal = rest / count
            guard other < equal else { return min(wanted, equal) }
            rest -= max(other, 0)
            count -= 1
        }
        return min(wanted, rest / count)
    }
}
