import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// The checks of payloads before anything is sent.
@Suite struct PayloadCheckTests {
    private func plan(
        _ rows: RowInput = .text("token,name\naa,Ann\n"), template: String? = nil,
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> PreparedJob {
        var configuration = Configuration()
        configuration.inputs = [rows]
        configuration.provider.provider = .fcm
        if let template {
            configuration.payload = .template(json: Array(template.utf8), name: "message.json")
        }
        change(&configuration)
        return try PreparedJob(configuration, identity: Preparation.identity)
    }

    /// Each of them is refused by Google with 400, for every row.
    @Test(arguments: [
        (
            #"{"message":{"data":{"order":17}}}"#,
            "has a number for 'message.data.order', where FCM takes text: \"17\""
        ),
        (
            #"{"message":{"data":{"n":"{{name:json}}"}}}"#,
            "has '{{name:json}}' for 'message.data.n', where FCM takes text: {{name}}"
        ),
        (
            #"{"message":{"token":"{{token}}","topic":"news"}}"#,
            "has 'token' and 'topic' in 'message', and FCM takes one of fid, token, topic, condition"
        ),
        (
            #"{"message":{"topic":"news","notification":{"title":"Hi"}}}"#,
            "has a 'topic' in 'message', so that each row of the list would be sent to all devices behind "
                + "it; leave it out, and each row's token is put there, or take it from a column: {{topic}}"
        ),
        (
            #"{"message":{"android":{"ttl":"2419201s"}}}"#,
            "has '2419201s' for 'message.android.ttl', where FCM takes 0s to 2419200s"
        ),
        (
            #"{"message":{"android":{"priority":"10"}}}"#,
            "has '10' for 'message.android.priority', where FCM takes NORMAL, HIGH"
        ),
    ])
    func `what FCM refuses in the job's payload begins no job`(
        template: String, fault: String
    ) throws {
        let error = fanfareError { _ = try plan(template: template) }
        #expect(error?.code == .configuration)
        #expect(error?.message == "message.json \(fault)")
        // Load tests send what they like.
        let unchecked = try plan(template: template) { $0.rows.validates = false }
        #expect(unchecked.payloadWarnings().contains("message.json \(fault)"))
    }

    @Test func `what FCM refuses in the payload of a row is a warning`() throws {
        let plan = try plan(
            .text(
                #"{"token":"aa","payload":{"message":{"data":{"order":17}}}}"#, name: "rows.ndjson")
        )
        #expect(
            plan.payloadWarnings() == [
                "the payloads of rows.ndjson: a row has a number for 'message.data.order', where "
                    + "FCM takes text: \"17\""
            ])
    }

    // MARK: Sizes

    private static let long = #"{"message":{"data":{"x":"{{name}}"}}}"#

    /// A row for each length of a name; its key is a byte more.
    private static func rows(_ lengths: Int...) -> RowInput {
        .text(
            "token,name\n"
                + lengths.map { "aa,\(String(repeating: "n", count: $0))\n" }.joined())
    }

    @Test func `the payloads of the first rows are weighed as they would be sent`() throws {
        let fits = try plan(Self.rows(1, 4095), template: Self.long)
        #expect(fits.payloadWarnings() == [])
        let heavy = try plan(Self.rows(1, 4096, 5000, 4095), template: Self.long)
        #expect(
            heavy.payloadWarnings() == [
                "the payloads of input: that of row 3 has 5001 bytes in 'notification' and 'data', "
                    + "where FCM takes 4096"
            ])
        let topic = try plan(
            Self.rows(2048),
            template: #"{"message":{"topic":"{{token}}","data":{"x":"{{name}}"}}}"#)
        #expect(
            topic.payloadWarnings() == [
                "the payloads of input: that of row 1 has 2049 bytes in 'notification' and 'data', "
                    + "where FCM takes 2048 for a topic"
            ])
    }

    @Test func `a rehearsal shows the heaviest, and takes them`() throws {
        var configuration = try plan(Self.rows(1, 4095, 4096), template: Self.long).configuration
        configuration.report.path = Rehearsal.noReport
        let result = try Rehearsal(configuration).run()
        #expect(result.outcomes["skipped"] == 3 && result.exitCode == 0)
        let table = result.table(usesColor: false)
        #expect(table.contains("line 4 (4097 of 4096), line 3 (4096 of 4096)"), "\(table)")
    }

    // MARK: APNs

    @Test func `what Apple leaves out stays a warning`() throws {
        let plan = try plan(template: #"{"alert":"Hi"}"#) {
            $0.provider.provider = .apns
            $0.provider.topic = "com.example.app"
        }
        #expect(plan.payloadWarnings().count == 1)
        #expect(plan.payloadWarnings().first?.hasPrefix("message.json has no 'aps'") == true)
    }
}
