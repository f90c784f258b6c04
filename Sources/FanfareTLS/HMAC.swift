internal import COpenSSL

/// Codes that prove that the holder of a key has sent a message.
///
/// RFC 2104
package enum HMAC {
    /// Returns the code by SHA-256.
    /// - Parameters:
    ///   - message: The bytes to sign.
    ///   - key: The key, of any length.
    /// - Returns: 32 bytes.
    package static func sha256(_ message: [UInt8], key: Secret) -> [UInt8] {
        unsafe key.withBytes { key in
            var code = [UInt8](repeating: 0, count: 32)
            var count: UInt32 = 0
            // Of a key without bytes it wants to know the address nevertheless.
            let none: [UInt8] = [0]
            let isDone = unsafe none.withUnsafeBufferPointer { none in
                unsafe fanfare_HMAC_SHA256(
                    key.baseAddress ?? none.baseAddress, key.count, message, message.count, &code,
                    &count)
            }
            precondition(isDone == 1 && count == 32, "BUG: HMAC needs no more than memory")
            return code
        }
    }
}
