import FanfareBase
import FanfareCore
import FanfareTLS

/// The proof of the sender's identity in the requests of a connection.
///
/// A connection has the same one all its life.
struct Credential: Sendable {
    /// As the request carries it.
    var text: String
    /// The time of its issue, in seconds of UNIX time.
    var issuedAt: Int64
    /// The time for which it may be used from then on; `nil` for as long as the route's connections
    /// last.
    var life: Duration?
    /// Tells it from the others of its source.
    var number = 0
    /// True if it was made for the connection that has it first.
    var isNew = false
}

/// The source of a route's credentials, for all its lanes.
protocol CredentialSource: AnyObject, Sendable {
    /// Starts the work to get a credential; it may take a while, in which `supply` says wait.
    /// - Parameter changed: Wakes every lane to look at `supply`.
    /// - Throws: `FanfareError` when it cannot be started.
    func begin(_ changed: @escaping @Sendable () -> Void) throws(FanfareError)

    /// Ends the work, and waits for its end.
    func end()

    /// The supply of credentials for a connection that opens now.
    var supply: CredentialSupply { get }

    /// Returns the credential for a connection that opens now, if `supply` says that there is one.
    func grant() throws(TLSError) -> Credential

    /// The reason why a wanted newer credential is missing; `nil` without trouble.
    var trouble: CredentialTrouble? { get }

    /// Takes the provider's verdict about a credential.
    /// - Parameters:
    ///   - verdict: The meaning of an answer, or of a connection's end, for the credential.
    ///   - credential: The connection's credential.
    /// - Returns: The action to take.
    func judged(
        _ verdict: ResponseClass.Credential, _ credential: Credential
    ) -> CredentialAction
}

extension CredentialSource {
    func begin(_ changed: @escaping @Sendable () -> Void) throws(FanfareError) {}

    func end() {}

    var supply: CredentialSupply { .ready }

    var trouble: CredentialTrouble? { nil }
}

/// Credentials that are not available for now.
struct CredentialTrouble: Equatable, Sendable {
    /// For how long they have been asked for in vain.
    var lasted: Duration
    /// For how long requests have waited for one, and how long that is put up with; `nil` while they have one,
    /// and before the first.
    var waiting: Waiting?
    /// The latest obstacle.
    var reason: Statement

    struct Waiting: Equatable, Sendable {
        var lasted: Duration
        var patience: Duration
    }
}

/// The supply of credentials for a connection.
enum CredentialSupply: Equatable, Sendable {
    case ready
    /// There is none yet, or no more: no connection is opened. A turn follows when that changes.
    case wait
    /// There will be none: the route stops.
    case refused(Statement)
}

/// The action of a lane after a verdict about its credentials.
enum CredentialAction: Equatable, Sendable {
    case goOn
    /// Sends nothing more with it: all connections that have it are replaced.
    case replace
    /// Opens no connection for a while.
    case pauseDials(Duration)
    /// Stops the job.
    case stop(Statement)
}
