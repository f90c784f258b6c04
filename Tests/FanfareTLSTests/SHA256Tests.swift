import FanfareBase
import FanfareTLS
import Testing

@Suite struct SHA256Tests {
    /// The first is the digest of nothing, the others are examples of FIPS 180-4.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `the beginning of a digest is as published`(text: String, digest: String) {
        for count in [0, 1, 16, 32] {
            var buffer = ByteBuffer()
            Array(text.utf8).withUnsafeBufferPointer {
                SHA256.appendBeginning(count, of: $0, into: &buffer)
            }
            #expect(String(decoding: buffer.bytes, as: UTF8.self) == digest.prefix(2 * count))
        }
        var digits = ByteBuffer()
        for byte in SHA256.digest(of: Array(text.utf8)) {
            digits.appendHexadecimal(UInt64(byte), digits: 2)
        }
        #expect(String(decoding: digits.bytes, as: UTF8.self) == digest)
        // Made one after the other they are the same.
        let maker = SHA256Maker()
        var made = [UInt8](repeating: 0, count: 64)
        for other in ["x", text, text] {
            Array(other.utf8).withUnsafeBufferPointer { bytes in
                made.withUnsafeMutableBufferPointer { maker.write(digestOf: bytes, to: $0) }
            }
        }
        #expect(String(decoding: made, as: UTF8.self) == digest)
    }
}
