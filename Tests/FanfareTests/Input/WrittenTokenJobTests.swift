import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Tokens with blanks and brackets in a whole check.
@Suite struct WrittenTokenJobTests {
    private static let a = String(repeating: "3af8e11e", count: 8)
    private static let written =
        "<" + Array(repeating: "3af8e11e", count: 8).joined(separator: " ") + ">"
    private static let b = String(repeating: "7bf20190", count: 8)

    private func check(_ rows: String, _ change: (inout Configuration) -> Void = { _ in }) throws
        -> (reasons: [String: UInt64], hints: [String], summary: String)
    {
        var configuration = Preparation.configuration(rows)
        configuration.report.path = Rehearsal.noReport
        change(&configuration)
        let result = try Rehearsal(configuration).run()
        return (
            Dictionary(
                uniqueKeysWithValues: result.summary.tally.reasons.map { ($0.reason, $0.count) }),
            result.hints.map(\.description), result.summaryJSON
        )
    }

    @Test func `they are valid, and counted`() throws {
        let rows = "token\n\(Self.written)\n\" \(Self.b)\"\n\(Self.b)\n<ab cd>\n"
        let (reasons, hints, summary) = try check(rows)
        #expect(reasons == ["valid": 3, "token is not hexadecimal": 1])
        #expect(
            hints == [
                "tokens that are written with blanks or in <…>: 2. They are sent and reported "
                    + "without them"
            ])
        #expect(summary.contains(#""tokens_cleaned": 2,"#))
        let lines = #"{"token":"\#(Self.written)"}"# + "\n" + #"{"token":"\#(Self.b)\n"}"# + "\n"
        #expect(try check(lines).reasons == ["valid": 2])
    }

    @Test func `they are one with the token itself`() throws {
        let rows = "token\n\(Self.written)\n\(Self.a)\n\(Self.b)\n"
        for winner in Deduplication.allCases {
            let reasons = try check(rows) { $0.rows.deduplication = winner }.reasons
            #expect(reasons == ["valid": 2, "token is a duplicate": 1])
        }
        for list in [Self.written, "token\n\(Self.written)", Self.a] {
            let reasons = try check(rows) { $0.rows.suppressions = [.text(list)] }.reasons
            #expect(reasons == ["valid": 1, "token is suppressed": 2])
        }
    }

    @Test func `they are sent and reported as digits`() throws {
        let rows = try Preparation.rows("token,id\n\(Self.written),7\n")
        #expect(rows.map(\.token) == [Self.a])
        #expect(rows.first?.prefix == "1,7,\(Self.a),apns,")
    }

    @Test func `a seed list's token is found again`() throws {
        let reasons = try check("token\n\(Self.a)\n\(Self.b)\n") {
            $0.inputs.insert(.text("token\n\(Self.written)\n"), at: 0)
            $0.seeds = SeedOptions()
        }.reasons
        #expect(reasons == ["valid": 2, "token is a duplicate": 1])
    }

    @Test func `unchecked tokens stay as they are, and of others only the ends are cleaned`() throws
    {
        let rows = "token\n\(Self.written)\n"
        var configuration = Preparation.configuration(rows)
        #expect(configuration.tokenCleaning == .ofAPNs)
        configuration.rows.validates = false
        let plan = try PreparedJob(configuration, identity: Preparation.identity)
        #expect(plan.source.spec.cleaning == nil)
        configuration.rows.validates = true
        configuration.routes = [.fcm]
        #expect(configuration.tokenCleaning == .ends)
        let list = try RowReader(
            .text(" ab:APA91b-1\nab:APA91b-2\t\n"),
            InputSpec(
                required: [("token", "a list has")], findsOtherNames: true, isTokenList: true,
                cleaning: configuration.tokenCleaning))
        let batch = RowBatch(slotCount: list.head.schema.slotCount)
        #expect(try list.fill(batch))
        let found = (0..<batch.rowCount).map {
            String(decoding: batch.value(of: .token, row: $0), as: UTF8.self)
        }
        #expect(found == ["ab:APA91b-1", "ab:APA91b-2"])
    }
}
