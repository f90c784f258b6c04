import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Columns under other names than ours, from the input to the request.
@Suite struct OtherNameTests {
    private static let token = String(repeating: "ab", count: 32)

    private func plan(
        _ inputs: [RowInput], _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> PreparedJob {
        var configuration = Preparation.configuration("")
        configuration.inputs = inputs
        configuration.report.path = Rehearsal.noReport
        change(&configuration)
        return try PreparedJob(configuration, identity: Preparation.identity)
    }

    @Test(arguments: [
        "deviceToken,bundle_id,APNS-Priority\n\(token),com.example.other,5\n",
        #"{"deviceToken":"\#(token)","bundle_id":"com.example.other","APNS-Priority":5}"#,
    ])
    func `values are read from them`(text: String) throws {
        let rows = try Preparation.rows(text)
        #expect(rows.map(\.isReady) == [true])
        #expect(rows.first?.token == "\(Self.token)")
        #expect(rows.first?.topic == "com.example.other")
        #expect(rows.first?.priority == "5")
    }

    @Test func `each input has its own, and each is told`() throws {
        let inputs: [RowInput] = [
            .text("deviceToken\n\(Self.token)\n", name: "a"),
            .text("token\n\(Self.token)\n", name: "b"),
            .text("name;Push Token\nx;\(Self.token)\n", name: "c"),
        ]
        let plan = try plan(inputs)
        #expect(
            plan.source.notices.map(\.description) == [
                "reading tokens from column 'deviceToken' of a",
                "reading tokens from column 'Push Token' of c",
            ])
        let result = try Rehearsal(plan.configuration).run()
        #expect(result.outcomes["skipped"] == 3)
        #expect(result.outcomes["invalid"] == 0)
    }

    @Test func `duplicates are found across them`() throws {
        for winner in Deduplication.allCases {
            var configuration = try plan([
                .text("deviceToken\n\(Self.token)\n"), .text("token\n\(Self.token)\n"),
            ]).configuration
            configuration.rows.deduplication = winner
            let summary = try Rehearsal(configuration).run().summaryJSON
            #expect(summary.contains("token is a duplicate"))
        }
    }

    @Test func `two that may be meant are an error that names both`() {
        let error = fanfareError { _ = try plan([.text("device_token,pushToken\na,b\n")]) }
        #expect(error?.code == .input)
        for part in ["'device_token'", "'pushToken'", "RowOptions.mapping = [\"token\": "] {
            #expect(error?.message.contains(part) == true)
        }
        #expect(
            fanfareError {
                _ = try plan([.text("device_token,pushToken\na,b\n")]) {
                    $0.rows.mapping = ["token": "pushToken"]
                }
            } == nil)
    }

    @Test func `a name that no column has comes with the column that is near`() throws {
        func message(_ columns: String) -> String {
            fanfareError {
                _ = try plan([.text("\(columns)\na,b,,\n")]) {
                    $0.payload = .template(#"{"aps":{"alert":"{{user_mane}}"}}"#)
                }
            }?.message ?? ""
        }
        let near = message("token,User Name,, ")
        #expect(
            near.hasSuffix(
                "its columns: token, User Name and 2 without a name. To use one under another name: "
                    + "RowOptions.mapping = [\"user_mane\": \"User Name\"]"), "\(near)")
        // Neither the token's nor any of two.
        for columns in ["token,town,a,b", "USER_MANI,user_man,user_men,token"] {
            #expect(message(columns).hasSuffix("[\"user_mane\": \"NAME\"]"))
        }
        #expect(message("USER_TOKEN,user's mane,a,token").hasSuffix("\"NAME\"]"))
    }

    @Test func `words may be separated otherwise than in the template`() throws {
        let rows = try Preparation.rows(
            "token,First Name\n\(Self.token),Ann\n",
            payload: #"{"aps":{"alert":"{{first_name|you}} {{firstName}}"}}"#)
        #expect(rows.map(\.payload) == [#"{"aps":{"alert":"Ann Ann"}}"#])
    }

    @Test func `what the template names is not taken for a header value`() throws {
        let rows = try Preparation.rows(
            "token,bundle_id\n\(Self.token),x y\n",
            payload: #"{"aps":{"alert":"{{bundle_id}}"}}"#)
        #expect(rows.map(\.topic) == [""])
        #expect(rows.map(\.payload) == [#"{"aps":{"alert":"x y"}}"#])
    }

    @Test(arguments: [
        ("1.2E+63", true), ("1,23456789012345e63", true), ("9E+5", true), ("1.2E+", false),
        ("1.2.3E+5", false), ("E+5", false), ("1.2", false), ("1.2E-63", false),
        ("xE+5", false),
    ])
    func `a token that a spreadsheet has rounded is told`(text: String, isRounded: Bool) throws {
        let input = "token\n\"\(text)\"\n"
        let rows = try Preparation.rows(input)
        #expect(
            rows.map(\.kind) == [
                isRounded
                    ? "token was rounded to a number by a spreadsheet (like 1.2E+63)"
                    : "token is not hexadecimal"
            ])
        let result = try Rehearsal(plan([.text(input)]).configuration).run()
        #expect(result.hints.count == (isRounded ? 1 : 0))
    }
}
