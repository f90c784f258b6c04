import FanfareCore
import Testing

@testable import Fanfare

@Suite struct OutcomeReaderTests {
    @Test func `a line of CSV says all there is to know`() throws {
        var reader = OutcomeReader(ReportFormat(.csv, carriedNames: ["status", "say"]))
        let outcomes = reader.outcomes(
            of: Array(
                """
                3,u3,aabb,unregistered,410,Unregistered,9D2A,2,12.345,2023-11-14T22:13:20.123Z,\
                2026-11-21T00:00:00.000Z,vip,"a ""b""
                c"
                1,,cc,invalid,,"line 2: token, as it is",,0,,,,,

                """.utf8))
        #expect(
            outcomes == [
                PushOutcome(
                    row: 3, id: "u3", token: "aabb", kind: .unregistered, status: 410,
                    reason: "Unregistered", apnsID: "9D2A", attempts: 2,
                    latency: .microseconds(12_345), unregisteredAtMilliseconds: 1_700_000_000_123,
                    sentAtMilliseconds: 1_795_219_200_000,
                    carried: ["status": "vip", "say": "a \"b\"\nc"]),
                PushOutcome(
                    row: 1, id: nil, token: "cc", kind: .invalid, status: nil,
                    reason: "line 2: token, as it is", apnsID: nil, attempts: 0, latency: nil,
                    unregisteredAtMilliseconds: nil, sentAtMilliseconds: nil,
                    carried: ["status": "", "say": ""]),
            ])
    }

    @Test func `a line of NDJSON says the same`() throws {
        var reader = OutcomeReader(ReportFormat(.ndjson, carriedNames: ["say"]))
        let outcomes = reader.outcomes(
            of: Array(
                #"""
                {"row":3,"id":"u3","token":"aabb","outcome":"accepted","status":200,"reason":null,"apns_id":"9D2A","attempts":1,"latency_ms":0.001,"unregistered_at":null,"sent_at":"2026-11-21T00:00:00.000Z","say":"a \"b\"\nc"}

                """#.utf8))
        #expect(
            outcomes == [
                PushOutcome(
                    row: 3, id: "u3", token: "aabb", kind: .accepted, status: 200, reason: nil,
                    apnsID: "9D2A", attempts: 1, latency: .microseconds(1),
                    unregisteredAtMilliseconds: nil, sentAtMilliseconds: 1_795_219_200_000,
                    carried: ["say": "a \"b\"\nc"])
            ])
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
