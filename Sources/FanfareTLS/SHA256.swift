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

/// A maker of SHA-256 digests for many short texts: what the library needs for one is found once.
///
/// Use it from one thread at a time.
@safe
package final class SHA256Maker {
    private let algorithm: OpaquePointer
    private let context: OpaquePointer

    /// Prepares to make digests.
    package init() {
        guard let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil),
            let context = unsafe EVP_MD_CTX_new()
        else { preconditionFailure("BUG: SHA-256 needs no more than memory") }
        unsafe (self.algorithm, self.context) = unsafe (algorithm, context)
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
        unsafe EVP_MD_free(algorithm)
    }

    /// Writes a digest in small hexadecimal digits.
    /// - Parameters:
    ///   - bytes: The bytes to digest.
    ///   - digits: The place for the 64 digits.
    package func write(
        digestOf bytes: UnsafeBufferPointer<UInt8>, to digits: UnsafeMutableBufferPointer<UInt8>
    ) {
        precondition(digits.count == 64, "BUG: a digest has 64 digits")
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digest in
            let isDone =
                unsafe EVP_DigestInit_ex2(context, algorithm, nil) == 1
                && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
                && EVP_DigestFinal_ex(context, digest.baseAddress, nil) == 1
            precondition(isDone, "BUG: SHA-256 needs no more than memory")
            for index in 0..<32 {
                unsafe digits[2 * index] = Self.digit(digest[index] >> 4)
                unsafe digits[2 * index + 1] = Self.digit(digest[index] & 15)
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value + (value < 10 ? 48 : 87) }
}
