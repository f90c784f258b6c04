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
/// Workers that share a job share its tokens, too: all of them issue a token at the same moments, half an hour apart, and
/// one key signs the claims of a moment in one way only.
///
/// https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns
final class ProviderTokenSource: CredentialSource {
    /// The age up to which new connections get a token.
    static let sharedSeconds: Int64 = 30 * 60

    private struct State {
        var grant: Credential?
        /// The provider has seen too many tokens: this one serves as long as it can.
        var isHeld = false
    }

    /// The age up to which new connections get a token that must not be renewed.
    ///
    /// A connection with an older token would have to end at once.
    private static let heldSeconds = Limits.providerTokenAgeMax.components.seconds * 9 / 10

    /// The pause before new connections after `TooManyProviderTokenUpdates`.
    private static let updatePause = Duration.seconds(10)

    private let sign: @Sendable (Int64) throws(TLSError) -> String
    private let unixSeconds: @Sendable () -> Int64
    private let sharedMoment: Int64?
    private let current = Mutex(State())

    /// - Parameters:
    ///   - sign: Makes the token of a moment in UNIX seconds.
    ///   - sharedMoment: A moment at which all workers of the job issue a token, in UNIX seconds; `nil` for a job of
    ///     its own.
    ///   - unixSeconds: The wall clock.
    init(
        sign: @escaping @Sendable (Int64) throws(TLSError) -> String,
        sharedMoment: Int64? = nil, unixSeconds: @escaping @Sendable () -> Int64
    ) {
        self.sign = sign
        self.sharedMoment = sharedMoment
        self.unixSeconds = unixSeconds
    }

    /// The token for a connection that opens now.
    func grant() throws(TLSError) -> Credential {
        let now = unixSeconds()
        return try current.withLock { state throws(TLSError) in
            let seconds = state.isHeld ? Self.heldSeconds : Self.sharedSeconds
            if let grant = state.grant, grant.issuedAt >= now - seconds { return grant }
            let issuedAt = issuing(at: now)
            var grant = Credential(text: try sign(issuedAt), issuedAt: issuedAt)
            state = State(grant: grant)
            grant.isNew = true
            return grant
        }
    }

    /// The moment of a token that is made now: the last one at which all workers issue one, however the clock stands to
    /// the shared moment.
    private func issuing(at now: Int64) -> Int64 {
        guard let sharedMoment else { return now }
        let over = (now - sharedMoment) % Self.sharedSeconds
        return now - (over < 0 ? over + Self.sharedSeconds : over)
    }

    func judged(
        _ verdict: ResponseClass.Credential, _ credential: Credential
    ) -> CredentialAction {
        switch verdict {
        case .keep, .refused:
            .goOn
        case .renew:
            mayRenew(afterExpiryOf: credential) ? .goOn : .stop(Self.clockIsWrong)
        case .hold:
            hold()
        }
    }

    private static let clockIsWrong: Statement =
        "the provider calls a token expired that was signed less than half an hour ago: is the "
        + "clock of this machine right?"

    /// The provider says that it has seen too many tokens: the newest one is kept for longer.
    private func hold() -> CredentialAction {
        current.withLock { $0.isHeld = $0.grant != nil }
        return .pauseDials(Self.updatePause)
    }

    /// Takes note that the provider called a token expired.
    /// - Returns: True if a new one may help. If the token was young, the clocks differ, and
    ///   another token would fare no better.
    private func mayRenew(afterExpiryOf credential: Credential) -> Bool {
        guard unixSeconds() - credential.issuedAt >= Self.sharedSeconds else { return false }
        current.withLock { if $0.grant?.issuedAt == credential.issuedAt { $0 = State() } }
        return true
    }
}
