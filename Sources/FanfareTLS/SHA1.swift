internal import COpenSSL

/// Digests by SHA-1, FIPS 180-4: for names, where it is prescribed, and not for security.
package enum SHA1 {
    /// Returns the digest of some bytes.
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 20)
        let isDone = unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha1(), nil)
        precondition(isDone == 1, "BUG: SHA-1 needs no more than memory")
        return digest
    }
}
