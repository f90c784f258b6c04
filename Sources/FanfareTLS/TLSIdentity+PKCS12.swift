internal import COpenSSL

extension TLSIdentity {
    /// Reads certificate, key and chain out of PKCS#12.
    ///
    /// Exports of Keychain Access are encrypted with RC2-40, which OpenSSL 3 keeps in its legacy
    /// provider. That is loaded only when it is needed, and only for this.
    init(pkcs12 file: Secret, path: String, passphrase: Secret?) throws(TLSError) {
        ErrorQueue.clear()
        let handle = unsafe file.withBytes { bytes in
            var place = bytes.baseAddress
            return unsafe d2i_PKCS12(nil, &place, bytes.count)
        }
        guard let handle = unsafe handle else {
            throw .notACertificate(
                file: path, reason: "it is not PKCS#12: \(ErrorQueue.drain().text)")
        }
        defer { unsafe PKCS12_free(handle) }
        let phrase = try unsafe Self.verifiedPassphrase(handle, path: path, passphrase: passphrase)
        var (parts, errors) = unsafe Self.parts(of: handle, phrase: phrase)
        if parts == nil, errors.isUnsupportedAlgorithm {
            let legacy = unsafe OSSL_PROVIDER_try_load(nil, "legacy", 1)
            if unsafe legacy != nil {
                (parts, errors) = unsafe Self.parts(of: handle, phrase: phrase)
                unsafe OSSL_PROVIDER_unload(legacy)
            } else {
                ErrorQueue.clear()
            }
        }
        guard let parts else {
            throw errors.isUnsupportedAlgorithm
                ? .unsupportedEncryption(file: path, reason: errors.text)
                : .notACertificate(file: path, reason: errors.text)
        }
        guard let certificate = parts.certificate else {
            throw .notACertificate(file: path, reason: "there is no certificate for its key in it")
        }
        guard let key = parts.key else {
            throw .notAKey(file: path, reason: "the PKCS#12 file was exported without the key")
        }
        self.init(certificate: certificate, key: key, chain: parts.chain)
    }

    /// Returns the passphrase with a zero at its end, after the file's own check (MAC) has accepted
    /// it.
    ///
    /// No passphrase may have been an empty one or none at all, which are different in PKCS#12.
    private static func verifiedPassphrase(
        _ handle: OpaquePointer, path: String, passphrase: Secret?
    ) throws(TLSError) -> Secret? {
        defer { ErrorQueue.clear() }
        guard let passphrase else {
            if unsafe PKCS12_mac_present(handle) == 0 || PKCS12_verify_mac(handle, nil, 0) == 1 {
                return nil
            }
            if unsafe PKCS12_verify_mac(handle, "", 0) == 1 { return Secret.terminated(nil) }
            throw .passphraseNeeded(file: path)
        }
        let text = Secret.terminated(passphrase)
        if unsafe PKCS12_mac_present(handle) == 0 { return text }
        let isRight = unsafe text.withBytes { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) {
                unsafe PKCS12_verify_mac(handle, $0.baseAddress, Int32($0.count - 1)) == 1
            }
        }
        guard isRight else { throw .wrongPassphrase(file: path) }
        return text
    }

    private struct Parts {
        var certificate: Certificate?
        var key: Key?
        var chain: [Certificate] = []
    }

    private static func parts(
        of handle: OpaquePointer, phrase: Secret?
    ) -> (Parts?, ErrorQueue) {
        ErrorQueue.clear()
        var key: OpaquePointer?
        var certificate: OpaquePointer?
        var others: OpaquePointer?
        let result =
            if let phrase {
                unsafe phrase.withBytes { bytes in
                    unsafe bytes.withMemoryRebound(to: CChar.self) {
                        unsafe PKCS12_parse(handle, $0.baseAddress, &key, &certificate, &others)
                    }
                }
            } else {
                unsafe PKCS12_parse(handle, nil, &key, &certificate, &others)
            }
        let errors = ErrorQueue.drain()
        guard result == 1 else { return (nil, errors) }
        var parts = unsafe Parts(
            certificate: certificate.map { unsafe Certificate(takingOwnershipOf: $0) },
            key: key.map { unsafe Key(takingOwnershipOf: $0) })
        if let others = unsafe others {
            for index in unsafe 0..<fanfare_sk_X509_num(others) {
                guard let other = unsafe fanfare_sk_X509_value(others, index) else { continue }
                unsafe X509_up_ref(other)
                unsafe parts.chain.append(Certificate(takingOwnershipOf: other))
            }
            unsafe fanfare_sk_X509_free_all(others)
        }
        return (parts, errors)
    }
}

extension ErrorQueue {
    /// True if a cipher or digest was asked for that no loaded provider has.
    fileprivate var isUnsupportedAlgorithm: Bool {
        contains(library: ERR_LIB_EVP, reason: EVP_R_UNSUPPORTED_ALGORITHM)
            || contains(library: ERR_LIB_EVP, reason: fanfare_ERR_R_UNSUPPORTED())
    }
}

extension Secret {
    /// Returns the secret with the zero at its end that C wants.
    fileprivate static func terminated(_ secret: Secret?) -> Secret {
        let count = secret?.count ?? 0
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count + 1) { copy in
            unsafe copy.initialize(repeating: 0)
            unsafe secret?.withBytes { bytes in
                for index in 0..<count { unsafe copy[index] = bytes[index] }
            }
            defer { unsafe OPENSSL_cleanse(copy.baseAddress, copy.count) }
            return unsafe Secret(UnsafeBufferPointer(copy))
        }
    }
}
