import COpenSSL
package import FanfareTLS

/// A peer of our sessions that is OpenSSL itself, without our wrapper, and that can say what OpenSSL
/// would not: whole records of its own making.
package final class RawTLS {
    private let context: OpaquePointer
    private let ssl: OpaquePointer
    /// The arriving bytes and those to be sent; the SSL owns both.
    private let arriving: OpaquePointer
    private let leaving: OpaquePointer
    package let isServer: Bool
    private let folder: TemporaryFolder
    /// The application secrets of TLS 1.3 by their names in the key log.
    fileprivate var secrets: [String: [UInt8]] = [:]
    /// Our own records under the application keys, forged ones included.
    private var sequence: UInt64 = 0

    /// - Parameters:
    ///   - authority: Issues the server's certificate, and is trusted by a client.
    ///   - isServer: The end that it is.
    ///   - version: The only version of TLS.
    ///   - configure: The further settings of the context.
    /// - Throws: If OpenSSL refuses one of these.
    package init(
        _ authority: SelfSignedAuthority, isServer: Bool, version: Int32 = TLS1_3_VERSION,
        configure: (OpaquePointer) -> Void = { _ in }
    ) throws {
        self.isServer = isServer
        folder = try TemporaryFolder()
        let pem = folder.path("server.pem")
        try authority.identity.writePEM(to: pem)
        context = try Self.made(SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()))
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(version), nil)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil)
        // A suite whose keys are derived with SHA-256, for `forge`.
        SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256")
        if isServer {
            try Self.check(SSL_CTX_use_certificate_chain_file(context, pem) == 1)
            try Self.check(SSL_CTX_use_PrivateKey_file(context, pem, SSL_FILETYPE_PEM) == 1)
            SSL_CTX_set_num_tickets(context, 0)
            SSL_CTX_set_alpn_select_cb(context, chooseH2, nil)
        } else {
            SSL_CTX_set_alpn_protos(context, [2, 0x68, 0x32], 3)
        }
        SSL_CTX_set_keylog_callback(context, noteSecret)
        configure(context)
        ssl = try Self.made(SSL_new(context))
        arriving = try Self.made(BIO_new(BIO_s_mem()))
        leaving = try Self.made(BIO_new(BIO_s_mem()))
        SSL_set_bio(ssl, arriving, leaving)
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
        if isServer { SSL_set_accept_state(ssl) } else { SSL_set_connect_state(ssl) }
    }

    deinit {
        SSL_free(ssl)
        SSL_CTX_free(context)
    }

    /// A step that OpenSSL or the test did not do.
    private struct Failure: Error {
        let line: Int
    }

    private static func check(_ isDone: Bool, line: Int = #line) throws {
        guard isDone else { throw Failure(line: line) }
    }

    private static func made<Value>(_ value: Value?, line: Int = #line) throws -> Value {
        guard let value else { throw Failure(line: line) }
        return value
    }

    // MARK: Bytes

    /// Takes bytes from the other end, and what they hold of data.
    @discardableResult package func receive(_ bytes: [UInt8]) -> [UInt8] {
        BIO_write(arriving, bytes, Int32(bytes.count))
        if SSL_is_init_finished(ssl) == 0 { SSL_do_handshake(ssl) }
        var data: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = SSL_read(ssl, &piece, Int32(piece.count))
            guard count > 0 else { return data }
            data += piece[..<Int(count)]
        }
    }

    /// The bytes to be sent.
    package func takeOutgoing() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(leaving))
        let count = BIO_read(leaving, &bytes, Int32(bytes.count))
        return count > 0 ? Array(bytes[..<Int(count)]) : []
    }

    /// Begins the handshake, if that is its part.
    package func begin() { if !isServer { SSL_do_handshake(ssl) } }

    package var isOpen: Bool { SSL_is_init_finished(ssl) == 1 }

    package func write(_ bytes: [UInt8]) throws {
        try Self.check(SSL_write(ssl, bytes, Int32(bytes.count)) == Int32(bytes.count))
        sequence += 1
    }

    /// Asks for new keys; in TLS 1.2 a server asks for a new handshake.
    package func askForNewKeys() throws {
        if SSL_version(ssl) == TLS1_3_VERSION {
            try Self.check(SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) == 1)
        } else {
            try Self.check(SSL_renegotiate(ssl) == 1)
        }
        SSL_do_handshake(ssl)
    }

    /// Hands out a ticket, which may take several records.
    package func sendTicket() throws {
        try Self.check(SSL_new_session_ticket(ssl) == 1)
        SSL_do_handshake(ssl)
    }

    // MARK: Forged records

    /// A record of TLS 1.3 under the current application keys. RFC 8446 §5.2, §7.3
    /// - Parameters:
    ///   - type: The content's type, such as 22 for a handshake's messages.
    ///   - content: Its content.
    /// - Returns: The record's bytes.
    /// - Throws: If the keys are not known yet.
    package func forge(type: UInt8, _ content: [UInt8]) throws -> [UInt8] {
        let name = isServer ? "SERVER_TRAFFIC_SECRET_0" : "CLIENT_TRAFFIC_SECRET_0"
        let secret = try Self.made(secrets[name])
        let key = Self.expand(secret, label: "key", count: 16)
        var nonce = Self.expand(secret, label: "iv", count: 12)
        for index in 0..<8 {
            nonce[4 + index] ^= UInt8(truncatingIfNeeded: sequence >> (56 - 8 * index))
        }
        sequence += 1
        let plain = content + [type]
        let count = plain.count + 16
        let header: [UInt8] = [23, 3, 3, UInt8(count >> 8), UInt8(count & 0xFF)]
        var sealed = [UInt8](repeating: 0, count: count)
        var made: Int32 = 0
        let cipher = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(cipher) }
        EVP_EncryptInit_ex(cipher, EVP_aes_128_gcm(), nil, key, nonce)
        EVP_EncryptUpdate(cipher, nil, &made, header, Int32(header.count))
        EVP_EncryptUpdate(cipher, &sealed, &made, plain, Int32(plain.count))
        var tag = [UInt8](repeating: 0, count: 16)
        EVP_EncryptFinal_ex(cipher, &tag, &made)
        EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, 16, &tag)
        sealed.replaceSubrange(plain.count..., with: tag)
        return header + sealed
    }

    /// HKDF-Expand-Label of one block with an empty context. RFC 8446 §7.1, RFC 5869 §2.3
    private static func expand(_ secret: [UInt8], label: String, count: Int) -> [UInt8] {
        let name = Array(("tls13 " + label).utf8)
        let info = [0, UInt8(count), UInt8(name.count)] + name + [0, 1]
        var block = [UInt8](repeating: 0, count: 32)
        var made: UInt32 = 0
        HMAC(EVP_sha256(), secret, Int32(secret.count), info, info.count, &block, &made)
        return Array(block.prefix(count))
    }
}

/// A line of the key log: name, the client's random number, secret, in hexadecimal.
private func noteSecret(ssl: OpaquePointer?, line: UnsafePointer<CChar>?) {
    guard let line, let data = SSL_get_ex_data(ssl, 0) else { return }
    let parts = String(cString: line).split(separator: " ")
    let digits = Array(parts[2].utf8)
    let bytes = stride(from: 0, to: digits.count, by: 2).map {
        UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16) ?? 0
    }
    Unmanaged<RawTLS>.fromOpaque(data).takeUnretainedValue().secrets[String(parts[0])] = bytes
}

private let h2: StaticString = "h2"

private func chooseH2(
    ssl: OpaquePointer?, chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    count: UnsafeMutablePointer<UInt8>?, offered: UnsafePointer<UInt8>?, offeredCount: UInt32,
    argument: UnsafeMutableRawPointer?
) -> Int32 {
    chosen?.pointee = h2.utf8Start
    count?.pointee = 2
    return SSL_TLSEXT_ERR_OK
}
