import COpenSSL

@testable import FanfareTLS

/// OpenSSL's own server, which cuts its messages small and says what the input wants it to say.
final class FuzzedServer {
    /// The state of a server for all inputs.
    private struct Shared: @unchecked Sendable {
        let context: OpaquePointer
    }

    private let ssl: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer

    /// - Parameters:
    ///   - isTLS12: True if the newest version is left out.
    ///   - fragmentBytes: The most that it puts into a record; 512 to 16,384.
    init(isTLS12: Bool, fragmentBytes: Int) {
        ssl = SSL_new(Self.shared.context)
        incoming = BIO_new(BIO_s_mem())
        outgoing = BIO_new(BIO_s_mem())
        SSL_set_bio(ssl, incoming, outgoing)
        SSL_set_accept_state(ssl)
        SSL_ctrl(ssl, SSL_CTRL_SET_MAX_SEND_FRAGMENT, fragmentBytes, nil)
        if isTLS12 {
            SSL_ctrl(ssl, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        }
    }

    deinit { SSL_free(ssl) }

    private static let shared: Shared = {
        guard let authority = try? SelfSignedAuthority(),
            let context = SSL_CTX_new(TLS_server_method())
        else { fatalError("no server for the fuzzer") }
        SSL_CTX_use_certificate(context, authority.identity.certificate.handle)
        SSL_CTX_use_PrivateKey(context, authority.identity.key.handle)
        SSL_CTX_set_alpn_select_cb(
            context,
            { _, chosen, count, offered, _, _ in
                // The first one that is offered.
                chosen?.pointee = offered.map { $0 + 1 }
                count?.pointee = offered?.pointee ?? 0
                return SSL_TLSEXT_ERR_OK
            }, nil)
        // Tickets that are longer than the smallest record.
        SSL_CTX_set_session_ticket_cb(
            context,
            { ssl, _ in
                let data = [UInt8](repeating: 7, count: 1500)
                return SSL_SESSION_set1_ticket_appdata(SSL_get_session(ssl), data, data.count)
            },
            { _, _, _, _, _, _ in SSL_TICKET_RETURN(2) }, nil)
        return Shared(context: context)
    }()

    /// Takes bytes of the client, and answers as far as the handshake goes.
    /// - Returns: True if it is complete.
    @discardableResult
    func receive(_ bytes: [UInt8]) -> Bool {
        BIO_write(incoming, bytes, Int32(bytes.count))
        ERR_clear_error()
        guard SSL_do_handshake(ssl) == 1 else { return false }
        var data = [UInt8](repeating: 0, count: 16_384)
        while SSL_read(ssl, &data, Int32(data.count)) > 0 {}
        return true
    }

    /// - Returns: True if it could; not in the middle of a message, nor behind its good-bye.
    func say(_ data: [UInt8]) -> Bool {
        ERR_clear_error()
        return SSL_write(ssl, data, Int32(data.count)) == data.count
    }

    /// New keys, and whether the client is asked for its own, too. RFC 8446 §4.6.3
    func changeKeys(asks: Bool) {
        ERR_clear_error()
        SSL_key_update(ssl, asks ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED)
        SSL_do_handshake(ssl)
    }

    /// A ticket. RFC 8446 §4.6.1
    func giveTicket() {
        ERR_clear_error()
        SSL_new_session_ticket(ssl)
        SSL_do_handshake(ssl)
    }

    func leave() {
        ERR_clear_error()
        SSL_shutdown(ssl)
    }

    /// The bytes that it has to send.
    func takeOutgoing() -> [UInt8] {
        var all: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4096)
        while case let count = BIO_read(outgoing, &bytes, 4096), count > 0 {
            all += bytes[..<Int(count)]
        }
        return all
    }
}
