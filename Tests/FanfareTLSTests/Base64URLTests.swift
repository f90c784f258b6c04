import FanfareTLS
import Testing

@Suite struct Base64URLTests {
    /// RFC 4648 §10 without the padding, and RFC 7515 Appendix C for the other alphabet.
    static let vectors: [([UInt8], String)] = [
        (Array("".utf8), ""), (Array("f".utf8), "Zg"), (Array("fo".utf8), "Zm8"),
        (Array("foo".utf8), "Zm9v"), (Array("foob".utf8), "Zm9vYg"),
        (Array("fooba".utf8), "Zm9vYmE"), (Array("foobar".utf8), "Zm9vYmFy"),
        ([3, 236, 255, 224, 193], "A-z_4ME"),
    ]

    @Test(arguments: vectors)
    func `the vectors of the RFCs go both ways`(bytes: [UInt8], text: String) {
        #expect(Base64URL.encode(bytes) == text)
        #expect(Base64URL.decode(text.utf8) == bytes)
    }

    @Test(arguments: ["Zg==", "Z", "Zm9vY", "Zh", "Zm9", "A+z/4ME", "Zm 8", "Zm8\n", "Zmé"])
    func `what encode would not write is refused`(text: String) {
        #expect(Base64URL.decode(text.utf8) == nil)
    }
}
