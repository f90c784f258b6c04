import FanfareBase
import FanfareCore
import FanfareSystem

/// The rows that repeat a token, found by reading all of them beforehand.
///
/// The result is exact for any number of rows, in little memory: the survey divides the tokens into
/// parts on disk, and looks through one part after the other.
struct TokenSurvey {
    /// The rows whose token belongs to another row.
    private(set) var duplicates = RowSet()
    /// The rows there were.
    private(set) var rowCount: UInt64 = 0

    /// Returns true if a row repeats a token.
    func isDuplicate(_ row: UInt64) -> Bool { duplicates.contains(row) }

    /// Reads all rows.
    /// - Parameters:
    ///   - source: The inputs, opened for this purpose.
    ///   - tokens: Makes digests of tokens.
    ///   - audience: The rows that count.
    ///   - winner: The row of several that a token belongs to.
    ///   - folder: The folder for a file of the tokens that do not fit into memory.
    ///   - isCancelled: Called for each batch; if it returns true, the survey ends.
    /// - Returns: The survey; `nil` if it was canceled.
    /// - Throws: `FanfareError` with code `input` when the rows cannot be read, or are too many, or
    ///   with code `output` when the file cannot take the tokens that do not fit into memory.
    static func of(
        _ source: RowSource, tokens: RowTokens, of audience: RowAudience, winner: Deduplication,
        folder: String,
        isCancelled: () -> Bool
    ) throws(FanfareError) -> TokenSurvey? {
        let spill = TokenSpill(folder: folder)
        try source.openFirst()
        let batch = RowBatch(slotCount: source.schema.slotCount)
        while try source.fill(batch) {
            guard !isCancelled() else { return nil }
            guard source.rowCount <= Limits.surveyRowsMax else {
                throw FanfareError(
                    .input,
                    "\(.deduplication) takes \(Limits.surveyRowsMax) rows at most; more of them "
                        + "have to be sorted before, and repetitions removed (sort -u)")
            }
            for index in 0..<batch.rowCount {
                guard audience.contains(batch, index), let digest = tokens.digest(batch, index)
                else { continue }
                let row = batch.firstRow + UInt64(index)
                try told(\.outputError) { () throws(FileError) in
                    try spill.append(RowToken(digest: digest, row: row))
                }
            }
        }
        var survey = TokenSurvey()
        survey.rowCount = source.rowCount
        try survey.look(through: spill, winner, isCancelled)
        return isCancelled() ? nil : survey
    }

    private mutating func look(
        through spill: TokenSpill, _ winner: Deduplication, _ isCancelled: () -> Bool
    ) throws(FanfareError) {
        let seen = TokenSet(bytesMax: Limits.tokenSetBytesMax)
        for part in 0..<Limits.surveyParts {
            guard !isCancelled() else { return }
            seen.removeAll()
            var duplicates: [UInt64] = []
            try spill.forEach(ofPart: part, backwards: winner == .last) {
                token throws(FanfareError) in
                switch seen.insert(token.digest) {
                case .new: break
                case .known: duplicates.append(token.row)
                case .full:
                    preconditionFailure("BUG: a part has more tokens than all parts may have")
                }
                if duplicates.count == Limits.surveyBlockTokens { add(&duplicates) }
            }
            add(&duplicates)
        }
    }

    private mutating func add(_ rows: inout [UInt64]) {
        for row in rows { _ = duplicates.insert(row) }
        rows.removeAll(keepingCapacity: true)
    }
}
