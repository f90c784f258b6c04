import FanfareBase
import FanfareCore
import FanfareTLS
import Synchronization

/// The provider tokens of a job: one at a time, for all lanes.
///
/// A token belongs to a connection: it is handed out when the connection opens and never swapped in
/// place. APNs wants a new one at most every 20 minutes and at least every 60; so the same token goes
/// to every connection that opens within half an hour.
///
/// https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns
final class ProviderTokenSource: Sendable {
    /// How long a token is handed out to new connections.
    static let sharedSeconds: Int64 = 30 * 60

    /// A token and when it was signed, in UNIX seconds.
    struct Grant: Sendable {
        var token: String
        var issuedAt: Int64
        /// Whether it was signed for the one who has it first.
        var isNew = false
    }

    private struct State {
        var grant: Grant?
        /// The provider has seen too many tokens: this one serves as long as it can.
        var isHeld = false
    }

    /// How long a token that must not be renewed is handed out: as long as a connection with it
    /// would not have to go at once.
    private static let heldSeconds = Limits.providerTokenAgeMax.components.seconds * 9 / 10

    private let sign: @Sendable (Int64) throws(TLSError) -> String
    private let unixSeconds: @Sendable () -> Int64
    private let current = Mutex(State())

    /// - Parameters:
    ///   - signer: Signs the tokens.
    ///   - unixSeconds: The wall clock.
    convenience init(
        signer: ProviderTokenSigner, unixSeconds: @escaping @Sendable () -> Int64
    ) {
        self.init(
            sign: { issuedAt throws(TLSError) in try signer.sign(issuedAt: issuedAt) },
            unixSeconds: unixSeconds)
    }

    /// - Parameters:
    ///   - sign: Makes the token of a moment in UNIX seconds.
    ///   - unixSeconds: The wall clock.
    init(
        sign: @escaping @Sendable (Int64) throws(TLSError) -> String,
        unixSeconds: @escaping @Sendable () -> Int64
    ) {
        self.sign = sign
        self.unixSeconds = unixSeconds
    }

    /// The token for a connection that opens now.
    func grant() throws(TLSError) -> Grant {
        let now = unixSeconds()
        return try current.withLock { state throws(TLSError) in
            let seconds = state.isHeld ? Self.heldSeconds : Self.sharedSeconds
            if let grant = state.grant, grant.issuedAt >= now - seconds { return grant }
            var grant = Grant(token: try sign(now), issuedAt: now)
            state = State(grant: grant)
            grant.isNew = true
            return grant
        }
    }

    /// The provider says that it has seen too many tokens: the newest one is kept for longer.
    func hold() {
        current.withLock { $0.isHeld = $0.grant != nil }
    }

    /// The provider called a token expired.
    /// - Returns: Whether a new one may help. When the token was young, the clocks differ, and
    ///   another one would fare no better.
    func mayRenew(afterExpiryOf grant: Grant) -> Bool {
        guard unixSeconds() - grant.issuedAt >= Self.sharedSeconds else { return false }
        current.withLock { if $0.grant?.issuedAt == grant.issuedAt { $0 = State() } }
        return true
    }
}
