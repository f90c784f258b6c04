import FanfareBase
import FanfareCore
import FanfareTLS

/// What proves to a provider who sends, with the requests of a connection.
struct Credential: Sendable {
    /// As it stands in the request.
    var text: String
    /// When it was made, in seconds of UNIX time.
    var issuedAt: Int64
    /// Whether it was made for the connection that has it first.
    var isNew = false
}

/// Where a job's credentials come from, for all its lanes.
protocol CredentialSource: AnyObject, Sendable {
    /// The credential for a connection that opens now.
    func grant() throws(TLSError) -> Credential

    /// The provider has said something about a credential.
    /// - Parameters:
    ///   - verdict: What an answer, or the end of a connection, means for it.
    ///   - credential: That of the connection.
    /// - Returns: What is to be done.
    func judged(
        _ verdict: ResponseClass.Credential, _ credential: Credential
    ) -> CredentialAction
}

/// What a lane does after a word about its credentials.
enum CredentialAction: Equatable, Sendable {
    case goOn
    /// Opens no connection for a while.
    case pauseDials(Duration)
    /// Stops the job.
    case stop(Statement)
}
