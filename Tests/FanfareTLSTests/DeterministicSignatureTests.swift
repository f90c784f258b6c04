import COpenSSL
import FanfareTestSupport
import Testing

@testable import FanfareTLS

/// The vectors of RFC 6979 A.2.5: P-256 with SHA-256.
@Suite struct DeterministicSignatureTests {
    /// The key x = C9AFA9D8… of A.2.5 as PKCS#8.
    private static let pem = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgya+p2EW6dRZrXCFX
        Z7HWk05Qw9s26JsSe4piKxIPZyGhRANCAARg/tS6JVqdMclh63TGNW1owEm4kjth
        +mzmaWIuYPKftnkD/hAIuLyZpBrp6VYovGTy8bIMLX6fUXejwpTURiKZ
        -----END PRIVATE KEY-----

        """

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            .uppercased()
    }

    @Test(arguments: [
        (
            "sample", "A6E3C57DD01ABE90086538398355DD4C3B17AA873382B0F24D6129493D8AAD60",
            "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
            "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
        ),
        (
            "test", "D16B6AE827F17175E040871A1C7EC3500192C4C92677336EC2537ACAEE0008E0",
            "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367",
            "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083"
        ),
    ])
    func `the nonce and the signature are those of the RFC`(
        message: String, nonce: String, r: String, s: String
    ) throws {
        let key = try Key(pem: Secret(Self.pem), file: "key.pem", passphrase: nil)
        let bytes = Array(message.utf8)
        let signature = try ES256.sign(bytes, with: key)
        #expect(hex(signature) == r + s)
        #expect(ES256.isValid(signature, of: bytes, key: key))

        var number: [UInt8] = [
            0xC9, 0xAF, 0xA9, 0xD8, 0x45, 0xBA, 0x75, 0x16, 0x6B, 0x5C, 0x21, 0x57, 0x67, 0xB1,
            0xD6, 0x93, 0x4E, 0x50, 0xC3, 0xDB, 0x36, 0xE8, 0x9B, 0x12, 0x7B, 0x8A, 0x62, 0x2B,
            0x12, 0x0F, 0x67, 0x21,
        ]
        var nonces = DeterministicNonce(
            privateKey: Secret(wiping: &number), digest: SHA256.digest(of: bytes))
        #expect(unsafe nonces.next().withBytes { unsafe hex(Array($0)) } == nonce)
        // Another candidate is another number.
        nonces.refuse()
        #expect(unsafe nonces.next().withBytes { unsafe hex(Array($0)) } != nonce)
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0
        }
    }

    /// The order of P-256 (SEC 2 §2.4.2).
    private static let order = "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551"

    /// Expected: Python's `x % n`.
    @Test(arguments: [
        (
            "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632550",
            "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632550"
        ),
        (order, String(repeating: "0", count: 64)),
        (
            "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632552",
            String(repeating: "0", count: 63) + "1"
        ),
        (
            String(repeating: "F", count: 64),
            "00000000FFFFFFFF00000000000000004319055258E8617B0C46353D039CDAAE"
        ),
        (String(repeating: "0", count: 64), String(repeating: "0", count: 64)),
    ])
    func `a digest is reduced at the bounds of the order`(digest: String, reduced: String) {
        var result = [UInt8](repeating: 0xAA, count: 32)
        #expect(unsafe fanfare_P256_reduce(Self.bytes(digest), &result) == 1)
        #expect(hex(result) == reduced)
    }

    /// RFC 6979 §3.2 h: a number that is not from 1 to n - 1 makes way for the next candidate.
    @Test(
        arguments: [
            (String(repeating: "0", count: 64), 0), (order, 0),
            (String(repeating: "F", count: 64), 0), (String(repeating: "0", count: 63) + "1", 1),
            ("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632550", 1),
        ] as [(String, Int32)])
    func `a nonce outside of the order signs nothing`(nonce: String, result: Int32) throws {
        let key = try Key(pem: Secret(Self.pem), file: "key.pem", passphrase: nil)
        let message = Array("sample".utf8)
        var signature = [UInt8](repeating: 0, count: ES256.signatureBytes)
        let digest = SHA256.digest(of: message)
        #expect(
            unsafe fanfare_sign_P256(key.handle, digest, Self.bytes(nonce), &signature) == result)
        #expect(ES256.isValid(signature, of: message, key: key) == (result == 1))
    }
}
