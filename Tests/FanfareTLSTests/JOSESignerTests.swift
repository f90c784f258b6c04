import FanfareTestSupport
import Testing

@testable import FanfareTLS

@Suite struct JOSESignerTests {
    private static let header = Array(#"{"alg":"RS256","typ":"JWT"}"#.utf8)
    private static let claims = Array(#"{"iss":"me","iat":1700000000}"#.utf8)

    private func parts(_ token: String) throws -> (input: String, signature: [UInt8]) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        try #require(parts.count == 3)
        #expect(Base64URL.decode(parts[0].utf8) == Self.header)
        #expect(Base64URL.decode(parts[1].utf8) == Self.claims)
        return ("\(parts[0]).\(parts[1])", try #require(Base64URL.decode(parts[2].utf8)))
    }

    @Test func `RS256 is the same signature as that of service accounts`() throws {
        let pem = Secret(RFC7515.rsaKey)
        let signer = try JOSESigner(.rs256, pem: pem, file: "key.pem")
        let (input, signature) = try parts(signer.token(header: Self.header, claims: Self.claims))
        #expect(try RS256Signer(pem: pem, file: "key.pem").sign(input) == signature)
    }

    @Test(.enabled(if: OpenSSLCommand.exists))
    func `openssl takes a signature by PS256`() throws {
        let folder = try TemporaryFolder()
        let signer = try JOSESigner(.ps256, pem: Secret(RFC7515.rsaKey), file: "key.pem")
        let (input, signature) = try parts(signer.token(header: Self.header, claims: Self.claims))
        try folder.write(RFC7515.rsaPublicKey, to: "public.pem")
        try folder.write(input, to: "message")
        try folder.write(signature, to: "signature")
        let check = [
            "dgst", "-sha256", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:32",
            "-verify", "public.pem", "-signature", "signature", "message",
        ]
        try folder.openssl(check)
        try folder.write(input + " ", to: "message")
        #expect(throws: OpenSSLCommand.Failed.self) { try folder.openssl(check) }
    }

    @Test(.enabled(if: OpenSSLCommand.exists))
    func `a signature by ES256 is that of its key`() throws {
        let folder = try TemporaryFolder()
        try folder.openssl(
            "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "key.pem")
        let pem = Secret(try folder.read("key.pem"))
        let key = try Key(pem: pem, file: "key.pem", passphrase: nil)
        let signer = try JOSESigner(.es256, pem: pem, file: "key.p8")
        let (input, signature) = try parts(signer.token(header: Self.header, claims: Self.claims))
        #expect(signature.count == 64)
        #expect(ES256.isValid(signature, of: Array(input.utf8), key: key))
        #expect(!ES256.isValid(signature, of: Array(input.utf8) + [0x20], key: key))
    }

    @Test func `a key of another kind is refused with the algorithm's name`() throws {
        #expect(throws: TLSError.self) {
            try JOSESigner(.es256, pem: Secret(RFC7515.rsaKey), file: "key.pem")
        }
        #expect(
            throws: TLSError.notAKey(file: "f", reason: "there is no 'BEGIN PRIVATE KEY' in it")
        ) {
            try JOSESigner(.ps256, pem: Secret("none"), file: "f")
        }
    }
}
