internal import COpenSSL
package import FanfareBase
import Glibc

/// One TLS connection as an engine: ciphertext and plaintext in, plaintext and ciphertext out.
///
/// It knows no socket. After `init` of a client, call `handshake` once for its first bytes. Then,
/// for each piece from the network: `feed`, `handshake` until it is complete, `read` until
/// `.needsInput`, and send `outgoing`, which may have grown in every call. Use it from one thread
/// at a time.
///
/// RFC 8446, RFC 5246
@safe
package struct TLSSession: ~Copyable {
    /// The progress of the handshake.
    package enum Progress: Equatable, Sendable {
        case complete, needsInput
    }

    package enum ReadResult: Equatable, Sendable {
        /// The number of bytes that were written; there may be more.
        case bytes(Int)
        /// All ciphertext is used up.
        case needsInput
        /// The peer has said that nothing follows (close_notify). An end of the connection without
        /// it is for the owner to notice.
        case closed
    }

    package enum WriteResult: Equatable, Sendable {
        /// All of the bytes are in `outgoing`.
        case written
        /// None of them is: the peer is in the middle of a message of TLS. Ask again when more has been
        /// read.
        case notNow
    }

    private let ssl: OpaquePointer
    private let wire: Pinned<Wire>
    private let context: TLSContext
    /// The name under which sessions are kept; nil for servers.
    private let resumptionName: String?
    private var isComplete = false
    private var hasFailed = false

    /// Begins a connection to a server.
    /// - Parameters:
    ///   - context: The common parts of the client's connections.
    ///   - serverName: The host name or address that the certificate has to be for. Names are sent to
    ///     the server (SNI), addresses are not. May only be nil without verification.
    /// - Throws: `TLSError.invalidValue` if the name cannot be one.
    ///
    /// RFC 6066 §3, RFC 9525
    package init(context: TLSContext, serverName: String?) throws(TLSError) {
        precondition(!context.isServer, "BUG: a client session with a server's context")
        let ssl = try unsafe Self.makeHandle(context)
        do throws(TLSError) {
            if let serverName {
                try unsafe Self.expect(serverName, of: ssl)
            } else if context.verifiesPeer {
                throw .invalidValue("a name is needed to check the server's certificate against")
            }
        } catch {
            unsafe SSL_free(ssl)
            throw error
        }
        unsafe self.init(takingOwnershipOf: ssl, context: context, resumptionName: serverName ?? "")
        unsafe SSL_set_connect_state(ssl)
        if let session = context.sessionStore.take(for: serverName ?? "") {
            // A session that does not fit any more is not an error: the handshake is a full one then.
            unsafe SSL_set_session(ssl, session.handle)
        }
    }

    /// Begins a connection from a client.
    package init(acceptingWith context: TLSContext) throws(TLSError) {
        precondition(context.isServer, "BUG: a server session with a client's context")
        let ssl = try unsafe Self.makeHandle(context)
        unsafe self.init(takingOwnershipOf: ssl, context: context, resumptionName: nil)
        unsafe SSL_set_accept_state(ssl)
    }

    private init(
        takingOwnershipOf ssl: OpaquePointer, context: TLSContext, resumptionName: String?
    ) {
        unsafe self.ssl = ssl
        self.context = context
        self.resumptionName = resumptionName
        wire = Pinned(Wire())
        unsafe BIO_set_data(SSL_get_rbio(ssl), wire.userData)
        unsafe SSL_set_ex_data(ssl, 0, wire.userData)
    }

    /// Makes an SSL with a BIO of ours in it that has no memory behind it yet.
    private static func makeHandle(_ context: TLSContext) throws(TLSError) -> OpaquePointer {
        ErrorQueue.clear()
        let ssl = unsafe SSL_new(context.handle)
        guard let ssl = unsafe ssl, let bio = unsafe BIO_new(wireMethod.handle) else {
            unsafe SSL_free(ssl)
            throw .libraryFailure(ErrorQueue.drain().text)
        }
        unsafe BIO_set_init(bio, 1)
        // With one BIO for both directions, exactly one reference is handed over.
        unsafe SSL_set_bio(ssl, bio, bio)
        return unsafe ssl
    }

    deinit {
        // OpenSSL forbids resuming a session whose connection it frees before close_notify was sent.
        // A network that broke off is no reason for that; a failed connection is.
        if !hasFailed { unsafe SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN) }
        unsafe SSL_free(ssl)
    }

    // MARK: Bytes in

    /// Lends bytes from the network to the following `handshake` and `read` calls.
    ///
    /// They are read in place, so the memory has to stay as it is until `read` (or, before its end,
    /// `handshake`) has returned `.needsInput` or `.closed` or has thrown.
    package mutating func feed(_ ciphertext: UnsafeRawBufferPointer) {
        wire.withValue { wire in
            unsafe precondition(wire.borrowed.isEmpty, "BUG: feed before the last bytes were read")
            unsafe wire.borrowed = ciphertext
        }
    }

    /// Goes on with the handshake as far as the input allows.
    /// - Throws: The reason why the connection cannot be used; an alert for the peer may be in
    ///   `outgoing`.
    package mutating func handshake() throws(TLSError) -> Progress {
        ErrorQueue.clear()
        let result = unsafe SSL_do_handshake(ssl)
        guard result == 1 else {
            if unsafe SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ { return .needsInput }
            throw failure(result, inHandshake: true)
        }
        if !context.isServer, !speaksRightProtocol {
            throw fail(
                .wrongApplicationProtocol(chosen: negotiatedALPN, needed: context.neededProtocol))
        }
        isComplete = true
        wire.withValue { $0.unasked = 0 }
        storeNewSessions()
        return .complete
    }

    /// Decrypts into `target`, at most one record's worth.
    ///
    /// A target of 16 KiB takes every record whole.
    package mutating func read(
        into target: UnsafeMutableRawBufferPointer
    ) throws(TLSError) -> ReadResult {
        ErrorQueue.clear()
        var count = 0
        let result = unsafe SSL_read_ex(ssl, target.baseAddress, target.count, &count)
        guard wire.withValue({ $0.isUnaskedBounded(afterData: result == 1) }) else {
            throw fail(.tooManyQuestions)
        }
        if result == 1 { return .bytes(count) }
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ:
            storeNewSessions()
            return .needsInput
        case SSL_ERROR_ZERO_RETURN:
            storeNewSessions()
            dropInput()
            return .closed
        default:
            throw failure(result, inHandshake: false)
        }
    }

    // MARK: Bytes out

    /// Encrypts all of the bytes into `outgoing`, or none.
    ///
    /// 16 KiB (2¹⁴ bytes) at a time fill a record. A message of TLS that follows the handshake (a
    /// ticket, new keys) may be cut over records, and between them OpenSSL encrypts nothing.
    ///
    /// RFC 8446 §5.1
    package mutating func write(
        _ plaintext: UnsafeRawBufferPointer
    ) throws(TLSError) -> WriteResult {
        guard unsafe !plaintext.isEmpty else { return .written }
        precondition(isComplete, "BUG: write before the handshake is complete")
        guard canWrite else { return .notNow }
        ErrorQueue.clear()
        var count = 0
        let unasked = wire.withValue { $0.unasked }
        // Our BIO takes everything, so there is no partial write and none to be repeated.
        let result = unsafe SSL_write_ex(ssl, plaintext.baseAddress, plaintext.count, &count)
        wire.withValue { $0.unasked = unasked }
        guard result == 1 else {
            if unsafe SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ { return .notNow }
            throw failure(result, inHandshake: false)
        }
        assert(count == plaintext.count)
        return .written
    }

    /// True if `write` takes bytes; may change with each `read`.
    package var canWrite: Bool { unsafe SSL_is_init_finished(ssl) == 1 }

    /// Ciphertext to be sent.
    ///
    /// It is valid until the next call of a mutating method.
    package var outgoing: UnsafeBufferPointer<UInt8> {
        unsafe wire.withValue { unsafe $0.outgoing.bytes }
    }

    package var hasOutgoing: Bool { wire.withValue { !$0.outgoing.isEmpty } }

    /// Forgets ciphertext that was sent.
    package mutating func discardOutgoing(_ count: Int) {
        wire.withValue { $0.outgoing.removeFirst(count) }
    }

    /// Moves the bytes of `outgoing` into the memory of an empty buffer, which gets the other memory.
    package mutating func exchangeOutgoing(_ buffer: inout ByteBuffer) {
        wire.withValue { $0.outgoing.exchangeMemory(with: &buffer) }
    }

    /// Tells the peer that nothing follows.
    ///
    /// It does nothing during a handshake and after a failure.
    package mutating func closeNotify() {
        guard !hasFailed, unsafe SSL_is_init_finished(ssl) == 1 else { return }
        ErrorQueue.clear()
        unsafe SSL_shutdown(ssl)
        ErrorQueue.clear()
    }

    // MARK: Facts

    /// The application protocol that both have agreed to, if they have talked about it.
    package var negotiatedALPN: String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(ssl, &name, &count)
        guard let name = unsafe name, count > 0 else { return nil }
        return unsafe String(
            decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    /// True if the server can still refuse a client that takes the handshake for complete.
    ///
    /// In TLS 1.3 a server that has asked for a certificate looks at it after the client's last
    /// message, and is silent if it accepts the certificate: its first bytes of data are the proof
    /// that it does.
    ///
    /// RFC 8446 §4.4.2.4
    package var mayStillRefuseCertificate: Bool {
        unsafe SSL_version(ssl) == TLS1_3_VERSION && wire.withValue { $0.wasAskedForCertificate }
    }

    /// True if the handshake could do without certificates because of an earlier connection.
    package var isResumed: Bool { unsafe SSL_session_reused(ssl) == 1 }

    /// The facts about the peer's certificate; nil if it has shown none.
    package var peerCertificate: CertificateFacts? {
        guard let certificate = unsafe SSL_get0_peer_certificate(ssl) else { return nil }
        return unsafe Certificate.facts(borrowing: certificate)
    }

    // MARK: Private

    /// True if the server has chosen a protocol that will do.
    ///
    /// A server without ALPN has not said that it speaks HTTP/2. RFC 9113 §3.2
    private var speaksRightProtocol: Bool {
        guard let allowed = context.allowedProtocols else {
            return negotiatedALPN == context.neededProtocol
        }
        return negotiatedALPN.map(allowed.contains) ?? true
    }

    private static func expect(
        _ serverName: String, of ssl: OpaquePointer
    ) throws(TLSError) {
        let parameters = unsafe SSL_get0_param(ssl)
        let isDone: Bool
        if IPAddress.isOne(serverName) {
            isDone = unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, serverName) == 1
        } else {
            guard IPAddress.isHostName(serverName) else {
                throw .invalidValue("'\(serverName)' is not a host name")
            }
            // "*.example.com" matches one whole label; "w*.example.com" is out of fashion. So is a
            // common name in place of a subject alternative name. RFC 9525 §6.3
            unsafe X509_VERIFY_PARAM_set_hostflags(
                parameters,
                UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
            isDone =
                unsafe X509_VERIFY_PARAM_set1_host(parameters, serverName, serverName.utf8.count)
                == 1
                && fanfare_SSL_set_tlsext_host_name(ssl, serverName) == 1
        }
        guard isDone else { throw .invalidValue("'\(serverName)' is not a host name") }
    }

    private func storeNewSessions() {
        guard let resumptionName else { return }
        let context = self.context
        wire.withValue { wire in
            guard !wire.newSessions.isEmpty else { return }
            for session in wire.newSessions {
                context.sessionStore.add(session, for: resumptionName)
            }
            wire.newSessions.removeAll()
        }
    }

    private func dropInput() {
        wire.withValue { wire in
            unsafe wire.borrowed = UnsafeRawBufferPointer(start: nil, count: 0)
        }
    }

    private mutating func fail(_ error: TLSError) -> TLSError {
        hasFailed = true
        dropInput()
        return error
    }

    /// Returns the reason why a call has failed, from OpenSSL's errors.
    private mutating func failure(_ result: Int32, inHandshake: Bool) -> TLSError {
        let kind = unsafe SSL_get_error(ssl, result)
        let errors = ErrorQueue.drain()
        if kind == SSL_ERROR_ZERO_RETURN && inHandshake { return fail(.closedByPeer) }
        if let alert = errors.receivedAlert {
            let wasAsked = wire.withValue { $0.wasAskedForCertificate }
            let isMissing =
                inHandshake && wasAsked && !context.hasIdentity
                && alert == TLSError.handshakeFailure
            return fail(isMissing ? .certificateMissing(alert: alert) : .alertReceived(alert))
        }
        let verifyResult = unsafe SSL_get_verify_result(ssl)
        if errors.contains(library: ERR_LIB_SSL, reason: SSL_R_CERTIFICATE_VERIFY_FAILED) {
            return fail(VerificationAdvice.error(for: Int32(truncatingIfNeeded: verifyResult)))
        }
        return fail(.protocolFailure(errors.text))
    }
}
