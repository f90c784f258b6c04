import Fanfare
import FanfareFoundation
import Foundation
import Testing

/// Dates and encodable payloads, for programs that use Foundation.
@Suite struct FoundationTests {
    private struct Offer: Encodable {
        struct Aps: Encodable { var alert: String }
        var offer: Int
        var aps: Aps
    }

    // MARK: Payloads

    @Test func `a value becomes a payload with sorted keys`() throws {
        let row = try PushRow(
            token: "aa", id: "u1", encoding: Offer(offer: 7, aps: .init(alert: "a/b \"c\"")))
        #expect(row.payload == #"{"aps":{"alert":"a/b \"c\""},"offer":7}"#)
        #expect(row.token == "aa" && row.id == "u1")
    }

    @Test func `the program may bring its own encoder`() throws {
        struct Own: Encodable { var newOffer = 1 }
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let row = try PushRow(token: "aa", encoding: Own(), encoder: encoder)
        #expect(row.payload == #"{"new_offer":1}"#)
    }

    @Test func `a payload that is no object is refused`() {
        let error = #expect(throws: FanfareError.self) {
            try PushRow(token: "aa", encoding: [1, 2])
        }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("has to be a JSON object") == true)
    }

    @Test func `a payload is as large as the largest limit of a provider`() throws {
        let frame = #"{"aps":{"alert":""}}"#.utf8.count
        func row(_ bytes: Int) throws -> PushRow {
            try PushRow(
                token: "aa",
                encoding: ["aps": ["alert": String(repeating: "x", count: bytes - frame)]])
        }
        #expect(try row(5120).payload?.utf8.count == 5120)
        let error = #expect(throws: FanfareError.self) { try row(5121) }
        #expect(error?.message.contains("the payload has 5121 bytes") == true)
    }

    // MARK: Dates

    @Test func `moments are dates`() {
        var outcome = PushOutcome(row: 1, token: "aa", kind: .unregistered)
        #expect(outcome.sentAt == nil && outcome.unregisteredAt == nil)
        outcome.sentAtMilliseconds = 1_700_000_000_500
        outcome.unregisteredAtMilliseconds = -1000
        #expect(outcome.sentAt == Date(timeIntervalSince1970: 1_700_000_000.5))
        #expect(outcome.unregisteredAt == Date(timeIntervalSince1970: -1))
    }

    @Test func `dates are kept to the unit of the setting`() {
        var row = PushRow(token: "aa")
        #expect(row.expires == nil)
        row.expires = Date(timeIntervalSince1970: 1_700_000_000.4)
        #expect(row.expiration == 1_700_000_000)
        row.expires = nil
        #expect(row.expiration == nil)
        var engine = EngineOptions()
        engine.until = Date(timeIntervalSince1970: 1_700_000_000.4)
        #expect(engine.untilMilliseconds == 1_700_000_000_400)
        engine.until = .distantFuture
        #expect(engine.until == .distantFuture)
        var provider = ProviderOptions()
        provider.expires = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(provider.expiration == "1700000000")
        #expect(provider.expires == Date(timeIntervalSince1970: 1_700_000_000))
        provider.expiration = "{{until}}"
        #expect(provider.expires == nil)
    }
}
