import FanfareBase

/// A share of all tokens, by their digests: the same ones in every run with the same seed.
///
/// A larger share of the same seed has all tokens of a smaller one.
package struct TokenSample: Sendable {
    private let hasher: TokenHasher
    /// Digests below it are in the sample.
    private let bound: UInt64

    /// - Parameters:
    ///   - millionths: The share; up to 1,000,000, which is all.
    ///   - seed: Another one draws other tokens.
    package init(millionths: UInt64, seed: UInt64) {
        // The second word keeps samples apart from other uses of a hash; any would do.
        hasher = TokenHasher(key: (seed, 0x7361_6D70_6C65_6F66))
        bound = millionths >= 1_000_000 ? .max : UInt64.max / 1_000_000 * millionths
    }

    /// Looks whether a token is in the sample; hexadecimal digits of either case are the same.
    /// - Parameter token: The token, or other bytes that stand for a row without one; not empty.
    /// - Returns: True if it is.
    package func contains(_ token: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe hasher.digest(token: token, takesAnything: true).map { $0.high < bound } ?? false
    }
}
