internal import COpenSSL

/// A maker of certificates with keys on P-256, signed with SHA-256.
///
/// RFC 5280 §4.1
enum CertificateBuilder {
    /// The authority that signs.
    struct Issuer: Sendable {
        let certificate: Certificate
        let key: Key

        /// Makes a key and a certificate for a holder that is not an authority.
        func issue(
            commonName: String, userID: String?, validity: ClosedRange<Int64>,
            extensions: [(Int32, String)]
        ) throws(TLSError) -> TLSIdentity {
            let key = try Key.generate()
            let common: [(Int32, String)] = [
                (NID_basic_constraints, "critical,CA:FALSE"),
                (NID_key_usage, "critical,digitalSignature"),
                (NID_subject_key_identifier, "hash"),
                (NID_authority_key_identifier, "keyid:always"),
            ]
            let certificate = try build(
                Request(
                    commonName: commonName, userID: userID, key: key, validity: validity,
                    extensions: common + extensions),
                issuer: self)
            return TLSIdentity(certificate: certificate, key: key, chain: [])
        }
    }

    struct Request {
        var commonName: String
        var userID: String?
        var key: Key
        /// Seconds since 1970.
        var validity: ClosedRange<Int64>
        /// Object (NID) and value in the words of x509v3_config(5).
        var extensions: [(Int32, String)]
    }

    /// Makes a certificate; without issuer it signs itself.
    static func build(_ request: Request, issuer: Issuer?) throws(TLSError) -> Certificate {
        ErrorQueue.clear()
        guard let handle = unsafe X509_new() else { throw .libraryFailure(ErrorQueue.drain().text) }
        let certificate = unsafe Certificate(takingOwnershipOf: handle)
        let subject = unsafe X509_get_subject_name(handle)
        let signer = unsafe issuer?.certificate.handle ?? handle
        let isDone =
            // The version field counts from zero, so this is version 3.
            unsafe X509_set_version(handle, 2) == 1
            && setSerial(of: handle)
            && ASN1_TIME_set(X509_getm_notBefore(handle), Int(request.validity.lowerBound)) != nil
            && ASN1_TIME_set(X509_getm_notAfter(handle), Int(request.validity.upperBound)) != nil
            && append(request.commonName, NID_commonName, to: subject)
            && (request.userID.map { unsafe append($0, NID_userId, to: subject) } ?? true)
            && X509_set_issuer_name(handle, X509_get_subject_name(signer)) == 1
            && X509_set_pubkey(handle, request.key.handle) == 1
            && request.extensions.allSatisfy { unsafe add($0.0, $0.1, to: handle, issuer: signer) }
            && X509_sign(handle, (issuer?.key ?? request.key).handle, EVP_sha256()) > 0
        guard isDone else { throw .libraryFailure(ErrorQueue.drain().text) }
        return certificate
    }

    /// Sets the serial number: 127 random bits, positive and never met again.
    private static func setSerial(of handle: OpaquePointer) -> Bool {
        guard let number = unsafe BN_new() else { return false }
        defer { unsafe BN_free(number) }
        return unsafe BN_rand(number, 127, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1
            && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(handle)) != nil
    }

    private static func append(_ text: String, _ object: Int32, to name: OpaquePointer?) -> Bool {
        let bytes = Array(text.utf8)
        return unsafe X509_NAME_add_entry_by_NID(
            name, object, fanfare_MBSTRING_UTF8(), bytes, Int32(bytes.count), -1, 0) == 1
    }

    private static func add(
        _ object: Int32, _ value: String, to handle: OpaquePointer, issuer: OpaquePointer
    ) -> Bool {
        var context = unsafe X509V3_CTX()
        unsafe fanfare_X509V3_set_ctx(&context, issuer, handle)
        guard let made = unsafe X509V3_EXT_conf_nid(nil, &context, object, value) else {
            return false
        }
        defer { unsafe X509_EXTENSION_free(made) }
        return unsafe X509_add_ext(handle, made, -1) == 1
    }
}
