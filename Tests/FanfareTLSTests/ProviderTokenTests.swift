import FanfareTLS
import FanfareTestSupport
import Foundation
import Testing

@Suite struct ProviderTokenTests {
    /// The key of RFC 7515 Appendix A.3 as PKCS#8.
    static let rfcKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff
        H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp
        7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt
        -----END PRIVATE KEY-----

        """
    static let rfcPublicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
        6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
        -----END PUBLIC KEY-----

        """
    static let rfcToken =
        "eyJhbGciOiJFUzI1NiJ9."
        + "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
        + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
        + "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSA"
        + "pmWQxfKTUJqPP3-Kg6NU1Q"

    let folder: TemporaryFolder
    let keyFile: String
    let publicKeyFile: String

    init() throws {
        folder = try TemporaryFolder()
        keyFile = try folder.write(Self.rfcKey, to: "AuthKey.p8")
        publicKeyFile = try folder.write(Self.rfcPublicKey, to: "public.pem")
    }

    @Test func `the RFC's signature is right and it lacks only a key id`() throws {
        let verifier = try ProviderTokenVerifier(keyFile: publicKeyFile)
        #expect(verifier.verify(Self.rfcToken) == .failure(.missingKeyID))
    }

    @Test func `a changed character makes the RFC's signature wrong`() throws {
        let verifier = try ProviderTokenVerifier(keyFile: publicKeyFile)
        let changed = Self.rfcToken.replacing("DtEhU3", with: "DtEhU4")
        #expect(verifier.verify(changed) == .failure(.wrongSignature))
        let otherClaims = Self.rfcToken.replacing("MDA4MTkzODAs", with: "MDA4MTkzODEs")
        #expect(verifier.verify(otherClaims) == .failure(.wrongSignature))
    }

    @Test func `a signed token has the documented parts and verifies`() throws {
        let signer = try ProviderTokenSigner(
            keyFile: keyFile, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        let token = try signer.sign(issuedAt: 1_437_179_036)
        let parts = token.split(separator: ".")
        #expect(parts.count == 3)
        let header = try #require(Base64URL.decode(parts[0].utf8))
        #expect(String(decoding: header, as: UTF8.self) == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
        let claims = try #require(Base64URL.decode(parts[1].utf8))
        #expect(
            String(decoding: claims, as: UTF8.self) == #"{"iss":"DEF123GHIJ","iat":1437179036}"#)
        #expect(Base64URL.decode(parts[2].utf8)?.count == 64)

        for verifier in [
            ProviderTokenVerifier(signer: signer),
            try ProviderTokenVerifier(keyFile: keyFile),
            try ProviderTokenVerifier(keyFile: publicKeyFile),
        ] {
            let claims = try verifier.verify(token).get()
            #expect(claims.keyID == "ABC123DEFG")
            #expect(claims.teamID == "DEF123GHIJ")
            #expect(claims.issuedAt == 1_437_179_036)
        }
    }

    @Test func `many signatures all have 64 bytes`() throws {
        // One in 128 has a number with a leading zero byte, which R‖S has to keep.
        let signer = try ProviderTokenSigner(keyFile: keyFile, keyID: "K", teamID: "T")
        let verifier = ProviderTokenVerifier(signer: signer)
        for second in 0..<500 {
            let token = try signer.sign(issuedAt: Int64(second))
            #expect(Base64URL.decode(token.split(separator: ".")[2].utf8)?.count == 64)
            #expect((try? verifier.verify(token).get().issuedAt) == Int64(second))
        }
    }

    @Test(.enabled(if: OpenSSLCommand.exists))
    func `a signature in DER is accepted as APNs accepts it`() throws {
        let header = Base64URL.encode(#"{"alg":"ES256","kid":"ABC123DEFG"}"#.utf8)
        let claims = Base64URL.encode(#"{"iss":"DEF123GHIJ","iat":1}"#.utf8)
        try folder.write(header + "." + claims, to: "input")
        try folder.openssl(
            "dgst", "-sha256", "-sign", "AuthKey.p8", "-out", "signature", "input")
        let signature = Base64URL.encode(
            try Data(contentsOf: URL(filePath: folder.path("signature"))))
        let verifier = try ProviderTokenVerifier(keyFile: publicKeyFile)
        let result = verifier.verify(header + "." + claims + "." + signature)
        #expect((try? result.get().teamID) == "DEF123GHIJ")
    }

    @Test(arguments: [
        ("", ProviderTokenFault.malformed), ("a.b", .malformed), ("a.b.c.d", .malformed),
        ("e30.e30.", .wrongAlgorithm), ("e30.W10.AAAA", .malformed),
        // {"alg":"none"}
        ("eyJhbGciOiJub25lIn0.e30.", .wrongAlgorithm),
        // {"alg":"ES256"} with an empty and a senseless signature
        ("eyJhbGciOiJFUzI1NiJ9.e30.", .wrongSignature),
        ("eyJhbGciOiJFUzI1NiJ9.e30.AAAA", .wrongSignature),
        // {"alg":"ES256","alg":"ES256"}
        ("eyJhbGciOiJFUzI1NiIsImFsZyI6IkVTMjU2In0.e30.", .malformed),
    ])
    func `what is not a token of ours is refused`(token: String, fault: ProviderTokenFault) throws {
        let verifier = try ProviderTokenVerifier(keyFile: publicKeyFile)
        #expect(verifier.verify(token) == .failure(fault))
    }

    @Test(arguments: ["", "A B", "A\"", "A\\", "A\n", "Ä"])
    func `ids that would break the token are refused`(id: String) {
        #expect(throws: TLSError.self) {
            try ProviderTokenSigner(keyFile: keyFile, keyID: id, teamID: "T")
        }
        #expect(throws: TLSError.self) {
            try ProviderTokenSigner(keyFile: keyFile, keyID: "K", teamID: id)
        }
    }

    @Test(
        .enabled(if: OpenSSLCommand.exists),
        arguments: [
            (
                ["EC", "ec_paramgen_curve:P-384"],
                "it is on the curve secp384r1, but ES256 needs EC P-256"
            ),
            (
                ["RSA", "rsa_keygen_bits:2048"],
                "it is a key of the kind RSA, but ES256 needs EC P-256"
            ),
        ])
    func `a key of another kind is named`(kind: [String], reason: String) throws {
        try folder.openssl(
            "genpkey", "-algorithm", kind[0], "-pkeyopt", kind[1], "-out", "other.p8")
        let path = folder.path("other.p8")
        #expect(throws: TLSError.notAKey(file: path, reason: reason)) {
            try ProviderTokenSigner(keyFile: path, keyID: "K", teamID: "T")
        }
    }

    @Test(.enabled(if: OpenSSLCommand.exists))
    func `an encrypted key says how it is decrypted`() throws {
        let folder = try TemporaryFolder()
        try folder.openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "key.pem")
        try folder.openssl(
            "pkcs8", "-topk8", "-in", "key.pem", "-out", "key.p8", "-passout", "pass:x")
        let error = #expect(throws: TLSError.self) {
            try ProviderTokenSigner(keyFile: folder.path("key.p8"), keyID: "K", teamID: "T")
        }
        #expect(error?.description.contains("it is encrypted; 'openssl pkcs8") == true)
        // No setting of ours gives a passphrase for it.
        #expect(error?.remark == nil)
    }

    @Test func `files that hold no private key are named`() throws {
        let text = try folder.write("hello", to: "text")
        let reason = "there is no 'BEGIN PRIVATE KEY' in it"
        for path in [text, publicKeyFile, try folder.write("", to: "empty")] {
            #expect(throws: TLSError.notAKey(file: path, reason: reason)) {
                try ProviderTokenSigner(keyFile: path, keyID: "K", teamID: "T")
            }
        }
        let folderPath = folder.url.path
        #expect(throws: TLSError.cannotRead(file: folderPath, reason: "is a directory")) {
            try ProviderTokenSigner(keyFile: folderPath, keyID: "K", teamID: "T")
        }
    }
}
