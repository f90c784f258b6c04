import Testing

@testable import FanfareCore

@Suite struct TokenHasherTests {
    private static let hasher = TokenHasher(key: (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908))

    /// The bytes of a digest as SipHash's authors write them.
    private func text(_ bytes: [UInt8]) -> String {
        let digest = unsafe bytes.withUnsafeBufferPointer {
            unsafe Self.hasher.digest($0, folding: 0)
        }
        var text = ""
        for word in [digest.high, digest.low] {
            for shift: UInt64 in stride(from: 0, to: 64, by: 8) {
                let byte = String(word >> shift & 0xFF, radix: 16, uppercase: true)
                text += byte.count == 1 ? "0" + byte : byte
            }
        }
        return text
    }

    private func digest(_ token: String, takesAnything: Bool = false) -> TokenDigest? {
        var token = token
        return token.withUTF8 { Self.hasher.digest(token: $0, takesAnything: takesAnything) }
    }

    /// OpenSSL's results for the bytes 0, 1, 2 and so on.
    ///
    /// `openssl mac -macopt hexkey:000102…0f -macopt size:16 -in FILE SipHash`
    @Test(arguments: [
        (0, "A3817F04BA25A8E66DF67214C7550293"), (1, "DA87C1D86B99AF44347659119B22FC45"),
        (2, "8177228DA4A45DC7FCA38BDEF60AFFE4"), (7, "A1F1EBBED8DBC153C0B84AA61FF08239"),
        (8, "3B62A9BA6258F5610F83E264F31497B4"), (63, "5150D1772F50834A503E069A973FBD7C"),
        (64, "1EAF077DC0D4CD3F8CAD4D383658A74B"),
    ])
    func `digests are those of SipHash`(count: Int, expected: String) {
        #expect(text((0..<count).map { UInt8($0) }) == expected)
    }

    @Test(arguments: [2, 6, 8, 10, 64, 160])
    func `capital and small letters make no difference`(count: Int) {
        let token = String(String(repeating: "09afb7", count: 40).prefix(count))
        #expect(digest(token) != nil)
        #expect(digest(token) == digest(token.uppercased()))
        #expect(digest(token) != digest("1" + token.dropFirst()))
        #expect(digest(token) != digest(token + "00"))
    }

    @Test func `capital letters count where asked to`() {
        func digest(_ token: String) -> TokenDigest? {
            var token = token
            return token.withUTF8 {
                Self.hasher.digest(token: $0, takesAnything: true, foldsCase: false)
            }
        }
        #expect(digest("abcdef") != digest("ABCDEF"))
        #expect(digest("abcdef") == self.digest("ABCDEF"))
    }

    @Test func `what is no token has no digest, unless anything is a token`() {
        // With bit 5 set, a byte of 0x10 would be the digit 0.
        for text in ["", "f", "xyz", "\u{10}123456789"] { #expect(digest(text) == nil) }
        #expect(digest("", takesAnything: true) == nil)
        #expect(digest("xyz", takesAnything: true) != nil)
        #expect(digest("xyz", takesAnything: true) != digest("XYZ", takesAnything: true))
        #expect(digest("ab", takesAnything: true) == digest("AB"))
    }
}
