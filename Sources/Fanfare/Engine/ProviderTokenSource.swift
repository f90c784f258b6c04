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
    }

    private let signer: ProviderTokenSigner
    private let unixSeconds: @Sendable () -> Int64
    private let current = Mutex<Grant?>(nil)

    /// - Parameters:
    ///   - signer: Signs the tokens.
    ///   - unixSeconds: The wall clock.
    init(signer: ProviderTokenSigner, unixSeconds: @escaping @Sendable () -> Int64) {
        self.signer = signer
        self.unixSeconds = unixSeconds
    }

    /// The token for a connection that opens now.
    func grant() throws(TLSError) -> Grant {
        let now = unixSeconds()
        return try current.withLock { current throws(TLSError) in
            if let grant = current, grant.issuedAt >= now - Self.sharedSeconds { return grant }
            let grant = Grant(token: try signer.sign(issuedAt: now), issuedAt: now)
            current = grant
            return grant
        }
    }

    /// The provider called a token expired.
    /// - Returns: Whether a new one may help. When the token was young, the clocks differ, and
    ///   another one would fare no better.
    func mayRenew(afterExpiryOf grant: Grant) -> Bool {
        guard unixSeconds() - grant.issuedAt >= Self.sharedSeconds else { return false }
        current.withLock { if $0?.issuedAt == grant.issuedAt { $0 = nil } }
        return true
    }
}
