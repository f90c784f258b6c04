internal import COpenSSL

/// Digests by MD5, RFC 1321: where a service prescribes them, and not for what has to be safe.
package enum MD5 {
    /// The digest of some bytes.
    /// - Parameter bytes: The bytes to digest.
    /// - Returns: 16 bytes; `nil` where OpenSSL was told to do without MD5, as FIPS 140 wants it.
    package static func digest(of bytes: [UInt8]) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 16)
        let isDone = unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_md5(), nil)
        return isDone == 1 ? digest : nil
    }
}
