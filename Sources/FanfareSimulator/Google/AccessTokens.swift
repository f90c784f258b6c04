import FanfareBase
import FanfareTLS

/// Makes access tokens and knows them again.
///
/// All that is known about a token stands in it, under a digest with a secret: so threads need not share
/// a list of them, and a list cannot grow.
package struct AccessTokens: Sendable {
    /// The rights of a token.
    package struct Grant: Equatable, Sendable {
        /// The time of its expiry, in milliseconds since 1970.
        package var expiresAt: UInt64
        /// True if its scope includes messages.
        package var mayMessage: Bool
        /// Makes tokens differ that were made at the same time.
        package var number: UInt64

        package init(expiresAt: UInt64, mayMessage: Bool = true, number: UInt64 = 0) {
            self.expiresAt = expiresAt
            self.mayMessage = mayMessage
            self.number = number
        }
    }

    private static let prefix = "ya29.c."
    private static let characters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private let secret: UInt64

    /// - Parameter seed: The run's seed, which the secret is made from.
    package init(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        secret = generator.next()
    }

    /// Makes a token, the same for the same grant.
    /// - Parameter grant: The token's rights.
    /// - Returns: Letters, digits and `.`, `-`, `_`; as many as in real tokens.
    package func token(for grant: Grant) -> String {
        var buffer = ByteBuffer(capacity: Limits.simulatorAccessTokenBytes)
        buffer.append(Self.prefix)
        buffer.appendHexadecimal(grant.expiresAt, digits: Self.timeDigits)
        buffer.appendHexadecimal(grant.number, digits: Self.numberDigits)
        buffer.append(grant.mayMessage ? "m" : "n")
        // No lock, only a mark: it tells tokens of the simulator from those of others.
        var sealed = ByteBuffer()
        sealed.append(decimal: secret)
        unsafe sealed.append(buffer.bytes)
        unsafe SHA256.appendBeginning(16, of: sealed.bytes, into: &buffer)
        var filler = SplitMix64(seed: secret ^ grant.expiresAt ^ grant.number << 48)
        while buffer.count < Limits.simulatorAccessTokenBytes {
            buffer.append(Self.characters[Int(filler.next() >> 58)])
        }
        return unsafe String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// Returns the rights of a token.
    /// - Parameter token: The token.
    /// - Returns: Its grant; nil if this type has not made it.
    package func grant(of token: UnsafeBufferPointer<UInt8>) -> Grant? {
        let start = Self.prefix.utf8.count
        let flag = start + Self.timeDigits + Self.numberDigits
        guard token.count == Limits.simulatorAccessTokenBytes,
            let expiresAt = unsafe Self.number(token[start..<start + Self.timeDigits]),
            let number = unsafe Self.number(token[start + Self.timeDigits..<flag])
        else { return nil }
        let grant = unsafe Grant(
            expiresAt: expiresAt, mayMessage: token[flag] == UInt8(ascii: "m"), number: number)
        var again = self.token(for: grant)
        return again.withUTF8 { unsafe $0.equals(token) } ? grant : nil
    }

    private static let timeDigits = 12
    private static let numberDigits = 12

    private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
        UInt64(unsafe String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
