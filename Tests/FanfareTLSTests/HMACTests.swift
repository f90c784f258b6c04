import FanfareTLS
import Testing

@Suite struct HMACTests {
    /// RFC 4231 §4.2, §4.3, §4.4, §4.7; the last one, of nothing, is Python's.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        ([], [], "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ])
    func `a code is as published`(key: [UInt8], message: [UInt8], code: String) {
        let key = key.withUnsafeBufferPointer { Secret($0) }
        #expect(Self.digits(HMAC.sha256(message, key: key)) == code)
    }

    /// FIPS 180-4, and RFC 3174 §7.3 for the first one.
    @Test(arguments: [
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ])
    func `a digest by SHA-1 is as published`(text: String, digest: String) {
        #expect(Self.digits(SHA1.digest(of: Array(text.utf8))) == digest)
    }

    private static func digits(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
