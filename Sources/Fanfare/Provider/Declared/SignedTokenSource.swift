import FanfareBase
import FanfareCore
import FanfareTLS
import Synchronization

/// Tokens that are signed here, as a file describes them: one at a time, for all lanes.
final class SignedTokenSource: CredentialSource {
    /// The time that a token has to have been in use before a newer one may help.
    private static let newSeconds: Int64 = 60

    private struct State {
        var current: Credential?
        var count = 0
    }

    private let life: Duration
    private let name: String
    private let unixSeconds: @Sendable () -> Int64
    private let sign: @Sendable (_ unixSeconds: Int64) throws(TLSError) -> String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - name: The name of the tokens' owner, for messages.
    ///   - life: The time for which each is valid.
    ///   - unixSeconds: The wall clock.
    ///   - sign: Makes the token of a moment in UNIX seconds.
    init(
        _ name: String, life: Duration, unixSeconds: @escaping @Sendable () -> Int64,
        sign: @escaping @Sendable (_ unixSeconds: Int64) throws(TLSError) -> String
    ) {
        self.name = name
        self.life = life
        self.unixSeconds = unixSeconds
        self.sign = sign
    }

    /// The token for a connection that opens now: a newer one in the second half of a token's life.
    func grant() throws(TLSError) -> Credential {
        let now = unixSeconds()
        return try state.withLock { state throws(TLSError) in
            if let current = state.current,
                now - current.issuedAt < life.components.seconds / 2, now >= current.issuedAt
            {
                return current
            }
            state.count += 1
            var credential = Credential(
                text: try sign(now), issuedAt: now, life: life, number: state.count)
            state.current = credential
            credential.isNew = true
            return credential
        }
    }

    func judged(
        _ verdict: ResponseClass.Credential, _ credential: Credential
    ) -> CredentialAction {
        guard verdict == .renew else { return .goOn }
        guard unixSeconds() - credential.issuedAt >= Self.newSeconds else {
            return .stop(
                Statement(
                    "\(name) calls a token expired that was signed less than a minute ago: is the "
                        + "clock of this machine right?"))
        }
        state.withLock { state in
            if state.current?.number == credential.number { state.current = nil }
        }
        return .replace
    }
}
