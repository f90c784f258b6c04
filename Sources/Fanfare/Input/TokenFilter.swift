import FanfareBase
import FanfareCore
import FanfareTLS

/// Makes digests of rows' tokens.
struct RowTokens {
    /// The digests of a token's SHA-256 in hexadecimal digits, and of their first half.
    struct Sum {
        let whole: TokenDigest
        let half: TokenDigest
    }

    /// The meaning of capital letters in tokens of hexadecimal digits.
    private enum Capitals {
        /// The same as small ones: all rows go to APNs.
        case areSmall
        /// Other ones: no row goes to APNs.
        case count
        /// The row's route decides.
        case areUpToRow(RouteFinder)
    }

    private let hasher: TokenHasher
    /// True if texts other than hexadecimal digits are tokens.
    private let takesAnything: Bool
    private let capitals: Capitals
    /// True if capitals are the same as small letters in all rows.
    private let isFolded: Bool
    private let sumMaker = SHA256Maker()

    /// - Parameters:
    ///   - configuration: The job. If rows are checked and all go to APNs, a text that is not
    ///     hexadecimal will be invalid, and is no token that counts.
    ///   - finder: Finds the route of a row; `nil` if there is one route.
    ///   - hasher: The maker of the digests: one with a key of its own for all that rows decide.
    init(
        of configuration: Configuration, finder: RouteFinder?, hasher: TokenHasher = TokenHasher()
    ) {
        self.hasher = hasher
        takesAnything =
            !configuration.rows.validates
            || configuration.routes.contains { $0.provider != .apns }
        capitals =
            configuration.routes.contains { $0.provider == .apns }
            ? finder.map { .areUpToRow($0) } ?? .areSmall : .count
        isFolded = if case .areSmall = capitals { true } else { false }
    }

    /// Returns the digest of a row's token; nil for a row that cannot be sent.
    func digest(_ batch: RowBatch, _ index: Int) -> TokenDigest? {
        guard unsafe batch.rows[index].fault == .none else { return nil }
        let token = unsafe batch.value(of: .token, row: index)
        return unsafe hasher.digest(
            token: token, takesAnything: takesAnything,
            foldsCase: isFolded || foldsCase(batch, index, token))
    }

    private func foldsCase(
        _ batch: RowBatch, _ index: Int, _ token: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        switch capitals {
        case .areSmall: return true
        case .count: return false
        case .areUpToRow(let finder):
            // Most have none, and then it is all the same.
            guard unsafe Self.hasCapitals(token) else { return true }
            guard case .route(let place) = finder.route(of: batch, index) else { return false }
            return finder.routes[place] == .apns
        }
    }

    private static func hasCapitals(_ token: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe token.contains { $0 &- 65 < 26 }
    }

    // MARK: Lists

    /// Returns the digests of a list's entry: as it stands, and with small letters if a row may have
    /// those.
    /// - Returns: The digest, and another one; nil if the entry is no token.
    func digests(ofEntry token: UnsafeBufferPointer<UInt8>) -> (TokenDigest, TokenDigest?)? {
        guard
            let digest = unsafe hasher.digest(
                token: token, takesAnything: takesAnything, foldsCase: isFolded)
        else { return nil }
        guard !isFolded, unsafe Self.hasCapitals(token), unsafe mayHaveSmallLetters(token) else {
            return (digest, nil)
        }
        return (digest, unsafe hasher.digest(token: token, takesAnything: takesAnything))
    }

    /// Returns true if an entry means the same with small letters: as the sum of a token, or as a token
    /// of APNs.
    private func mayHaveSmallLetters(_ entry: UnsafeBufferPointer<UInt8>) -> Bool {
        if case .areUpToRow = capitals { return true }
        return unsafe SuppressionList.mayBeSum(entry)
    }

    /// Appends the sums of a row's token in each of the spellings that mean it.
    func appendSums(_ batch: RowBatch, _ index: Int, to sums: inout [Sum]) {
        let token = unsafe batch.value(of: .token, row: index)
        unsafe sums.append(sum(of: token))
        guard unsafe HeaderRules.problem(token: token) == nil, unsafe foldsCase(batch, index, token)
        else {
            return
        }
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: token.count) { other in
            // Digits stay what they are: a letter is one from 0x40 on.
            for bit: UInt8 in [0x00, 0x20] {
                for place in 0..<token.count {
                    let byte = unsafe token[place]
                    unsafe other.initializeElement(
                        at: place, to: byte < 0x40 ? byte : byte & ~0x20 | bit)
                }
                let spelling = UnsafeBufferPointer(other)
                if unsafe !spelling.elementsEqual(token) { unsafe sums.append(sum(of: spelling)) }
            }
        }
    }

    private func sum(of token: UnsafeBufferPointer<UInt8>) -> Sum {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { digits in
            unsafe sumMaker.write(digestOf: token, to: digits)
            let whole = UnsafeBufferPointer(digits)
            let half = unsafe UnsafeBufferPointer(rebasing: whole[..<32])
            return unsafe Sum(
                whole: hasher.digest(whole, folding: 0), half: hasher.digest(half, folding: 0))
        }
    }
}

/// The tokens of a seed list: a person in it has the notification already when the others get it.
struct SeedTokens {
    let rowCount: UInt64
    let tokens: TokenSet

    /// Returns true if a row behind the list is for one of them.
    func contains(_ digest: TokenDigest, row: UInt64) -> Bool {
        row > rowCount && tokens.contains(digest)
    }
}

/// Finds the rows that are not to be sent though nothing is wrong with them: those whose token comes
/// twice, and those whose token is on a list.
///
/// The first row of a token is found in one pass, as long as the tokens fit into memory; all else
/// needs a survey, which reads the inputs once more. Decisions depend on the rows only, so a run that
/// carries a job on comes to the same ones.
///
/// For the reader's thread alone.
final class TokenFilter: @unchecked Sendable {
    /// Notices for people about the lists.
    let notices: [Statement]
    private let tokens: RowTokens
    private let lists: [SuppressionList]
    /// The sums of the row that is looked at; kept for its memory.
    private var sums: [RowTokens.Sum] = []
    /// True if all rows of the job were looked at.
    private var hasReachedEnd = false
    private let seeds: SeedTokens?
    private let deduplication: Deduplication?
    private let audience: RowAudience
    /// The tokens of all rows so far; `nil` when a survey decides.
    private var seen: TokenSet?
    private var survey: TokenSurvey?
    /// Surveys all rows; `nil` when it was canceled.
    private let makeSurvey: (RowTokens) throws(FanfareError) -> TokenSurvey?

    /// - Parameters:
    ///   - tokens: The maker of the digests in `lists`.
    ///   - lists: The tokens that are never sent to.
    ///   - deduplication: The row of several that a token belongs to, if that matters.
    ///   - audience: The rows that the job is for; the others make none a duplicate.
    ///   - seeds: The tokens of a seed list, whose rows are not sent a second time behind it.
    ///   - notices: Notices for people about the lists.
    ///   - bytesMax: The memory for the tokens of rows.
    ///   - makeSurvey: Reads all rows, for facts that one pass cannot find.
    init(
        _ tokens: RowTokens, lists: [SuppressionList], deduplication: Deduplication?,
        audience: RowAudience, seeds: SeedTokens? = nil, notices: [Statement] = [],
        bytesMax: Int = Limits.tokenSetBytesMax,
        makeSurvey: @escaping (RowTokens) throws(FanfareError) -> TokenSurvey?
    ) {
        self.notices = notices
        self.tokens = tokens
        self.lists = lists
        self.seeds = seeds
        self.deduplication = deduplication
        self.audience = audience
        self.makeSurvey = makeSurvey
        if deduplication == .first { seen = TokenSet(bytesMax: bytesMax) }
    }

    /// Marks the rows of a batch that are not to be sent, where nothing is known of them yet.
    func mark(_ batch: RowBatch) throws(FanfareError) {
        if deduplication == .last && survey == nil { try beginSurvey() }
        for index in 0..<batch.rowCount {
            guard let digest = tokens.digest(batch, index) else { continue }
            // A list counts the tokens of its own that rows have, whether the job is for these rows or not.
            let isSuppressed = !lists.isEmpty && isOnList(digest, batch, index)
            guard audience.contains(batch, index) else { continue }
            let row = batch.firstRow + UInt64(index)
            if try isDuplicate(digest, row: row) || seeds?.contains(digest, row: row) == true {
                note(.duplicate, batch, index)
            }
            if isSuppressed { note(.suppressed, batch, index) }
        }
    }

    /// Looks through all lists: each one notes which of its tokens are in the rows.
    private func isOnList(_ digest: TokenDigest, _ batch: RowBatch, _ index: Int) -> Bool {
        let token = unsafe batch.value(of: .token, row: index)
        if lists.contains(where: \.mayHoldSums) {
            sums.removeAll(keepingCapacity: true)
            tokens.appendSums(batch, index, to: &sums)
        }
        var isOnOne = false
        for list in lists {
            if unsafe list.holds(digest, of: token) { isOnOne = true }
            if list.mayHoldSums, list.holdsAny(of: sums) { isOnOne = true }
        }
        return isOnOne
    }

    /// The sum of all tokens of the lists, in any order; `nil` if there are none, or if it was not wanted.
    var suppressedSum: UInt64? {
        let sum = lists.reduce(0) { $0 &+ $1.sum }
        return sum == 0 ? nil : sum
    }

    /// All rows were looked at.
    func reachedEnd() { hasReachedEnd = true }

    /// The notices about the lists in the end; none unless all rows were looked at.
    var hints: [Statement] { hasReachedEnd ? lists.compactMap(\.hint) : [] }

    private func isDuplicate(_ digest: TokenDigest, row: UInt64) throws(FanfareError) -> Bool {
        guard deduplication != nil else { return false }
        if let seen {
            switch seen.insert(digest) {
            case .new: return false
            case .known: return true
            case .full:
                self.seen = nil
                try beginSurvey()
            }
        }
        guard let survey else { return false }
        guard row <= survey.rowCount else {
            throw FanfareError(
                .input,
                "row \(row) was not there when the rows were looked through for \(.deduplication): "
                    + "an input has grown since")
        }
        return survey.isDuplicate(row)
    }

    private func beginSurvey() throws(FanfareError) {
        // The rows of a survey that was canceled are not wanted.
        survey = try makeSurvey(tokens) ?? TokenSurvey()
    }

    private func note(_ verdict: RowBatch.Verdict, _ batch: RowBatch, _ index: Int) {
        if batch.verdicts.isEmpty {
            batch.verdicts.append(contentsOf: repeatElement(.none, count: batch.rowCount))
        }
        switch (batch.verdicts[index], verdict) {
        case (.finished, _), (.workerLost, _), (.inDoubtHeld, _), (.inDoubt, .duplicate): break
        // Windows and routes are looked at behind this.
        case (.waiting, _), (.outsideWindow, _), (.zoneUnknown, _), (.late, _),
            (.providerUnknown, _), (.providerNotInJob, _), (.tokenOfNoProvider, _):
            break
        // An earlier run may have sent it before its token came onto the list: its outcome is
        // unknown, and it must not be sent again.
        case (.inDoubt, _): batch.verdicts[index] = .inDoubtHeld
        case (.none, _), (.duplicate, _), (.suppressed, _): batch.verdicts[index] = verdict
        }
    }
}
