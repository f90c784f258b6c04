internal import COpenSSL

/// A maker of the tokens that stand for a team at APNs.
///
/// RFC 7519, RFC 7518 §3.4
package struct ProviderTokenSigner: Sendable {
    let key: Key
    package let keyID: String
    package let teamID: String

    /// Reads a signing key (`.p8`, which is PEM with PKCS#8).
    /// - Throws: `TLSError.cannotRead`, `.notAKey` if it is not on P-256, `.invalidValue` if an id is
    ///   empty or has characters that no id has.
    package init(keyFile path: String, keyID: String, teamID: String) throws(TLSError) {
        try Self.check(keyID, "the key id")
        try Self.check(teamID, "the team id")
        do throws(TLSError) {
            key = try Key(pem: Secret(wholeFile: path), file: path, passphrase: nil)
        } catch .passphraseNeeded {
            // No file in .p8 form comes encrypted from Apple, and there is no way to give a
            // passphrase for it.
            throw .notAKey(
                file: path,
                reason: "it is encrypted; 'openssl pkcs8 -in FILE' writes it in the clear")
        }
        try key.requireP256(file: path)
        self.keyID = keyID
        self.teamID = teamID
    }

    /// Makes a signed token.
    ///
    /// The same key makes the same token of a second, on each machine.
    /// - Parameter issuedAt: Seconds since 1970; APNs takes a token for an hour from then.
    /// - Returns: Header, claims and signature in base64url, with dots between them.
    /// - Throws: `TLSError.libraryFailure`.
    package func sign(issuedAt: Int64) throws(TLSError) -> String {
        // The ids have no character that JSON would have to escape.
        let header = #"{"alg":"ES256","kid":"\#(keyID)"}"#
        let claims = #"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#
        let input = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8)
        let signature = try ES256.sign(Array(input.utf8), with: key)
        return input + "." + Base64URL.encode(signature)
    }

    /// Refuses a text that could never be an id.
    ///
    /// Ids have ten letters and digits today. A text that could never be one, such as a path or an
    /// empty variable, is refused; one of another length is not.
    private static func check(_ id: String, _ name: String) throws(TLSError) {
        guard !id.isEmpty else { throw .invalidValue("\(name) is empty") }
        let isPlain = id.utf8.allSatisfy { character in
            (0x21...0x7e).contains(character) && character != UInt8(ascii: "\"")
                && character != UInt8(ascii: "\\")
        }
        guard isPlain else {
            throw .invalidValue("\(name) '\(id)' has characters that no id has")
        }
    }
}

/// Signatures of the kind ES256, both in the form of JOSE and in that of ASN.1.
enum ES256 {
    /// The length of R‖S: two numbers of 32 bytes.
    static let signatureBytes = 64

    /// Signs and returns R‖S, the same for the same message and key.
    ///
    /// RFC 6979 §3.2
    static func sign(_ message: [UInt8], with key: Key) throws(TLSError) -> [UInt8] {
        ErrorQueue.clear()
        let digest = SHA256.digest(of: message)
        var reduced = [UInt8](repeating: 0, count: 32)
        var number = [UInt8](repeating: 0, count: 32)
        let isRead =
            unsafe fanfare_P256_reduce(digest, &reduced) == 1
            && fanfare_P256_private_number(key.handle, &number) == 1
        let privateKey = Secret(wiping: &number)
        guard isRead else { throw .libraryFailure(ErrorQueue.drain().text) }
        var nonces = DeterministicNonce(privateKey: privateKey, digest: reduced)
        defer { nonces.wipe() }
        // One in 2^32 candidates is none; more than a few in a row means that something else is wrong.
        for _ in 0..<16 {
            var signature = [UInt8](repeating: 0, count: signatureBytes)
            let result = unsafe nonces.next().withBytes {
                unsafe fanfare_sign_P256(key.handle, digest, $0.baseAddress, &signature)
            }
            if result == 1 { return signature }
            guard result == 0 else { break }
            nonces.refuse()
        }
        throw .libraryFailure(ErrorQueue.drain().text)
    }

    /// Checks a signature, which is R‖S or, as APNs takes it too, DER.
    static func isValid(_ signature: [UInt8], of message: [UInt8], key: Key) -> Bool {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let der = signature.count == signatureBytes ? der(fromJOSE: signature) : signature
        else { return false }
        let digest = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(digest) }
        return unsafe EVP_DigestVerifyInit(digest, nil, EVP_sha256(), nil, key.handle) == 1
            && EVP_DigestVerify(digest, der, der.count, message, message.count) == 1
    }

    private static func der(fromJOSE jose: [UInt8]) -> [UInt8]? {
        guard let signature = unsafe ECDSA_SIG_new() else { return nil }
        defer { unsafe ECDSA_SIG_free(signature) }
        let half = signatureBytes / 2
        let r = unsafe BN_bin2bn(Array(jose[..<half]), Int32(half), nil)
        let s = unsafe BN_bin2bn(Array(jose[half...]), Int32(half), nil)
        guard let r = unsafe r, let s = unsafe s, unsafe ECDSA_SIG_set0(signature, r, s) == 1 else {
            unsafe BN_free(r)
            unsafe BN_free(s)
            return nil
        }
        var der = [UInt8](repeating: 0, count: 80)
        let count = unsafe der.withUnsafeMutableBufferPointer { bytes in
            var place = bytes.baseAddress
            return unsafe i2d_ECDSA_SIG(signature, &place)
        }
        return count > 0 ? Array(der[..<Int(count)]) : nil
    }
}
