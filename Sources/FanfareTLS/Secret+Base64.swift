internal import COpenSSL

extension Secret {
    /// The same in Base64 with padding, as HTTP's Basic authentication has it. RFC 4648 §4
    package var base64: Secret {
        unsafe withBytes { bytes in
            // Four characters for each three bytes begun, and the zero that C puts behind them.
            let text = UnsafeMutableBufferPointer<UInt8>.allocate(
                capacity: (bytes.count + 2) / 3 * 4 + 1)
            defer {
                unsafe OPENSSL_cleanse(text.baseAddress, text.count)
                unsafe text.deallocate()
            }
            let count = unsafe EVP_EncodeBlock(
                text.baseAddress, bytes.baseAddress, Int32(bytes.count))
            return unsafe Secret(UnsafeBufferPointer(rebasing: text[..<Int(count)]))
        }
    }
}
