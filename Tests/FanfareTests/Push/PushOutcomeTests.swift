import Testing

@testable import Fanfare
@testable import FanfareCore

@Suite struct PushOutcomeTests {
    @Test func `an outcome says all there is to know`() {
        let outcome = RowOutcome(
            row: 3, outcome: .unregistered, status: 410, attempts: 2,
            latencyNanoseconds: 12_345_000, unregisteredAtMilliseconds: 1_700_000_000_123,
            sentAtMilliseconds: 1_795_219_200_000, reason: "Unregistered", messageID: "9D2A",
            id: "u3", token: "aabb", provider: .fcm, carried: ["vip", "a \"b\"\nc"])
        #expect(
            PushOutcome(outcome, ["status", "say"])
                == PushOutcome(
                    row: 3, id: "u3", token: "aabb", provider: .fcm, kind: .unregistered,
                    status: 410,
                    reason: "Unregistered", messageID: "9D2A", attempts: 2,
                    latency: .microseconds(12_345), unregisteredAtMilliseconds: 1_700_000_000_123,
                    sentAtMilliseconds: 1_795_219_200_000,
                    carried: ["status": "vip", "say": "a \"b\"\nc"]))
    }

    @Test func `what is not there is nil, but a carried column is an empty text`() {
        let outcome = RowOutcome(
            row: 1, outcome: .invalid, status: 0, attempts: 0, latencyNanoseconds: -1,
            reason: "line 2: token, as it is", token: "cc", carried: [""])
        #expect(
            PushOutcome(outcome, ["say"])
                == PushOutcome(
                    row: 1, id: nil, token: "cc", provider: nil, kind: .invalid, status: nil,
                    reason: "line 2: token, as it is", messageID: nil, attempts: 0, latency: nil,
                    unregisteredAtMilliseconds: nil, sentAtMilliseconds: nil,
                    carried: ["say": ""]))
    }

    @Test(arguments: Provider.allCases)
    func `a provider has the name of the report`(provider: Provider) {
        #expect(provider.kind.rawValue == provider.rawValue)
        var outcome = RowOutcome(
            row: 1, outcome: .skipped, status: 0, attempts: 0, latencyNanoseconds: -1)
        outcome.provider = provider.kind
        #expect(PushOutcome(outcome, []).provider == provider)
    }

    @Test func `kinds have the names of the report`() {
        for outcome in Outcome.allCases {
            let kind = PushOutcome.Kind(outcome)
            #expect(kind.rawValue == outcome.name.description)
            #expect(kind.outcome == outcome)
        }
        #expect(PushOutcome.Kind.allCases.count == Outcome.allCases.count)
    }
}
