import FanfareBase

/// The access token of a connection's requests to FCM, which belongs to the request and may change with each.
///
/// The newest one is known by its bytes, so that a request costs a comparison.
package struct AccessTokenGate: ~Copyable {
    /// The judgment of an `authorization` field.
    private enum Verdict {
        case granted(AccessTokens.Grant)
        /// A bearer that is none of ours, or no bearer.
        case foreign
    }

    private var current = ByteBuffer(capacity: 64)
    private var verdict = Verdict.foreign

    package init() {}

    /// Judges the value of an `authorization` field.
    /// - Parameters:
    ///   - value: The whole value; has no address if the field did not come.
    ///   - unixMilliseconds: The time of day.
    ///   - tokens: The maker of the tokens.
    ///   - isAnonymous: True to serve clients without a credential, or with one of others.
    /// - Returns: The grant, which an anonymous client does not need.
    /// - Throws: The service's refusal.
    package mutating func judge(
        _ value: UnsafeBufferPointer<UInt8>, unixMilliseconds: UInt64, tokens: AccessTokens,
        isAnonymous: Bool
    ) throws(FCMRefusal) -> AccessTokens.Grant? {
        guard unsafe value.baseAddress != nil else {
            if isAnonymous { return nil }
            throw .credentialsMissing
        }
        if unsafe current.isEmpty || !value.equals(current.bytes) {
            verdict = unsafe Self.verdict(value, tokens)
            current.removeAll()
            unsafe current.append(value)
        }
        guard case .granted(let grant) = verdict else {
            if isAnonymous { return nil }
            throw .credentialsInvalid
        }
        guard unixMilliseconds < grant.expiresAt else { throw .accessTokenExpired }
        guard grant.mayMessage else { throw .scopeInsufficient }
        return grant
    }

    /// Looks a token up behind the word `bearer`. RFC 6750 §2.1
    private static func verdict(
        _ value: UnsafeBufferPointer<UInt8>, _ tokens: AccessTokens
    ) -> Verdict {
        let scheme = "bearer "
        guard value.count > scheme.utf8.count,
            unsafe String(decoding: value[..<scheme.utf8.count], as: UTF8.self).lowercased()
                == scheme,
            let grant = unsafe tokens.grant(of: value.dropping(first: scheme.utf8.count))
        else { return .foreign }
        return .granted(grant)
    }
}
