internal import COpenSSL
import FanfareBase
import Synchronization

/// One session that a server has offered to resume (SSL_SESSION).
///
/// Safe to share: OpenSSL counts its references atomically and copies it before changing it.
@safe
final class ResumableSession: @unchecked Sendable {
    let handle: OpaquePointer

    init(takingOwnershipOf handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        unsafe SSL_SESSION_free(handle)
    }

    /// True if each ticket of TLS 1.3 is used once, so that no listener can link two connections by
    /// it.
    ///
    /// RFC 8446 Appendix C.4
    var isForOneUse: Bool { unsafe SSL_SESSION_get_protocol_version(handle) >= TLS1_3_VERSION }
}

/// The newest sessions by server name, shared by all lanes of a context.
///
/// Used when a connection opens and when its tickets arrive, never on a row's way.
final class SessionStore: Sendable {
    private let sessions = Mutex<[String: [ResumableSession]]>([:])

    /// Keeps a session and forgets the oldest beyond the limits.
    func add(_ session: ResumableSession, for name: String) {
        sessions.withLock { sessions in
            if sessions[name] == nil, sessions.count >= Limits.resumableNames {
                sessions.removeAll()
            }
            // A session that may be used again makes the older ones useless.
            if !session.isForOneUse { sessions[name] = nil }
            sessions[name, default: []].append(session)
            if sessions[name, default: []].count > Limits.resumableSessionsPerName {
                sessions[name]?.removeFirst()
            }
        }
    }

    /// Returns the newest session that can still be resumed.
    func take(for name: String) -> ResumableSession? {
        sessions.withLock { sessions in
            while let newest = sessions[name]?.last {
                let isUsable = unsafe SSL_SESSION_is_resumable(newest.handle) == 1
                if newest.isForOneUse || !isUsable { sessions[name]?.removeLast() }
                if isUsable { return newest }
            }
            return nil
        }
    }
}
