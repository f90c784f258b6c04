import FanfareBase
import FanfareCore

/// The check of one connection's provider token: its bytes, its validity, and its changes.
///
/// A token is checked once and then recognized by its bytes, so that a request costs a comparison
/// and not a signature.
package struct ProviderTokenGate: ~Copyable {
    /// The judgment of a token that has the right form.
    package enum Verification: Equatable, Sendable {
        /// There is no key to check it with.
        case unchecked
        /// Signed with the key, at this time.
        /// - Unit: seconds since 1970.
        case signed(issuedAt: Int64)
        /// The signature or the content is wrong.
        case wrong
    }

    /// The header value that the connection works with; empty before the first one.
    private var current = ByteBuffer(capacity: 512)
    private var verification = Verification.unchecked
    /// The time of the token's last change; nil as long as the first one is in use.
    private var changedAt: Int64?
    /// An expired token spoils the connection: later tokens on it do not help.
    private var isSpoiled = false

    package init() {}

    /// Judges the value of an `authorization` field.
    /// - Parameters:
    ///   - value: The whole value.
    ///   - unixSeconds: The time of day.
    ///   - verify: Checks a token, without the word `bearer`. Called only if the token is new.
    /// - Returns: The refusal, or nil if the request may go on.
    package mutating func judge(
        _ value: UnsafeBufferPointer<UInt8>, unixSeconds: Int64,
        verify: (UnsafeBufferPointer<UInt8>) -> Verification
    ) -> Refusal? {
        if isSpoiled { return .expiredProviderToken }
        if !current.isEmpty, unsafe value.equals(current.bytes) { return ageVerdict(unixSeconds) }
        guard let token = unsafe Self.token(in: value) else { return .invalidProviderToken }
        let verification = unsafe verify(token)
        if verification == .wrong { return .invalidProviderToken }
        if !current.isEmpty, verification != .unchecked {
            // A client with this answer keeps the older token, and the connection keeps it too.
            if let changedAt, unixSeconds - changedAt < Limits.simulatorTokenUpdateSeconds {
                return .tooManyProviderTokenUpdates
            }
            changedAt = unixSeconds
        }
        self.verification = verification
        current.removeAll()
        unsafe current.append(value)
        return ageVerdict(unixSeconds)
    }

    private mutating func ageVerdict(_ unixSeconds: Int64) -> Refusal? {
        guard case .signed(let issuedAt) = verification else { return nil }
        if unixSeconds - issuedAt > Limits.simulatorTokenAgeSeconds {
            isSpoiled = true
            return .expiredProviderToken
        }
        // From a clock that runs ahead: as far from the truth as an old one, but never stale.
        return issuedAt - unixSeconds > Limits.simulatorTokenAgeSeconds
            ? .invalidProviderToken : nil
    }

    /// The token behind the word `bearer`, if it has three parts of base64url.
    ///
    /// RFC 6750 §2.1, RFC 7515 §7.1
    private static func token(
        in value: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8>? {
        let scheme: StaticString = "bearer "
        guard value.count > scheme.utf8CodeUnitCount else { return nil }
        for index in 0..<scheme.utf8CodeUnitCount
        where unsafe value[index] | 0x20 != scheme.utf8Start[index] {
            return nil
        }
        let token = unsafe value.dropping(first: scheme.utf8CodeUnitCount)
        var dots = 0
        var partLength = 0
        for index in token.indices {
            let byte = unsafe token[index]
            if byte == UInt8(ascii: ".") {
                guard partLength > 0 else { return nil }
                dots += 1
                partLength = 0
            } else {
                guard byte.isBase64URL else { return nil }
                partLength += 1
            }
        }
        return unsafe dots == 2 && partLength > 0 ? token : nil
    }
}
