import FanfareBase
import FanfareCore
import FanfareTLS

/// What proves to a provider who sends, with the requests of a connection.
///
/// A connection has one all its life.
struct Credential: Sendable {
    /// As the request carries it.
    var text: String
    /// When it was made, in seconds of UNIX time.
    var issuedAt: Int64
    /// How long it may be used from then on; `nil` for as long as the route's connections last.
    var life: Duration?
    /// Tells it from the others of its source.
    var number = 0
    /// Whether it was made for the connection that has it first.
    var isNew = false
}

/// Where a route's credentials come from, for all its lanes.
protocol CredentialSource: AnyObject, Sendable {
    /// Starts what is needed to have a credential; it may take a while, in which `supply` says wait.
    /// - Parameter changed: Has every lane look around.
    /// - Throws: `FanfareError` when it cannot be started.
    func begin(_ changed: @escaping @Sendable () -> Void) throws(FanfareError)

    /// Ends what was started, and waits for its end.
    func end()

    /// Whether there is a credential for a connection that opens now.
    var supply: CredentialSupply { get }

    /// The credential for a connection that opens now, when `supply` says that there is one.
    func grant() throws(TLSError) -> Credential

    /// Why there is no newer credential though one is wanted; `nil` without trouble.
    var trouble: CredentialTrouble? { get }

    /// The provider has said something about a credential.
    /// - Parameters:
    ///   - verdict: What an answer, or the end of a connection, means for it.
    ///   - credential: That of the connection.
    /// - Returns: What is to be done.
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

/// Credentials that cannot be had for now.
struct CredentialTrouble: Equatable, Sendable {
    /// For how long they have been asked for in vain.
    var lasted: Duration
    /// For how long requests have waited for one, and how long that is put up with; `nil` while they have one,
    /// and before the first.
    var waiting: Waiting?
    /// What was in the way last.
    var reason: Statement

    struct Waiting: Equatable, Sendable {
        var lasted: Duration
        var patience: Duration
    }
}

/// Whether a connection can have a credential.
enum CredentialSupply: Equatable, Sendable {
    case ready
    /// There is none yet, or no more: no connection is opened. A turn follows when that changes.
    case wait
    /// There will be none: the route stops.
    case refused(Statement)
}

/// What a lane does after a word about its credentials.
enum CredentialAction: Equatable, Sendable {
    case goOn
    /// Sends nothing more with it: all connections that have it are replaced.
    case replace
    /// Opens no connection for a while.
    case pauseDials(Duration)
    /// Stops the job.
    case stop(Statement)
}
