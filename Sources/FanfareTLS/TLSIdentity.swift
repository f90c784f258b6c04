internal import COpenSSL
import Glibc

/// A certificate with its private key, and the certificates between it and a root.
package struct TLSIdentity: Sendable {
    let certificate: Certificate
    let key: Key
    let chain: [Certificate]

    /// The facts about the certificate.
    package let facts: CertificateFacts

    package var topics: [String] { facts.topics }
    package var subjectUID: String? { facts.subjectUID }
    package var environments: [CertificateFacts.Environment] { facts.environments }
    package var notAfter: Int64 { facts.notAfter }
    package var subject: String { facts.subject }

    init(certificate: Certificate, key: Key, chain: [Certificate]) {
        self.certificate = certificate
        self.key = key
        self.chain = chain
        facts = certificate.facts()
    }

    /// Loads an identity and decides by the content whether it is PEM, PKCS#12 or, with a key file, a
    /// single certificate in DER.
    /// - Parameters:
    ///   - path: The file with the certificate.
    ///   - keyFile: A PEM file with the private key; nil if the first file holds it.
    ///   - passphrase: The passphrase of the files that are encrypted.
    /// - Returns: The certificate that belongs to the key, with the other ones as its chain.
    /// - Throws: One of the errors about files.
    package static func load(
        path: String, keyFile: String?, passphrase: Secret?
    ) throws(TLSError) -> TLSIdentity {
        let file = try Secret(wholeFile: path)
        if file.holdsPEM {
            return try TLSIdentity(pem: file, path: path, keyFile: keyFile, passphrase: passphrase)
        }
        guard unsafe file.withBytes({ unsafe $0.first == 0x30 }) else {
            throw .notACertificate(file: path, reason: "it is neither PEM nor PKCS#12")
        }
        guard let keyFile else {
            return try TLSIdentity(pkcs12: file, path: path, passphrase: passphrase)
        }
        guard let certificate = Certificate(der: file) else {
            throw .notACertificate(
                file: path, reason: "beside a key file it has to be a certificate in PEM or DER")
        }
        let key = try Key(
            pem: Secret(wholeFile: keyFile), file: keyFile, passphrase: passphrase)
        guard certificate.belongs(to: key) else { throw .keyDoesNotMatch(file: path) }
        return TLSIdentity(certificate: certificate, key: key, chain: [])
    }

    /// Loads a PEM file with a certificate, its chain in any order, and perhaps the key.
    package init(
        certificateFile: String, keyFile: String?, passphrase: Secret?
    ) throws(TLSError) {
        try self.init(
            pem: Secret(wholeFile: certificateFile), path: certificateFile, keyFile: keyFile,
            passphrase: passphrase)
    }

    /// Loads a PKCS#12 file, also one with the algorithms of the nineties that Keychain Access writes.
    package init(pkcs12File: String, passphrase: Secret?) throws(TLSError) {
        try self.init(
            pkcs12: Secret(wholeFile: pkcs12File), path: pkcs12File, passphrase: passphrase)
    }

    private init(
        pem: Secret, path: String, keyFile: String?, passphrase: Secret?
    ) throws(TLSError) {
        var certificates = try Certificate.all(pem: pem, file: path)
        let keySource = if let keyFile { try Secret(wholeFile: keyFile) } else { pem }
        let key = try Key(pem: keySource, file: keyFile ?? path, passphrase: passphrase)
        guard let own = certificates.firstIndex(where: { $0.belongs(to: key) }) else {
            throw .keyDoesNotMatch(file: path)
        }
        self.init(certificate: certificates.remove(at: own), key: key, chain: certificates)
    }

    /// Writes certificate, chain and key, unencrypted, into a PEM file that only its owner may read.
    /// - Throws: `TLSError.cannotWrite`.
    package func writePEM(to path: String) throws(TLSError) {
        let pem = try unsafe MemoryBIO.writing { bio in
            for certificate in [certificate] + chain
            where unsafe PEM_write_bio_X509(bio, certificate.handle) != 1 { return false }
            return unsafe PEM_write_bio_PKCS8PrivateKey(bio, key.handle, nil, nil, 0, nil, nil) == 1
        }
        try pem.write(to: path, mode: 0o600)
    }
}

extension Secret {
    /// True if there is PEM armor in the bytes; other text may stand before it.
    var holdsPEM: Bool {
        unsafe withBytes { unsafe $0.contains("-----BEGIN ".utf8) }
    }

    /// Replaces a file's content, or makes the file with these permissions.
    func write(to path: String, mode: mode_t) throws(TLSError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .cannotWrite(file: path, reason: systemErrorText()) }
        defer { close(descriptor) }
        try unsafe withBytes { (bytes) throws(TLSError) in
            var done = 0
            while done < bytes.count {
                let rest = unsafe UnsafeBufferPointer(rebasing: bytes[done...])
                let result = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
                if result < 0 && errno == EINTR { continue }
                guard result > 0 else {
                    throw .cannotWrite(file: path, reason: systemErrorText())
                }
                done += result
            }
        }
    }
}
