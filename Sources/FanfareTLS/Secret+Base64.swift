internal import COpenSSL
import FanfareBase

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

    /// The bytes that a text in Base64 stands for, with its padding or without; nil if it is no
    /// Base64. RFC 4648 §4
    package var base64Decoded: Secret? {
        unsafe withBytes { text in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(text.count)
            var bits: UInt32 = 0
            var bitCount = 0
            let padding = unsafe text.reversed().prefix(2).prefix { $0 == UInt8(ascii: "=") }.count
            // Four characters with their padding; what is left out of it does not count.
            guard padding == 0 || text.count % 4 == 0 else { return nil }
            defer { Secret.wipe(&bytes) }
            for index in 0..<text.count - padding {
                guard let value = unsafe Self.value(ofBase64: text[index]) else { return nil }
                bits = bits << 6 | value
                bitCount += 6
                guard bitCount >= 8 else { continue }
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
                bits &= (1 << UInt32(bitCount)) - 1
            }
            // Six bits left over are a lone character.
            guard bitCount < 6, bits == 0 else { return nil }
            return Secret(bytes)
        }
    }

    /// Returns the rest behind a beginning; nil if the secret begins otherwise.
    package func dropping(_ beginning: String) -> Secret? {
        unsafe withBytes { bytes in
            guard unsafe bytes.starts(with: beginning.utf8) else { return nil }
            let rest = unsafe bytes[beginning.utf8.count...]
            return unsafe Secret(UnsafeBufferPointer(rebasing: rest))
        }
    }

    /// The bytes that a text of hexadecimal digits stands for; nil if it is no such text.
    package var hexadecimalDecoded: Secret? {
        unsafe withBytes { text in
            guard text.count % 2 == 0 else { return nil }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(text.count / 2)
            defer { Secret.wipe(&bytes) }
            for index in 0..<text.count / 2 {
                guard let high = unsafe text[2 * index].hexadecimalValue,
                    let low = unsafe text[2 * index + 1].hexadecimalValue
                else { return nil }
                bytes.append(high << 4 | low)
            }
            return Secret(bytes)
        }
    }

    private static func value(ofBase64 character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
