/// A bound on one outcome, as `--stop-if` and `--fail-if` have it: `suspect>50%`, `failed>100`, and at
/// the end of a job `accepted<90%`.
///
/// A share is taken of the rows that were sent: those that were `invalid` or `skipped` count for
/// bounds on these outcomes only, where it is taken of all rows. So a list full of duplicates does
/// not hide that everything else fails. The share of a lower bound is taken of `invalid` rows too:
/// they were to be sent, and were not.
package struct Threshold: Equatable, Sendable {
    package enum Amount: Equatable, Sendable {
        /// More than this many rows.
        case count(UInt64)
        /// More than this share, in millionths.
        case share(UInt64)
    }

    package var outcome: Outcome
    package var amount: Amount
    /// True if fewer rows than that cross it, and not more.
    package var isLeast: Bool

    package init(_ outcome: Outcome, _ amount: Amount, isLeast: Bool = false) {
        self.outcome = outcome
        self.amount = amount
        self.isLeast = isLeast
    }

    package var isShare: Bool {
        switch amount {
        case .count: false
        case .share: true
        }
    }

    /// True if the rows' counts cross it.
    package func isCrossed(by counts: OutcomeCounts) -> Bool {
        isCrossed(by: counts, ofAtLeast: 0)
    }

    /// True if the counts cross it, with the share taken of no fewer rows than `whole`.
    package func isCrossed(by counts: OutcomeCounts, ofAtLeast whole: UInt64) -> Bool {
        switch amount {
        case .count(let bound):
            return isLeast ? counts[outcome] < bound : counts[outcome] > bound
        case .share(let millionths):
            let base = base(of: counts)
            // Of no rows there is too little of everything.
            if isLeast && base == 0 { return true }
            let rows = Int128(counts[outcome]) * 1_000_000
            let bound = Int128(millionths) * Int128(max(base, whole))
            return isLeast ? rows < bound : rows > bound
        }
    }

    /// Returns the rows that the share is taken of.
    package func base(of counts: OutcomeCounts) -> UInt64 {
        guard outcome.wasSent else { return counts.all }
        return isLeast ? counts.all - counts[.skipped] : counts.sent
    }
}

extension Outcome {
    /// True if a row with this outcome was sent, or was to be.
    package var wasSent: Bool {
        switch self {
        case .invalid, .skipped: false
        case .accepted, .unregistered, .suspect, .rejected, .throttled, .failed, .unknown: true
        }
    }
}

/// The number of rows with each outcome.
///
/// The counts are in place and not in an array, so that a copy for a reader elsewhere costs the
/// tally nothing.
package struct OutcomeCounts: Equatable, Sendable {
    private var counts = InlineArray<9, UInt64>(repeating: 0)

    package init() {
        assert(counts.count == Outcome.count)
    }

    package subscript(outcome: Outcome) -> UInt64 {
        get { counts[Int(outcome.rawValue)] }
        set { counts[Int(outcome.rawValue)] = newValue }
    }

    /// Counts a row.
    package mutating func count(_ outcome: Outcome) { counts[Int(outcome.rawValue)] += 1 }

    package var all: UInt64 {
        var sum: UInt64 = 0
        for index in counts.indices { sum += counts[index] }
        return sum
    }

    package var sent: UInt64 { all - self[.invalid] - self[.skipped] }

    /// The counts in the order of the outcomes' numbers.
    package var inOrder: [UInt64] { counts.indices.map { counts[$0] } }

    /// Takes counts in the order of the outcomes' numbers; those that are not there are 0.
    package init(inOrder numbers: ArraySlice<UInt64>) {
        for (index, count) in numbers.prefix(counts.count).enumerated() { counts[index] = count }
    }

    package static func += (sum: inout OutcomeCounts, more: OutcomeCounts) {
        for index in sum.counts.indices { sum.counts[index] += more.counts[index] }
    }

    /// Returns the outcomes since an earlier state of the same counts.
    package func since(_ earlier: OutcomeCounts) -> OutcomeCounts {
        var result = self
        for index in counts.indices { result.counts[index] -= earlier.counts[index] }
        return result
    }

    package static func == (left: OutcomeCounts, right: OutcomeCounts) -> Bool {
        left.counts.indices.allSatisfy { left.counts[$0] == right.counts[$0] }
    }
}

// MARK: - Text

extension Threshold: CustomStringConvertible {
    /// The fault in the text of a threshold, as a verb phrase that follows it.
    package struct Fault: Error, Equatable, Sendable {
        package let problem: String
        /// The word that is none of the outcomes' names, if that is it.
        package let unknownOutcome: String?

        init(_ problem: String, unknownOutcome: String? = nil) {
            self.problem = problem
            self.unknownOutcome = unknownOutcome
        }
    }

    /// Reads one threshold: an outcome, `>` or `<`, and a share (`50%`, `0.5%`) or a number of rows
    /// (`100`).
    ///
    /// A colon stands for `>`, which a shell takes for itself. Blanks around the parts do not matter.
    package init(_ text: some StringProtocol) throws(Fault) {
        let parts = text.split(omittingEmptySubsequences: false) { Self.signs.contains($0) }
        guard parts.count == 2 else {
            throw Fault(
                "is not of the form OUTCOME>SHARE% or OUTCOME>ROWS (in quotes, because a shell takes > "
                    + "for itself; OUTCOME:SHARE% means the same)")
        }
        let isLeast = text.contains("<")
        let isOrEqual = parts[1].hasPrefix("=")
        guard !isOrEqual else {
            let sign = isLeast ? "<" : ">"
            throw Fault(
                "has \(sign)=, and a bound is \(isLeast ? "below" : "above") an amount: "
                    + "\(BoundText.trimmed(parts[0]))\(sign)\(BoundText.trimmed(parts[1].dropFirst()))"
            )
        }
        let name = BoundText.trimmed(parts[0])
        guard let outcome = Outcome(name: name) else {
            let names = Outcome.allCases.map { "\($0.name)" }
            throw Fault(
                "has no outcome before its \(isLeast ? "<" : ">"); there are "
                    + names.dropLast().joined(separator: ", ") + " and " + (names.last ?? ""),
                unknownOutcome: name)
        }
        self.init(
            outcome, try Self.amount(BoundText.trimmed(parts[1]), isLeast: isLeast),
            isLeast: isLeast)
    }

    /// The signs between the outcome and the amount.
    package static let signs: [Character] = [">", "<", ":"]

    private static func amount(_ text: String, isLeast: Bool) throws(Fault) -> Amount {
        let sign = isLeast ? "<" : ">"
        guard text.utf8.last == UInt8(ascii: "%") else {
            guard let count = BoundText.wholeNumber(text[...]) else {
                throw Fault("has no number of rows or share in % behind its \(sign)")
            }
            return .count(count)
        }
        let share: UInt64
        do throws(BoundText.ShareFault) {
            share = try BoundText.share(text)
        } catch {
            switch error {
            case .noShare: throw Fault("has no share behind its \(sign)")
            case .tooManyDigits: throw Fault("has more than four digits behind the point")
            case .aboveWhole: throw Fault("can never hold: the whole is 100%")
            }
        }
        guard isLeast ? share > 0 : share < BoundText.whole else {
            throw Fault(
                isLeast
                    ? "can never hold: no share is below 0%" : "can never hold: the whole is 100%")
        }
        return .share(share)
    }

    /// The threshold as one would write it.
    package var description: String {
        let sign = isLeast ? "<" : ">"
        switch amount {
        case .count(let count): return "\(outcome.name)\(sign)\(count)"
        case .share(let millionths):
            var fraction = String(String(10_000 + millionths % 10_000).dropFirst())
            while fraction.hasSuffix("0") { fraction.removeLast() }
            let whole = "\(outcome.name)\(sign)\(millionths / 10_000)"
            return whole + (fraction.isEmpty ? "%" : ".\(fraction)%")
        }
    }
}
