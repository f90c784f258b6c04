internal import COpenSSL

/// The owner of one key (EVP_PKEY).
///
/// It never changes after its creation, hence it is safe to share.
@safe
final class Key: @unchecked Sendable {
    let handle: OpaquePointer

    init(takingOwnershipOf handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        unsafe EVP_PKEY_free(handle)
    }

    /// Makes a new private key on P-256.
    static func generate() throws(TLSError) -> Key {
        ErrorQueue.clear()
        guard let handle = unsafe fanfare_generate_P256_key() else {
            throw .libraryFailure(ErrorQueue.drain().text)
        }
        return unsafe Key(takingOwnershipOf: handle)
    }

    /// Makes a new private RSA key, which takes a tenth of a second or two.
    static func generateRSA(bits: Int32) throws(TLSError) -> Key {
        ErrorQueue.clear()
        guard let handle = unsafe fanfare_generate_RSA_key(UInt32(bits)) else {
            throw .libraryFailure(ErrorQueue.drain().text)
        }
        return unsafe Key(takingOwnershipOf: handle)
    }

    /// Reads the first private key of a PEM file, which may hold certificates as well.
    /// - Throws: `TLSError.passphraseNeeded`, `.wrongPassphrase` or `.notAKey`.
    convenience init(pem: Secret, file: String, passphrase: Secret?) throws(TLSError) {
        var request = PassphraseRequest(passphrase: passphrase)
        let handle = try unsafe MemoryBIO.reading(pem) { (bio) throws(TLSError) -> OpaquePointer? in
            ErrorQueue.clear()
            return unsafe withUnsafeMutablePointer(to: &request) {
                unsafe PEM_read_bio_PrivateKey(bio, nil, answerPassphraseRequest, $0)
            }
        }
        guard let handle = unsafe handle else {
            let errors = ErrorQueue.drain()
            if request.wasAsked {
                throw passphrase == nil
                    ? .passphraseNeeded(file: file) : .wrongPassphrase(file: file)
            }
            // OpenSSL's own reason would be that its decoders support no such thing.
            let hasKey = unsafe pem.withBytes { unsafe $0.contains("PRIVATE KEY-----".utf8) }
            throw .notAKey(
                file: file,
                reason: hasKey
                    ? PEMForm.fault(of: pem) ?? errors.text
                    : "there is no 'BEGIN PRIVATE KEY' in it")
        }
        unsafe self.init(takingOwnershipOf: handle)
    }

    /// Reads the first public key of a PEM file.
    convenience init?(publicPEM pem: Secret) throws(TLSError) {
        let handle = try unsafe MemoryBIO.reading(pem) { (bio) throws(TLSError) -> OpaquePointer? in
            ErrorQueue.clear()
            return unsafe PEM_read_bio_PUBKEY(bio, nil, answerPassphraseRequest, nil)
        }
        guard let handle = unsafe handle else {
            ErrorQueue.clear()
            return nil
        }
        unsafe self.init(takingOwnershipOf: handle)
    }

    /// Refuses everything but a key on P-256, which is the only kind that ES256 has.
    ///
    /// RFC 7518 §3.4
    func requireP256(file: String) throws(TLSError) {
        guard unsafe EVP_PKEY_get_base_id(handle) == EVP_PKEY_EC else {
            throw .notAKey(
                file: file, reason: "it is a key of the kind \(kind), but ES256 needs EC P-256")
        }
        var name = [CChar](repeating: 0, count: 80)
        var count = 0
        unsafe EVP_PKEY_get_group_name(handle, &name, name.count, &count)
        let curve = String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard curve == "prime256v1" || curve == "P-256" else {
            throw .notAKey(
                file: file, reason: "it is on the curve \(curve), but ES256 needs EC P-256")
        }
    }

    /// Refuses everything but an RSA key that is long enough for an algorithm: RS256 or PS256.
    ///
    /// RFC 7518 §3.3, §3.5
    func requireRSA(for algorithm: String, file: String) throws(TLSError) {
        guard unsafe EVP_PKEY_get_base_id(handle) == EVP_PKEY_RSA else {
            throw .notAKey(
                file: file, reason: "it is a key of the kind \(kind), but \(algorithm) needs RSA")
        }
        let bits = unsafe EVP_PKEY_get_bits(handle)
        guard bits >= RS256Signer.keyBitsMin else {
            throw .notAKey(
                file: file,
                reason:
                    "it has \(bits) bits, but \(algorithm) needs \(RS256Signer.keyBitsMin) or more")
        }
    }

    /// OpenSSL's name for the kind of the key: `EC`, `RSA`.
    private var kind: String {
        unsafe EVP_PKEY_get0_type_name(handle).map(String.init(cString:)) ?? "unknown"
    }
}

/// Answers OpenSSL's question for a passphrase, and never asks on the terminal.
@safe
struct PassphraseRequest {
    let passphrase: Secret?
    private(set) var wasAsked = false

    mutating func answer(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        wasAsked = true
        guard let passphrase else { return -1 }
        return unsafe passphrase.withBytes { bytes in
            guard bytes.count <= buffer.count else { return -1 }
            unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(bytes))
            return Int32(bytes.count)
        }
    }
}

/// Answers OpenSSL's question for a passphrase; without user data there is none.
func answerPassphraseRequest(
    buffer: UnsafeMutablePointer<CChar>?, size: Int32, isWriting: Int32,
    userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let buffer = unsafe buffer, let userData = unsafe userData else { return -1 }
    return unsafe userData.assumingMemoryBound(to: PassphraseRequest.self).pointee.answer(
        into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)))
}
