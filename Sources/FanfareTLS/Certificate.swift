internal import COpenSSL
import Glibc

/// The facts about a certificate that we need.
package struct CertificateFacts: Equatable, Sendable {
    /// The service that a certificate of Apple's may be used with.
    package enum Environment: Equatable, Sendable { case development, production }

    /// The subject's distinguished name.
    ///
    /// RFC 4514
    package var subject: String
    /// The subject's user id, which is the default topic of a push certificate.
    package var subjectUID: String?
    /// The topics that Apple's extensions allow; empty for every other certificate.
    package var topics: [String]
    package var environments: [Environment]
    /// - Unit: seconds since 1970.
    package var notAfter: Int64
}

/// The owner of one certificate (X509).
///
/// It never changes after its creation, hence it is safe to share.
@safe
final class Certificate: @unchecked Sendable {
    let handle: OpaquePointer

    init(takingOwnershipOf handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        unsafe X509_free(handle)
    }

    /// Reads all certificates of a PEM text, in their order, and skips everything else.
    /// - Throws: `TLSError.notACertificate` if there is none or one cannot be read.
    static func all(pem: Secret, file: String) throws(TLSError) -> [Certificate] {
        var certificates: [Certificate] = []
        try unsafe MemoryBIO.reading(pem) { (bio) throws(TLSError) in
            ErrorQueue.clear()
            while let handle = unsafe PEM_read_bio_X509(bio, nil, answerPassphraseRequest, nil) {
                unsafe certificates.append(Certificate(takingOwnershipOf: handle))
            }
        }
        // At the end of the text there is always this one: nothing more begins.
        let errors = ErrorQueue.drain()
        guard errors.contains(library: ERR_LIB_PEM, reason: PEM_R_NO_START_LINE) else {
            throw .notACertificate(file: file, reason: PEMForm.fault(of: pem) ?? errors.text)
        }
        guard !certificates.isEmpty else {
            throw .notACertificate(
                file: file,
                reason: PEMForm.fault(of: pem) ?? "there is no 'BEGIN CERTIFICATE' in it")
        }
        return certificates
    }

    /// Reads one certificate in DER, the form that Apple delivers as `.cer`.
    convenience init?(der: Secret) {
        ErrorQueue.clear()
        let handle = unsafe der.withBytes { bytes in
            var place = bytes.baseAddress
            return unsafe d2i_X509(nil, &place, bytes.count)
        }
        guard let handle = unsafe handle else {
            ErrorQueue.clear()
            return nil
        }
        unsafe self.init(takingOwnershipOf: handle)
    }

    func belongs(to key: Key) -> Bool {
        defer { ErrorQueue.clear() }
        return unsafe X509_check_private_key(handle, key.handle) == 1
    }

    func facts() -> CertificateFacts {
        unsafe Certificate.facts(borrowing: handle)
    }

    static func facts(borrowing handle: OpaquePointer) -> CertificateFacts {
        let name = unsafe X509_get_subject_name(handle)
        let subject = try? unsafe MemoryBIO.text { unsafe fanfare_X509_NAME_print($0, name) >= 0 }
        var broken = unsafe tm()
        unsafe ASN1_TIME_to_tm(X509_get0_notAfter(handle), &broken)
        return unsafe CertificateFacts(
            subject: subject ?? "", subjectUID: userID(of: name),
            topics: AppleExtensions.topics(borrowing: handle),
            environments: AppleExtensions.environments(borrowing: handle),
            notAfter: Int64(timegm(&broken)))
    }

    private static func userID(of name: OpaquePointer?) -> String? {
        let index = unsafe X509_NAME_get_index_by_NID(name, NID_userId, -1)
        guard index >= 0, let entry = unsafe X509_NAME_get_entry(name, index) else { return nil }
        var text: UnsafeMutablePointer<UInt8>?
        let count = unsafe ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
        guard count >= 0, let text = unsafe text else { return nil }
        defer { unsafe CRYPTO_free(text, #file, #line) }
        return unsafe String(
            decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
    }
}
