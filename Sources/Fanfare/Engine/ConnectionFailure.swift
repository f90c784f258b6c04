import FanfareBase
import FanfareCore

/// The reason why a connection ended.
enum ConnectionFailure: Equatable, Sendable {
    /// We ended it.
    case ours(Statement)
    /// The peer or the network ended it; another try may go better.
    case transient(Statement)
    /// It would fail in the same way every time: a certificate that is not trusted.
    case permanent(Statement)
    /// The peer shows no sign of life; another connection may.
    case silent(Statement)

    var text: Statement {
        switch self {
        case .ours(let text), .transient(let text), .permanent(let text), .silent(let text): text
        }
    }

    /// Returns the same failure with more words about it.
    func adding(_ advice: Statement) -> ConnectionFailure {
        switch self {
        case .ours(let text): .ours(text + advice)
        case .transient(let text): .transient(text + advice)
        case .permanent(let text): .permanent(text + advice)
        case .silent(let text): .silent(text + advice)
        }
    }

    /// The meaning of the end for the requests on the connection.
    var end: AttemptCause.ConnectionEnd {
        switch self {
        case .ours: .aborted
        case .transient, .permanent: .lost
        case .silent: .silent
        }
    }
}
