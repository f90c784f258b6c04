import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareJSON
import Testing

@testable import Fanfare

/// The built-in providers' judges, where more than the answer counts.
@Suite struct ProviderJudgeTests {
    private static let page = "<html>Please log in</html>"

    private func judge(
        _ judge: any AnswerJudge, _ status: UInt16, _ text: String, of row: borrowing PreparedRow
    ) -> ResponseClass {
        var body = ByteBuffer()
        body.append(text)
        return judge.judge(
            Response(
                status: status, isComplete: true, bodyBytes: UInt64(body.count), messageID: .empty,
                retryAfter: .empty, body: body.bytes), to: row
        ).class
    }

    // MARK: Pages

    @Test(arguments: [UInt16(200), 201, 204])
    func `a page is nobody's acceptance`(status: UInt16) {
        let row = PreparedRow()
        for provider in [APNsJudge(), FCMJudge()] as [any AnswerJudge] {
            #expect(judge(provider, status, Self.page, of: row) == .foreignSuccess)
            #expect(judge(provider, status, "ok", of: row) == .foreignSuccess)
            #expect(judge(provider, status, "", of: row).outcome == .accepted)
            #expect(
                judge(provider, status, #" {"name":"projects/p/messages/1"}"#, of: row).outcome
                    == .accepted)
        }
        // In doubt: a job that is carried on does not send it again.
        #expect(ResponseClass.foreignSuccess.outcome == .unknown)
        #expect(ResponseClass.foreignSuccess.retry == .inDoubt)
    }

    // MARK: A part that FCM names

    private static func refusal(of field: String, _ why: String = "Invalid value") -> String {
        #"""
        {"error":{"code":400,"message":"x","status":"INVALID_ARGUMENT","details":[
         {"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#(field)","description":"\#(why)"}]},
         {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"INVALID_ARGUMENT"}]}}
        """#
    }

    private static let template = #"""
        {"message":{"token":"{{token}}","notification":{"title":"Doors","body":"Hi {{name}}"},
         "android":{"ttl":"3600s","notification":{"notification_count":"{{n:json}}"}},
         "data":{"k":"v","o":"{{o}}"}}}
        """#

    private func fcm() -> FCMJudge { FCMJudge(texts: [FCMFilledPlaces(Array(Self.template.utf8))]) }

    private static let stopping = ResponseClass(.failed, job: .stop, blames: .payload)
    private static let ofRow = ResponseClass(.rejected, job: .stopAtStart, blames: .payload)

    /// The reason why a row's value that FCM refuses does not end the job, which no later run could pass.
    @Test(
        arguments: [
            ("message.android.notification.notification_count", true),
            ("message.android.notification.notificationCount", true),
            ("message.android.notification", true), ("message.data[1].value", true),
            ("message.notification.body", true), ("message", true),
            ("message.android.ttl", false), ("message.notification.title", false),
            ("message.webpush", false), ("messages.data", false),
        ] as [(String, Bool)])
    func `a part with a value of the row is the row's`(field: String, isOfRow: Bool) {
        let row = PreparedRow()
        let found = judge(fcm(), 400, Self.refusal(of: field), of: row)
        #expect(found == (isOfRow ? Self.ofRow : Self.stopping))
    }

    @Test func `a member that FCM does not know is the template's`() {
        let row = PreparedRow()
        let unknown = Self.refusal(
            of: "message",
            #"Invalid JSON payload received. Unknown name \\\"toen\\\" at 'message': Cannot find field."#
        )
        #expect(judge(fcm(), 400, unknown, of: row) == Self.stopping)
    }

    @Test func `a text of which a message was accepted is right`() {
        let (judges, fault) = (fcm(), Self.refusal(of: "message.android.ttl"))
        var row = PreparedRow()
        #expect(judge(judges, 400, fault, of: row) == Self.stopping)
        // Another row's own payload says nothing of the job's.
        row.ownColumns.insert(.payload)
        #expect(judge(judges, 200, #"{"name":"m"}"#, of: row).outcome == .accepted)
        #expect(judge(judges, 400, fault, of: row) == Self.stopping.ownFault)
        row.ownColumns = ColumnSet()
        #expect(judge(judges, 400, fault, of: row) == Self.stopping)
        #expect(judge(judges, 200, #"{"name":"m"}"#, of: row).outcome == .accepted)
        #expect(judge(judges, 400, fault, of: row) == Self.ofRow)
        // One of the other texts that rows choose from may be wrong.
        row.variant = 2
        #expect(judge(judges, 400, fault, of: row) == Self.stopping)
    }
}
