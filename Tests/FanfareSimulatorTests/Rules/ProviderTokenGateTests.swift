import FanfareSimulator
import Testing

@Suite struct ProviderTokenGateTests {
    /// Judges `bearer <letter>.<letter>.<letter>` as issued at the given time.
    private func judge(
        _ gate: inout ProviderTokenGate, _ name: String, at time: Int64, issuedAt: Int64?
    ) -> Refusal? {
        var value = "bearer \(name).\(name).\(name)"
        return value.withUTF8 { value in
            gate.judge(value, unixSeconds: time) { _ in
                issuedAt.map { .signed(issuedAt: $0) } ?? .wrong
            }
        }
    }

    @Test(arguments: [
        ("bearer a.b.c", nil), ("Bearer a-_9.b.c", nil),
        ("bearer a.b", Refusal.invalidProviderToken), ("bearer a..c", .invalidProviderToken),
        ("bearer a.b.c.d", .invalidProviderToken), ("bearer a.b.c=", .invalidProviderToken),
        ("basic a.b.c", .invalidProviderToken), ("bearer ", .invalidProviderToken),
        ("", .invalidProviderToken),
    ])
    func `without a key only the form counts`(_ value: String, _ expected: Refusal?) {
        var gate = ProviderTokenGate()
        var value = value
        let refusal = value.withUTF8 { value in
            gate.judge(value, unixSeconds: 0) { _ in .unchecked }
        }
        #expect(refusal == expected)
    }

    @Test func `a token is verified once`() {
        var gate = ProviderTokenGate()
        var calls = 0
        var value = "bearer a.b.c"
        value.withUTF8 { value in
            for time in 0..<5 {
                let refusal = gate.judge(value, unixSeconds: Int64(time)) { token in
                    calls += 1
                    #expect(token.count == 5)
                    return .signed(issuedAt: 0)
                }
                #expect(refusal == nil)
            }
        }
        #expect(calls == 1)
    }

    @Test func `a wrong signature is refused`() {
        var gate = ProviderTokenGate()
        #expect(judge(&gate, "a", at: 0, issuedAt: nil) == .invalidProviderToken)
        #expect(judge(&gate, "b", at: 0, issuedAt: 0) == nil)
    }

    @Test func `an hour is the age limit, and an expired token spoils the connection`() {
        var gate = ProviderTokenGate()
        #expect(judge(&gate, "a", at: 10_000, issuedAt: 10_000) == nil)
        #expect(judge(&gate, "a", at: 13_600, issuedAt: 10_000) == nil)
        #expect(judge(&gate, "a", at: 13_601, issuedAt: 10_000) == .expiredProviderToken)
        #expect(judge(&gate, "b", at: 13_601, issuedAt: 13_601) == .expiredProviderToken)
    }

    @Test func `a token from the future is refused`() {
        var gate = ProviderTokenGate()
        #expect(judge(&gate, "a", at: 0, issuedAt: 3_600) == nil)
        var other = ProviderTokenGate()
        #expect(judge(&other, "a", at: 0, issuedAt: 3_601) == .invalidProviderToken)
    }

    @Test func `a second change within twenty minutes is too many, and the older token stays`() {
        var gate = ProviderTokenGate()
        #expect(judge(&gate, "a", at: 0, issuedAt: 0) == nil)
        #expect(judge(&gate, "b", at: 100, issuedAt: 0) == nil)
        #expect(judge(&gate, "c", at: 1_299, issuedAt: 0) == .tooManyProviderTokenUpdates)
        #expect(judge(&gate, "b", at: 1_299, issuedAt: 0) == nil)
        #expect(judge(&gate, "c", at: 1_300, issuedAt: 0) == nil)
    }
}
