import FanfareTLS
import Testing

/// Keys as people write them.
@Suite struct SecretDecodingTests {
    private func text(_ secret: Secret?) -> String? {
        secret?.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"),
        ("Zm9vYmE=", "fooba"), ("Zm9vYmFy", "foobar"),
    ])
    func `Base64 is read, with its padding or without`(encoded: String, plain: String) {
        #expect(text(Secret(encoded).base64Decoded) == plain)
        #expect(text(Secret(encoded.filter { $0 != "=" }).base64Decoded) == plain)
        #expect(text(Secret(plain).base64) == encoded)
    }

    @Test(arguments: ["Z", "Zg=", "Zh==", "Zm9v=", "====", "Zm 9", "Zm9-", "Z=g=", "Zg==Zg=="])
    func `what is no Base64 is none`(encoded: String) {
        #expect(text(Secret(encoded).base64Decoded) == nil)
    }

    @Test func `hexadecimal digits are read in either case`() {
        #expect(text(Secret("464f6F").hexadecimalDecoded) == "FOo")
        #expect(text(Secret("").hexadecimalDecoded) == "")
        for wrong in ["4", "4g", "0x41", " 41"] {
            #expect(text(Secret(wrong).hexadecimalDecoded) == nil, "\(wrong)")
        }
    }
}
