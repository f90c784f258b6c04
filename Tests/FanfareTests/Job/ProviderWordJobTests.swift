import FanfareBase
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Words that name no provider, in a whole check.
@Suite struct ProviderWordJobTests {
    private static let apns = String(repeating: "3af8e11e", count: 8)
    private static let fcm = "dGhpcyBpcyBub3QgaGV4:APA91bHPRgkF3JUikC4E"

    private func check(_ rows: String, _ change: (inout Configuration) -> Void = { _ in }) throws
        -> JobResult
    {
        var configuration = Preparation.configuration(rows)
        configuration.routes.append(.fcm)
        configuration.routes[1].payload = .template(
            #"{"message":{"notification":{"title":"Hi"}}}"#)
        configuration.routes[1].project = "p"
        configuration.report.path = Rehearsal.noReport
        change(&configuration)
        return try Rehearsal(configuration).run()
    }

    /// The list of a subscription service, with a column `service` that is not about push at all.
    private static let rows = """
        token,name,service
        \(apns),Bob,premium
        \(fcm),Eve,premium
        \(fcm),Ann,big shop
        abc,Al,it's
        \(apns),Bo,iPhone 12

        """

    @Test func `in a column that nobody named they leave it to the token, and are listed`() throws {
        let result = try check(Self.rows)
        #expect(result.outcomes["skipped"] == 4 && result.outcomes["invalid"] == 1)
        let beginning = "words in column 'service' that name no provider, so that the "
        #expect(
            result.hints.map(\.description) == [
                beginning + "token decided: 'premium' (2), 'big shop' (1). Tokens of several "
                    + "providers have the same word, so they may be about something else",
                beginning + "row is invalid: 'it's' (1). "
                    + "RowOptions.providerWords = [\"WORD\": \"PROVIDER\"] says whose rows they are",
            ])
        #expect(
            result.summaryJSON.contains(
                """
                  "unknown_provider_words": [
                    {
                      "word": "premium",
                      "rows": 2,
                      "decided_by": "token"
                    },
                """))
    }

    @Test func `a word of one provider's tokens alone comes with its route`() throws {
        let result = try check("token,os\n\(Self.fcm),Hand held\n\(Self.apns),iOS 17\n")
        #expect(
            result.hints.map { $0.text(Self.options) } == [
                "words in column 'os' that name no provider, so that the token decided: 'Hand held' "
                    + "(1). --route 'Hand held=fcm' says whose rows they are"
            ])
    }

    private static let options = Naming.options { _ in "--route" }

    @Test func `in a column that was named they make rows invalid, and are listed`() throws {
        let result = try check(Self.rows) { $0.rows.mapping = ["provider": "service"] }
        #expect(result.outcomes["skipped"] == 1 && result.outcomes["invalid"] == 4)
        #expect(
            result.hints.map { $0.text(Self.options) } == [
                "words in column 'service' that name no provider, so that the row is invalid: "
                    + "'premium' (2), 'it's' (1), 'big shop' (1). --route premium=PROVIDER says "
                    + "whose rows they are"
            ])
        let words = try check(Self.rows) {
            $0.rows.mapping = ["provider": "service"]
            $0.rows.providerWords = ["premium": .apns, "it's": .fcm, "big shop": .fcm]
        }
        #expect(words.hints.isEmpty)
    }

    @Test func `a mapping of the provider stands in the list of what can be mapped`() {
        let several = fanfareError { _ = try check(Self.rows) { $0.rows.mapping = ["os": "name"] } }
        #expect(several?.message.contains("apns_id, id, provider, and what") == true)
        let one = fanfareError {
            _ = try check(Self.rows) {
                $0.rows.mapping = ["provider": "name"]
                $0.routes.removeLast()
            }
        }
        #expect(one?.message.contains("apns_id, id, and what") == true)
    }
}
