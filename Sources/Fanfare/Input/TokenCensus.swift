import FanfareBase
import FanfareCore

/// Counts the rows among the first ones of a job that repeat a token, where the configuration asks
/// for no more.
///
/// For the reader's thread alone, and for the one that asks after that thread has been joined.
final class TokenCensus: @unchecked Sendable {
    private let tokens: RowTokens
    private var seen: TokenSet? = TokenSet(bytesMax: Limits.censusBytesMax)
    /// The rows that were looked at.
    private(set) var rowCount: UInt64 = 0
    private(set) var duplicateCount: UInt64 = 0

    init(_ tokens: RowTokens) {
        self.tokens = tokens
    }

    func count(_ batch: RowBatch) {
        guard let seen else { return }
        for index in 0..<batch.rowCount {
            guard rowCount < Limits.censusRows else { return self.seen = nil }
            // A row that is left out belongs to another run.
            if batch.verdict(ofRow: index) == .finished { continue }
            rowCount += 1
            guard let digest = tokens.digest(batch, index) else { continue }
            if seen.insert(digest) == .known { duplicateCount += 1 }
        }
    }
}
