import FanfareBase

/// How rows are known again that a quote has swallowed.
extension Limits {
    /// The digits of a token that make a line look like a row.
    ///
    /// Tokens of APNs have 64 and more. 128 bits in hexadecimal, alone in the token's place of a line with
    /// as many fields as the header, are in no text that people write and in no JSON; a shorter number
    /// may be: `2024` and `20` in a list of two columns are hexadecimal as well.
    package static let swallowedTokenDigitsMin = 32
}
