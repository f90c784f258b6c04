import FanfareBase
import FanfareCore

/// The tokens of one list, which are never sent to, and which of them the rows have had so far.
///
/// A list may have SHA-256 sums in place of tokens: 64 digits, or the first 32 as our own reports have
/// them. Nothing tells a sum from a token of as many digits, so both are looked for until a token of
/// that length itself has been in a row.
///
/// For the reader's thread alone, and for the one that asks after that thread has been joined.
final class SuppressionList {
    /// The digits of sums: all of them, and those that reports show.
    private enum SumDigits {
        static let whole = 64
        static let half = 32
    }

    private let name: String
    private let tokens: TokenSet
    /// The entries, each once.
    private var entryCount = 0
    /// The sum of the digests of its entries that are in no list before it, in any order.
    private(set) var sum = UInt64(0)
    /// A bit for each place of `tokens`: true if a row has had the token there.
    private var fitted: [UInt64] = []
    private var fittedCount = 0
    private var mayHoldWholes = false
    private var mayHoldHalves = false

    /// - Parameters:
    ///   - name: The name of the list in messages.
    ///   - bytesMax: The memory for its tokens.
    init(_ name: String, bytesMax: Int) {
        self.name = name
        tokens = TokenSet(bytesMax: bytesMax)
    }

    /// The memory that its tokens take.
    var byteCount: Int { tokens.byteCount }

    /// The digests in it.
    var count: Int { tokens.count }

    /// True if it may have sums in place of tokens.
    var mayHoldSums: Bool { mayHoldWholes || mayHoldHalves }

    // MARK: Reading

    /// Returns true if a list's entry may be a sum.
    static func mayBeSum(_ entry: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe (entry.count == SumDigits.whole || entry.count == SumDigits.half)
            && HeaderRules.problem(token: entry) == nil
    }

    /// True if an entry is there that has this digest.
    func contains(_ digest: TokenDigest) -> Bool { tokens.contains(digest) }

    /// Adds an entry.
    /// - Parameters:
    ///   - entry: Its text.
    ///   - digests: Its digest, and another one if rows may spell it otherwise.
    ///   - shared: Its digest by a key that is the same in all processes; `nil` if the sum does not matter, or a list before this
    ///     one has the entry.
    /// - Returns: False if there is no room for it.
    func add(
        _ entry: UnsafeBufferPointer<UInt8>, _ digests: (TokenDigest, TokenDigest?),
        shared: TokenDigest? = nil
    ) -> Bool {
        if unsafe Self.mayBeSum(entry) {
            if entry.count == SumDigits.whole { mayHoldWholes = true } else { mayHoldHalves = true }
        }
        switch tokens.insert(digests.0) {
        case .new:
            entryCount += 1
            sum &+= shared?.low ?? 0
        case .known: break
        case .full: return false
        }
        guard let other = digests.1 else { return true }
        return tokens.insert(other) != .full
    }

    // MARK: Rows

    /// Returns true if a row's token is in the list.
    func holds(_ digest: TokenDigest, of token: UnsafeBufferPointer<UInt8>) -> Bool {
        guard takes(digest) else { return false }
        if mayHoldSums, unsafe Self.mayBeSum(token) {
            if token.count == SumDigits.whole {
                mayHoldWholes = false
            } else {
                mayHoldHalves = false
            }
        }
        return true
    }

    /// Returns true if one of the sums of a row's token is in the list.
    func holdsAny(of sums: [RowTokens.Sum]) -> Bool {
        var isThere = false
        for sum in sums {
            if mayHoldWholes, takes(sum.whole) { isThere = true }
            if mayHoldHalves, takes(sum.half) { isThere = true }
        }
        return isThere
    }

    private func takes(_ digest: TokenDigest) -> Bool {
        guard let index = tokens.index(of: digest) else { return false }
        if fitted.isEmpty { fitted = Array(repeating: 0, count: tokens.indices.count / 64 + 1) }
        let bit = UInt64(1) << UInt64(index % 64)
        if fitted[index / 64] & bit == 0 {
            fitted[index / 64] |= bit
            fittedCount += 1
        }
        return true
    }

    // MARK: The end

    /// The notice about the list when all rows were read; `nil` if each token was in one.
    var hint: Statement? {
        guard fittedCount < entryCount else { return nil }
        let all = NumberText.grouped(UInt64(entryCount))
        guard fittedCount > 0 else {
            let none =
                entryCount == 1
                ? "its only token fits no row" : "none of its \(all) tokens fits a row"
            return "\(.suppressions) \(name): \(none), so it leaves nobody out"
        }
        let unfit = entryCount - fittedCount
        return
            "\(.suppressions) \(name): \(NumberText.grouped(UInt64(unfit))) of its \(all) tokens "
            + (unfit == 1 ? "fits no row" : "fit no row")
    }
}
