internal import COpenSSL

/// A signer of tokens in one of the ways that JSON Web Tokens have.
///
/// RFC 7518 §3.1
package struct JOSESigner: Sendable {
    package enum Algorithm: Sendable {
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        case rs256
        /// RSASSA-PSS with SHA-256.
        case ps256
        /// ECDSA on P-256 with SHA-256.
        case es256
    }

    private let algorithm: Algorithm
    let key: Key

    init(_ algorithm: Algorithm, key: Key) {
        self.algorithm = algorithm
        self.key = key
    }

    /// Takes a private key in PEM.
    /// - Parameters:
    ///   - algorithm: The algorithm of the signatures.
    ///   - pem: The key's text; it is not kept.
    ///   - file: The file that it is from, for messages.
    /// - Throws: `TLSError.notAKey` if it is none, is encrypted, or is of another kind.
    package init(_ algorithm: Algorithm, pem: Secret, file: String) throws(TLSError) {
        self.algorithm = algorithm
        do throws(TLSError) {
            key = try Key(pem: pem, file: file, passphrase: nil)
        } catch .passphraseNeeded {
            throw .notAKey(file: file, reason: "it is encrypted, and there is no passphrase for it")
        }
        switch algorithm {
        case .rs256: try key.requireRSA(for: "RS256", file: file)
        case .ps256: try key.requireRSA(for: "PS256", file: file)
        case .es256: try key.requireP256(file: file)
        }
    }

    /// Makes a token.
    /// - Parameters:
    ///   - header: An object of JSON.
    ///   - claims: An object of JSON.
    /// - Returns: Both and their signature in base64url, with dots between them.
    /// - Throws: `TLSError.libraryFailure`.
    package func token(header: [UInt8], claims: [UInt8]) throws(TLSError) -> String {
        let input = Base64URL.encode(header) + "." + Base64URL.encode(claims)
        return input + "." + Base64URL.encode(try sign(Array(input.utf8)))
    }

    func sign(_ message: [UInt8]) throws(TLSError) -> [UInt8] {
        guard algorithm != .es256 else { return try ES256.sign(message, with: key) }
        ErrorQueue.clear()
        let digest = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(digest) }
        var context: OpaquePointer?
        var signature = unsafe [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(key.handle)))
        var count = signature.count
        guard unsafe EVP_DigestSignInit(digest, &context, EVP_sha256(), nil, key.handle) == 1,
            unsafe setPadding(context),
            unsafe EVP_DigestSign(digest, &signature, &count, message, message.count) == 1
        else { throw .libraryFailure(ErrorQueue.drain().text) }
        return Array(signature[..<count])
    }

    /// Sets the padding of RSA keys, which sign with PKCS#1 v1.5 by default.
    private func setPadding(_ context: OpaquePointer?) -> Bool {
        guard algorithm == .ps256 else { return true }
        // The salt is as long as the digest. RFC 7518 §3.5
        return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
    }
}
