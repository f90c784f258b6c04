internal import COpenSSL

/// A signer in the way of Google's services: RSASSA-PKCS1-v1_5 with SHA-256.
///
/// The same message has the same signature each time. One takes about a millisecond.
///
/// RFC 7518 §3.3, RFC 8017 §8.2
package struct RS256Signer: Sendable {
    /// The shortest key that RS256 may be used with.
    static let keyBitsMin: Int32 = 2048

    private let signer: JOSESigner

    var key: Key { signer.key }

    private init(signer: JOSESigner) {
        self.signer = signer
    }

    /// Takes a private key in PEM: PKCS#8, or the older PKCS#1.
    /// - Parameters:
    ///   - pem: The key's text; it is not kept.
    ///   - file: The file that it is from, for messages.
    /// - Throws: `TLSError.notAKey` if it is none, is encrypted, is no RSA key, or is too short.
    package init(pem: Secret, file: String) throws(TLSError) {
        signer = try JOSESigner(.rs256, pem: pem, file: file)
    }

    /// Makes a key of its own, as long as those of service accounts are.
    /// - Returns: A signer with the key.
    /// - Throws: `TLSError.libraryFailure`.
    package static func generate() throws(TLSError) -> RS256Signer {
        RS256Signer(signer: JOSESigner(.rs256, key: try .generateRSA(bits: keyBitsMin)))
    }

    /// Returns the private key, unencrypted, in PEM and PKCS#8.
    /// - Returns: The text of the key.
    /// - Throws: `TLSError.libraryFailure`.
    package func privatePEM() throws(TLSError) -> Secret {
        try unsafe MemoryBIO.writing { bio in
            unsafe PEM_write_bio_PKCS8PrivateKey(bio, key.handle, nil, nil, 0, nil, nil) == 1
        }
    }

    /// Signs a text.
    /// - Parameter message: The text to sign, as UTF-8.
    /// - Returns: The signature, of as many bytes as the key has.
    /// - Throws: `TLSError.libraryFailure`.
    package func sign(_ message: String) throws(TLSError) -> [UInt8] {
        try signer.sign(Array(message.utf8))
    }
}

/// A verifier of signatures by RS256, as the other side has it.
///
/// RFC 8017 §8.2.2
package struct RS256Verifier: Sendable {
    private let key: Key

    /// Makes a verifier of the signatures of a signer in this process.
    /// - Parameter signer: The signer; only the public half of its key is used.
    package init(signer: RS256Signer) {
        key = signer.key
    }

    /// True if a signature is that of a text.
    /// - Parameters:
    ///   - signature: As many bytes as the key has.
    ///   - message: The text that was signed.
    /// - Returns: True if the key has signed it.
    package func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        let digest = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(digest) }
        return unsafe EVP_DigestVerifyInit(digest, nil, EVP_sha256(), nil, key.handle) == 1
            && EVP_DigestVerify(digest, signature, signature.count, message, message.count) == 1
    }
}
