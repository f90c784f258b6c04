import FanfareSimulator
import Testing

@Suite struct AccessTokensTests {
    private let tokens = AccessTokens(seed: 1)
    private let grant = AccessTokens.Grant(
        expiresAt: 1_700_003_599_000, mayMessage: true, number: 7)

    private func grant(of token: String, _ tokens: AccessTokens) -> AccessTokens.Grant? {
        var token = token
        return token.withUTF8 { tokens.grant(of: $0) }
    }

    @Test func `a token says what it is good for`() {
        var other = grant
        other.mayMessage = false
        for grant in [grant, other] {
            let token = tokens.token(for: grant)
            #expect(token.hasPrefix("ya29.") && token.utf8.count == 512)
            #expect(self.grant(of: token, tokens) == grant)
            #expect(self.grant(of: token, AccessTokens(seed: 2)) == nil)
        }
        other.number += 1
        #expect(tokens.token(for: grant) != tokens.token(for: other))
        #expect(tokens.token(for: grant) == tokens.token(for: grant))
    }

    @Test func `a token with another character anywhere is none`() {
        let bytes = Array(tokens.token(for: grant).utf8)
        for place in bytes.indices {
            var other = bytes
            other[place] = other[place] == 0x41 ? 0x42 : 0x41
            #expect(grant(of: String(decoding: other, as: UTF8.self), tokens) == nil, "\(place)")
        }
        #expect(grant(of: "", tokens) == nil)
        #expect(grant(of: "ya29.a0AfH6SMBx", tokens) == nil)
    }

    // MARK: The gate

    private func judge(
        _ gate: inout AccessTokenGate, _ value: String?, at milliseconds: UInt64,
        isAnonymous: Bool = false
    ) -> Result<AccessTokens.Grant?, FCMRefusal> {
        var text = value ?? ""
        return text.withUTF8 { bytes in
            let value = value == nil ? UnsafeBufferPointer(start: nil, count: 0) : bytes
            do throws(FCMRefusal) {
                return .success(
                    try gate.judge(
                        value, unixMilliseconds: milliseconds, tokens: tokens,
                        isAnonymous: isAnonymous))
            } catch {
                return .failure(error)
            }
        }
    }

    @Test func `a token is good until its last millisecond`() {
        var gate = AccessTokenGate()
        let value = "Bearer " + tokens.token(for: grant)
        #expect(judge(&gate, value, at: 1_700_003_598_999) == .success(grant))
        #expect(judge(&gate, value, at: 1_700_003_599_000) == .failure(.accessTokenExpired))
        // Another one on the same connection.
        var newer = grant
        newer.expiresAt += 3_600_000
        let other = "bearer " + tokens.token(for: newer)
        #expect(judge(&gate, other, at: 1_700_003_599_000) == .success(newer))
        #expect(judge(&gate, value, at: 1_700_003_599_000) == .failure(.accessTokenExpired))
    }

    @Test func `what is no token, or for other services, is refused`() {
        var gate = AccessTokenGate()
        #expect(judge(&gate, nil, at: 0) == .failure(.credentialsMissing))
        for value in ["Bearer x", "Basic eDp5", "Bearer ", tokens.token(for: grant)] {
            #expect(judge(&gate, value, at: 0) == .failure(.credentialsInvalid), "\(value)")
        }
        let narrow = tokens.token(for: .init(expiresAt: 1000, mayMessage: false))
        #expect(judge(&gate, "Bearer " + narrow, at: 0) == .failure(.scopeInsufficient))
    }

    @Test func `anonymous clients need none, but their own must be good`() {
        var gate = AccessTokenGate()
        #expect(judge(&gate, nil, at: 0, isAnonymous: true) == .success(nil))
        #expect(judge(&gate, "Bearer x", at: 0, isAnonymous: true) == .success(nil))
        let value = "Bearer " + tokens.token(for: grant)
        #expect(judge(&gate, value, at: 0, isAnonymous: true) == .success(grant))
        #expect(
            judge(&gate, value, at: 1_700_003_599_000, isAnonymous: true)
                == .failure(.accessTokenExpired))
    }
}
