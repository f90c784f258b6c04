internal import COpenSSL
package import FanfareBase

/// Digests by SHA-256, FIPS 180-4.
package enum SHA256 {
    private static let digestBytes = 32

    /// Returns the digest of some bytes.
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: digestBytes)
        let isDone = unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        precondition(isDone == 1, "BUG: SHA-256 needs no more than memory")
        return digest
    }

    /// Appends the beginning of a digest in hexadecimal digits.
    /// - Parameters:
    ///   - byteCount: The bytes of the digest to show, at most 32.
    ///   - bytes: The bytes to digest.
    ///   - buffer: The buffer that gets the digits, two for each byte.
    package static func appendBeginning(
        _ byteCount: Int, of bytes: UnsafeBufferPointer<UInt8>, into buffer: inout ByteBuffer
    ) {
        precondition(byteCount <= digestBytes, "BUG: a digest has \(digestBytes) bytes")
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: digestBytes) { digest in
            let isDone = unsafe EVP_Digest(
                bytes.baseAddress, bytes.count, digest.baseAddress, nil, EVP_sha256(), nil)
            precondition(isDone == 1, "BUG: SHA-256 needs no more than memory")
            for index in 0..<byteCount {
                unsafe buffer.appendHexadecimal(UInt64(digest[index]), digits: 2)
            }
        }
    }
}
