import FanfareBase
import FanfareTLS
import Testing

@Suite struct MD5Tests {
    /// RFC 1321, appendix A.5.
    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"), ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ])
    func `a digest is as published`(text: String, digest: String) throws {
        var digits = ByteBuffer()
        for byte in try #require(MD5.digest(of: Array(text.utf8))) {
            digits.appendHexadecimal(UInt64(byte), digits: 2)
        }
        #expect(String(decoding: digits.bytes, as: UTF8.self) == digest)
    }
}
