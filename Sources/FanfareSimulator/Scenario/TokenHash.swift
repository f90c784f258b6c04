import FanfareBase
import FanfareCore

/// A hash of device tokens that never changes, so that tests can foretell a token's outcome.
package enum TokenHash {
    /// FNV-1a over the token's characters in lower case.
    ///
    /// http://www.isthe.com/chongo/tech/comp/fnv/
    package static func value(of token: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in token.indices {
            let byte = unsafe token[index]
            // Only letters have an effect: the digits carry this bit already.
            hash = (hash ^ UInt64(byte | 0x20)) &* 0x100_0000_01B3
        }
        return hash
    }

    /// Returns the token's place between 0 (included) and 1 (excluded).
    ///
    /// The hash seeds one step of SplitMix64, of which the upper 53 bits count: FNV alone spreads
    /// tokens that differ in their last characters too little.
    package static func place(of token: UnsafeBufferPointer<UInt8>) -> Double {
        var generator = unsafe SplitMix64(seed: value(of: token))
        return Double(generator.next() >> 11) * 0x1p-53
    }

    /// The same for a token in text.
    package static func place(of token: String) -> Double {
        var token = token
        return token.withUTF8 { unsafe place(of: $0) }
    }
}
