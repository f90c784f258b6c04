internal import COpenSSL

/// The common parts of all TLS connections of one kind: roots, identity, versions, sessions to
/// resume.
///
/// One context serves all lanes. OpenSSL's SSL_CTX counts references and locks the parts that
/// connections change in it, and we change nothing after `init`: hence it is safe to share.
@safe
package final class TLSContext: @unchecked Sendable {
    let handle: OpaquePointer
    let isServer: Bool
    let verifiesPeer: Bool
    /// True if there is a certificate to show.
    let hasIdentity: Bool
    /// The application protocol that the connection has to speak.
    let neededProtocol: String
    /// The protocols that it may speak, or none at all; `nil` if it has to speak the one that is
    /// needed.
    let allowedProtocols: [String]?
    let sessionStore = SessionStore()

    private let systemRoots: SystemRoots?
    /// The server's protocol in wire form; the callback that selects it reads it here.
    private let alpnWire: UnsafeMutableBufferPointer<UInt8>

    /// Makes a context for connections to servers.
    /// - Throws: `TLSError.cannotRead` or `.notACertificate` about the roots.
    package init(client configuration: ClientTLSConfiguration) throws(TLSError) {
        guard let needed = configuration.alpn.first else {
            throw .invalidValue("no application protocol is given")
        }
        unsafe alpnWire = try Self.wireForm(configuration.alpn)
        neededProtocol = needed
        allowedProtocols = configuration.takesAnyProtocol ? configuration.alpn : nil
        isServer = false
        verifiesPeer = configuration.verification == .full
        hasIdentity = configuration.identity != nil
        unsafe handle = try Self.makeHandle(
            TLS_client_method(), maximum: configuration.maximumVersion)

        unsafe SSL_CTX_set_verify(handle, verifiesPeer ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
        systemRoots = verifiesPeer ? SystemRoots(file: configuration.systemRootsFile) : nil
        unsafe systemRoots?.attach(to: handle)
        if let file = configuration.caFile {
            try trust(Certificate.all(pem: Secret(wholeFile: file), file: file))
        }
        if let pem = configuration.caPEM {
            try trust(Certificate.all(pem: Secret(text: pem), file: "the given roots"))
        }
        if let identity = configuration.identity { try use(identity) }
        // This function, alone in OpenSSL, returns 0 for success.
        guard
            unsafe SSL_CTX_set_alpn_protos(handle, alpnWire.baseAddress, UInt32(alpnWire.count))
                == 0
        else { throw .libraryFailure(ErrorQueue.drain().text) }
        unsafe fanfare_SSL_CTX_set_session_cache_mode(
            handle, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL))
        unsafe SSL_CTX_sess_set_new_cb(handle, keepNewSession)
        unsafe SSL_CTX_set_cert_cb(handle, noteCertificateRequest, nil)
    }

    /// Makes a context for connections from clients.
    /// - Throws: `TLSError.notACertificate` about the clients' roots.
    package init(server configuration: ServerTLSConfiguration) throws(TLSError) {
        unsafe alpnWire = try Self.wireForm([configuration.alpn])
        neededProtocol = configuration.alpn
        allowedProtocols = nil
        isServer = true
        hasIdentity = true
        systemRoots = nil
        verifiesPeer = configuration.clientCertificates != .ignored
        unsafe handle = try Self.makeHandle(
            TLS_server_method(), maximum: configuration.maximumVersion)

        try use(configuration.identity)
        setClientCertificates(configuration)
        if let pem = configuration.clientRootsPEM {
            try trust(Certificate.all(pem: Secret(text: pem), file: "the clients' roots"))
        }
        unsafe SSL_CTX_set_alpn_select_cb(handle, selectProtocol, alpnWire.baseAddress)
        // Sessions travel in the tickets, so the server need not remember any.
        unsafe fanfare_SSL_CTX_set_session_cache_mode(handle, Int(SSL_SESS_CACHE_OFF))
        // Without it, resuming is an error as soon as client certificates are asked for.
        unsafe SSL_CTX_set_session_id_context(handle, alpnWire.baseAddress, UInt32(alpnWire.count))
    }

    deinit {
        unsafe SSL_CTX_free(handle)
        unsafe alpnWire.deallocate()
    }

    private static func makeHandle(
        _ method: OpaquePointer?, maximum: TLSVersion
    ) throws(TLSError) -> OpaquePointer {
        ErrorQueue.clear()
        guard let handle = unsafe SSL_CTX_new(method) else {
            throw .libraryFailure(ErrorQueue.drain().text)
        }
        unsafe fanfare_SSL_CTX_set_min_proto_version(handle, TLS1_2_VERSION)
        unsafe fanfare_SSL_CTX_set_max_proto_version(
            handle, maximum == .tls12 ? TLS1_2_VERSION : TLS1_3_VERSION)
        // Of TLS 1.2 what RFC 9113 §9.2.2 leaves: keys of the moment, and authenticated encryption.
        guard unsafe SSL_CTX_set_cipher_list(handle, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1 else {
            unsafe SSL_CTX_free(handle)
            throw .libraryFailure(ErrorQueue.drain().text)
        }
        unsafe fanfare_SSL_CTX_forbid_renegotiation_and_compression(handle)
        // Connections take turns with the memory of their records, so that it stays in the cache.
        unsafe fanfare_SSL_CTX_set_buffer_modes(handle)
        return unsafe handle
    }

    /// Returns the protocols, each name behind its length.
    ///
    /// RFC 7301 §3.1
    private static func wireForm(
        _ protocols: [String]
    ) throws(TLSError) -> UnsafeMutableBufferPointer<UInt8> {
        var wire: [UInt8] = []
        for name in protocols {
            guard (1...255).contains(name.utf8.count) else {
                throw .invalidValue("'\(name)' is not an application protocol")
            }
            wire.append(UInt8(name.utf8.count))
            wire += name.utf8
        }
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: wire.count)
        _ = unsafe memory.initialize(fromContentsOf: wire)
        return unsafe memory
    }

    private func setClientCertificates(_ configuration: ServerTLSConfiguration) {
        let mode =
            switch configuration.clientCertificates {
            case .ignored: SSL_VERIFY_NONE
            case .requested: SSL_VERIFY_PEER
            case .required: SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
            }
        unsafe SSL_CTX_set_verify(
            handle, mode, configuration.clientRootsPEM == nil ? acceptAnyCertificate : nil)
    }

    private func trust(_ roots: [Certificate]) throws(TLSError) {
        let store = unsafe SSL_CTX_get_cert_store(handle)
        for root in roots where unsafe X509_STORE_add_cert(store, root.handle) != 1 {
            throw .libraryFailure(ErrorQueue.drain().text)
        }
    }

    private func use(_ identity: TLSIdentity) throws(TLSError) {
        var isDone =
            unsafe SSL_CTX_use_certificate(handle, identity.certificate.handle) == 1
            && SSL_CTX_use_PrivateKey(handle, identity.key.handle) == 1
        for certificate in identity.chain where isDone {
            isDone = unsafe fanfare_SSL_CTX_add1_chain_cert(handle, certificate.handle) == 1
        }
        // Most often a key that is too short for this system's security level.
        guard isDone else {
            throw .notACertificate(file: identity.subject, reason: ErrorQueue.drain().text)
        }
    }
}

extension Secret {
    /// Takes text that is not secret through the same readers.
    init(text: String) {
        var text = text
        self = text.withUTF8 { unsafe Secret($0) }
    }
}
