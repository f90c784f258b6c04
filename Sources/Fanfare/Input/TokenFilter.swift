import FanfareBase
import FanfareCore

/// Makes digests of rows' tokens.
struct RowTokens {
    private let hasher = TokenHasher()
    /// True if texts other than hexadecimal digits are tokens.
    private let takesAnything: Bool

    /// - Parameter configuration: The job. If rows are checked and all go to APNs, a text that is
    ///   not hexadecimal will be invalid, and is no token that counts.
    init(of configuration: Configuration) {
        takesAnything =
            !configuration.rows.validates
            || configuration.routes.contains { $0.provider != .apns }
    }

    /// Returns the digest of a row's token; nil for a row that cannot be sent.
    func digest(_ batch: RowBatch, _ index: Int) -> TokenDigest? {
        guard unsafe batch.rows[index].fault == .none else { return nil }
        let field = batch.field(row: index, slot: RowSchema.Known.token.slot)
        guard !field.isMissing else { return nil }
        return unsafe hasher.digest(token: batch.value(field), takesAnything: takesAnything)
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
    private let suppressed: TokenSet?
    private let seeds: SeedTokens?
    private let deduplication: Deduplication?
    private let audience: RowAudience
    /// The tokens of all rows so far; `nil` when a survey decides.
    private var seen: TokenSet?
    private var survey: TokenSurvey?
    /// Surveys all rows; `nil` when it was canceled.
    private let makeSurvey: (RowTokens) throws(FanfareError) -> TokenSurvey?

    /// - Parameters:
    ///   - tokens: The maker of the digests in `suppressed`.
    ///   - suppressed: The tokens that are never sent to.
    ///   - deduplication: The row of several that a token belongs to, if that matters.
    ///   - audience: The rows that the job is for; the others make none a duplicate.
    ///   - seeds: The tokens of a seed list, whose rows are not sent a second time behind it.
    ///   - notices: Notices for people about the lists.
    ///   - bytesMax: The memory for the tokens of rows.
    ///   - makeSurvey: Reads all rows, for facts that one pass cannot find.
    init(
        _ tokens: RowTokens, suppressed: TokenSet?, deduplication: Deduplication?,
        audience: RowAudience, seeds: SeedTokens? = nil, notices: [Statement] = [],
        bytesMax: Int = Limits.tokenSetBytesMax,
        makeSurvey: @escaping (RowTokens) throws(FanfareError) -> TokenSurvey?
    ) {
        self.notices = notices
        self.tokens = tokens
        self.suppressed = suppressed
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
            guard audience.contains(batch, index), let digest = tokens.digest(batch, index) else {
                continue
            }
            let isSuppressed = suppressed?.contains(digest) ?? false
            let row = batch.firstRow + UInt64(index)
            if try isDuplicate(digest, row: row) || seeds?.contains(digest, row: row) == true {
                note(.duplicate, batch, index)
            }
            if isSuppressed { note(.suppressed, batch, index) }
        }
    }

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
