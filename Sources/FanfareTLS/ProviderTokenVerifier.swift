internal import COpenSSL

/// The claims of a provider token.
package struct ProviderTokenClaims: Equatable, Sendable {
    package var keyID: String
    package var teamID: String
    /// - Unit: seconds since 1970.
    package var issuedAt: Int64
}

/// The reason why a provider token is not accepted.
package enum ProviderTokenFault: Error, Equatable, Sendable {
    /// Not three parts of base64url with JSON objects in the first two.
    case malformed
    /// `alg` is not ES256.
    case wrongAlgorithm
    case wrongSignature
    case missingKeyID
    case missingIssuer
    /// `iat` is absent or not a whole number.
    case missingIssuedAt
}

/// A verifier of provider tokens, as the other side has it.
///
/// One check takes some 50 µs, so a server that sees the same token again and
/// again should remember it.
package struct ProviderTokenVerifier: Sendable {
    private let key: Key

    /// Takes a PEM file with the public key, or with the private key that it can be had from.
    /// - Throws: `TLSError.cannotRead` or `.notAKey`.
    package init(keyFile path: String) throws(TLSError) {
        let pem = try Secret(wholeFile: path)
        if let publicKey = try Key(publicPEM: pem) {
            key = publicKey
        } else {
            key = try Key(pem: pem, file: path, passphrase: nil)
        }
        try key.requireP256(file: path)
    }

    /// Makes a verifier of the tokens of a signer in this process.
    package init(signer: ProviderTokenSigner) {
        key = signer.key
    }

    /// Checks a token; its age is for the caller to judge.
    package func verify(
        _ token: UnsafeBufferPointer<UInt8>
    ) -> Result<ProviderTokenClaims, ProviderTokenFault> {
        do throws(ProviderTokenFault) {
            return unsafe .success(try claims(of: token))
        } catch {
            return .failure(error)
        }
    }

    package func verify(_ token: String) -> Result<ProviderTokenClaims, ProviderTokenFault> {
        var token = token
        return token.withUTF8 { unsafe verify($0) }
    }

    private func claims(
        of token: UnsafeBufferPointer<UInt8>
    ) throws(ProviderTokenFault) -> ProviderTokenClaims {
        let parts = unsafe token.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard unsafe parts.count == 3,
            let headerBytes = unsafe Base64URL.decode(parts[0]),
            let claimBytes = unsafe Base64URL.decode(parts[1]),
            let signature = unsafe Base64URL.decode(parts[2]),
            let header = FlatJSON(headerBytes), let claims = FlatJSON(claimBytes)
        else { throw .malformed }
        guard header.strings["alg"] == "ES256" else { throw .wrongAlgorithm }
        let signed = unsafe Array(token[..<parts[1].endIndex])
        guard ES256.isValid(signature, of: signed, key: key) else { throw .wrongSignature }
        guard let keyID = header.strings["kid"], !keyID.isEmpty else { throw .missingKeyID }
        guard let teamID = claims.strings["iss"], !teamID.isEmpty else { throw .missingIssuer }
        guard let issuedAt = claims.integers["iat"] else { throw .missingIssuedAt }
        return ProviderTokenClaims(keyID: keyID, teamID: teamID, issuedAt: issuedAt)
    }
}
