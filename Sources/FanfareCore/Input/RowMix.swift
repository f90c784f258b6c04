import FanfareBase

/// The shares of the providers in generated rows.
package struct RowMix: Equatable, Sendable {
    /// A provider with its part of the rows.
    package struct Share: Equatable, Sendable {
        package var provider: ProviderKind
        /// Against those of the other shares.
        package var weight: UInt64

        package init(_ provider: ProviderKind, _ weight: UInt64) {
            self.provider = provider
            self.weight = weight
        }
    }

    /// The providers whose tokens can be made up.
    package static let providers = [ProviderKind.apns, .fcm]

    private let shares: [Share]
    private let total: UInt64

    /// Mixes rows.
    /// - Parameter shares: At least one, each with a weight above zero and below a million.
    package init(_ shares: [Share]) {
        precondition(!shares.isEmpty, "BUG: a mix of nothing")
        self.shares = shares
        total = shares.reduce(0) { $0 + $1.weight }
    }

    /// Returns the provider of a row.
    /// - Parameter first: The row's first number, which alone decides.
    /// - Returns: The provider of one of the shares.
    func provider(ofRow first: UInt64) -> ProviderKind {
        // Not the numbers that the rest of the row is made from, which stays as it is without a mix.
        var choice = SplitMix64(seed: ~first)
        var left = choice.next() % total
        for share in shares {
            if left < share.weight { return share.provider }
            left -= share.weight
        }
        preconditionFailure("BUG: the shares are less than their sum")
    }
}
