/// 128 bits that stand for a token.
@frozen
package struct TokenDigest: Sendable, Equatable {
    @usableFromInline package var high: UInt64
    @usableFromInline package var low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The place of an empty slot; no token has it.
    static let none = TokenDigest(high: 0, low: 0)

    /// Compares by value, for sets that keep them in order.
    @inline(__always)
    static func isBefore(_ left: TokenDigest, _ right: TokenDigest) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }
}

/// A maker of tokens' digests with a secret key, so that no author of rows can make two that
/// collide.
///
/// SipHash-2-4 with 128 bits. Of `n` tokens two have the same digest with a probability of less than
/// n² ÷ 2¹²⁹: 2⁻⁸² for ten million.
///
/// Aumasson, Bernstein: SipHash: a fast short-input PRF (INDOCRYPT 2012)
package struct TokenHasher: Sendable {
    private let key: (UInt64, UInt64)

    /// Makes a hasher whose digests have no meaning outside of this process.
    package init() {
        var generator = SystemRandomNumberGenerator()
        key = (generator.next(), generator.next())
    }

    package init(key: (UInt64, UInt64)) {
        self.key = key
    }

    /// Returns the digest of a token, if the token can be sent at all.
    ///
    /// APNs reads tokens as hexadecimal digits of either case, so both give one digest. Other texts
    /// are digested as they are.
    /// - Parameters:
    ///   - token: The token as it stands in the row.
    ///   - takesAnything: True if it may be something else than hexadecimal digits.
    ///   - foldsCase: False if the case of hexadecimal digits counts, as it does for all other providers.
    /// - Returns: The digest; nil if the text is no token.
    package func digest(
        token: UnsafeBufferPointer<UInt8>, takesAnything: Bool, foldsCase: Bool = true
    ) -> TokenDigest? {
        if unsafe HeaderRules.problem(token: token) == nil {
            return unsafe digest(token, folding: foldsCase ? 0x2020_2020_2020_2020 : 0)
        }
        return unsafe takesAnything && !token.isEmpty ? digest(token, folding: 0) : nil
    }

    /// Returns the digest of any bytes.
    ///
    /// `folding` has bits that are set in each word before it is taken in: 0x20 in each byte makes
    /// small letters of capital ones, and leaves digits alone.
    package func digest(
        _ bytes: UnsafeBufferPointer<UInt8>, folding: UInt64
    ) -> TokenDigest {
        var state = SipState(key)
        let wholeBytes = bytes.count & ~7
        let start = unsafe UnsafeRawPointer(bytes.baseAddress)
        if let start = unsafe start {
            for offset in stride(from: 0, to: wholeBytes, by: 8) {
                let word = unsafe (start + offset).loadUnaligned(as: UInt64.self)
                state.take(UInt64(littleEndian: word) | folding)
            }
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        for index in wholeBytes..<bytes.count {
            let shift = UInt64(index - wholeBytes) * 8
            last |= unsafe (UInt64(bytes[index]) | folding & 0xFF) << shift
        }
        state.take(last)
        return state.finish()
    }
}

/// SipHash's four words.
private struct SipState {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    init(_ key: (UInt64, UInt64)) {
        v0 = key.0 ^ 0x736F_6D65_7073_6575
        // 0xEE makes it the variant with 128 bits.
        v1 = key.1 ^ 0x646F_7261_6E64_6F6D ^ 0xEE
        v2 = key.0 ^ 0x6C79_6765_6E65_7261
        v3 = key.1 ^ 0x7465_6462_7974_6573
    }

    @inline(__always)
    mutating func take(_ word: UInt64) {
        v3 ^= word
        mix()
        mix()
        v0 ^= word
    }

    mutating func finish() -> TokenDigest {
        v2 ^= 0xEE
        for _ in 0..<4 { mix() }
        let first = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xDD
        for _ in 0..<4 { mix() }
        let second = v0 ^ v1 ^ v2 ^ v3
        // All zeros is the empty slot of a set.
        return TokenDigest(high: first, low: first | second == 0 ? 1 : second)
    }

    @inline(__always)
    private mutating func mix() {
        v0 &+= v1
        v1 = Self.rotate(v1, 13) ^ v0
        v0 = Self.rotate(v0, 32)
        v2 &+= v3
        v3 = Self.rotate(v3, 16) ^ v2
        v0 &+= v3
        v3 = Self.rotate(v3, 21) ^ v0
        v2 &+= v1
        v1 = Self.rotate(v1, 17) ^ v2
        v2 = Self.rotate(v2, 32)
    }

    @inline(__always)
    private static func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 {
        word << count | word >> (64 - count)
    }
}
