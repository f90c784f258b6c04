import FanfareBase

/// Finds which of several texts a row gets: by a value of the row, or by its token.
package struct TextPicker: Sendable {
    private enum Rule: Sendable {
        /// The first pattern that fits the value decides.
        case column(slot: Int, patterns: [ReportFilter.Pattern])
        /// The first bound that is above the token's digest decides; the last text takes the rest.
        case token(TokenHasher, bounds: [UInt64])
    }

    private let rule: Rule

    /// Picks by a column's value.
    /// - Parameters:
    ///   - slot: The place of the column in a row.
    ///   - values: The value for each text, in which `*` stands for any text.
    package init(slot: Int, values: [String]) {
        rule = .column(slot: slot, patterns: values.map { ReportFilter.Pattern($0) })
    }

    /// Picks by the token: the same text in every run with the same seed and shares.
    /// - Parameters:
    ///   - millionths: The share of each text.
    ///   - seed: Another one shares out other tokens.
    package init(millionths: [UInt64], seed: UInt64) {
        var sum: UInt64 = 0
        let bounds = millionths.dropLast().map { share in
            sum += share
            return UInt64.max / 1_000_000 * sum
        }
        // The second word keeps them apart from samples: a canary has rows of all texts.
        rule = .token(TokenHasher(key: (seed, 0x7661_7269_616E_7473)), bounds: bounds)
    }

    /// The place of the column that decides; `nil` if the token does.
    package var slot: Int? { if case .column(let slot, _) = rule { slot } else { nil } }

    /// Returns the text of a row; `nil` if none is for its value, or if it cannot be read.
    package func text(of batch: RowBatch, _ index: Int) -> Int? {
        guard unsafe batch.rows[index].fault.code == .none else { return nil }
        switch rule {
        case .column(let slot, let patterns):
            let field = batch.field(row: index, slot: slot)
            let value = unsafe field.isMissing ? .empty : batch.value(field)
            return patterns.firstIndex { unsafe $0.matches(value) }
        case .token(let hasher, let bounds):
            let token = unsafe batch.value(of: .token, row: index)
            guard let digest = unsafe hasher.digest(token: token, takesAnything: true) else {
                return nil
            }
            return bounds.firstIndex { digest.high < $0 } ?? bounds.count
        }
    }
}
