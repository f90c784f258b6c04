import FanfareSimulator
import Testing

/// The bodies of the service, written out by hand.
///
/// Sources: pushiko's `docs/fcm_responses.md`, the discovery document of fcm.googleapis.com/v1, captures in public
/// code; the shape is https://google.aip.dev/193.
@Suite struct FCMRefusalTests {
    private static let expected =
        "Expected OAuth 2 access token, login cookie or other valid authentication credential. "
        + "See https://developers.google.com/identity/sign-in/web/devconsole-project."
    private static let metadata =
        #""domain":"googleapis.com","metadata":{"method":"google.firebase.fcm.v1.FcmService.SendMessage","service":"fcm.googleapis.com"}}"#
    private static let info = #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"#
    private static let bad =
        #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":["#
    private static let quota =
        #"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":["#

    private static func fcm(_ code: String) -> String {
        #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#
    }

    private static func error(
        _ code: Int, _ message: String, _ status: String, _ details: String = ""
    ) -> String {
        let all = details.isEmpty ? "" : #","details":[\#(details)]"#
        return
            #"{"error":{"code":\#(code),"message":"\#(message)","status":"\#(status)"\#(all)}}"#
    }

    private static let bodies: [(FCMRefusal, String)] = [
        (
            .credentialsMissing,
            error(
                401, "Request is missing required authentication credential. " + expected,
                "UNAUTHENTICATED", info + #""CREDENTIALS_MISSING","# + metadata)
        ),
        (
            .accessTokenExpired,
            error(
                401, "Request had invalid authentication credentials. " + expected,
                "UNAUTHENTICATED", info + #""ACCESS_TOKEN_EXPIRED","# + metadata)
        ),
        (
            .credentialsInvalid,
            error(
                401, "Request had invalid authentication credentials. " + expected,
                "UNAUTHENTICATED")
        ),
        (
            .thirdPartyAuth,
            error(
                401, "Auth error from APNS or Web Push Service", "UNAUTHENTICATED",
                fcm("THIRD_PARTY_AUTH_ERROR"))
        ),
        (
            .permissionDenied(project: "p"),
            error(
                403,
                "Permission 'cloudmessaging.messages.create' denied on resource '//cloudresourcemanager.googleapis.com/projects/p' (or it may not exist).",
                "PERMISSION_DENIED",
                info
                    + #""IAM_PERMISSION_DENIED","domain":"iam.googleapis.com","metadata":{"resource":"//cloudresourcemanager.googleapis.com/projects/p","permission":"cloudmessaging.messages.create"}}"#
            )
        ),
        (
            .scopeInsufficient,
            error(
                403, "Request had insufficient authentication scopes.", "PERMISSION_DENIED",
                info + #""ACCESS_TOKEN_SCOPE_INSUFFICIENT","# + metadata)
        ),
        (
            .serviceDisabled(project: "p"),
            error(
                403,
                "Firebase Cloud Messaging API has not been used in project p before or it is disabled.",
                "PERMISSION_DENIED",
                info
                    + #""SERVICE_DISABLED","domain":"googleapis.com","metadata":{"consumer":"projects/p","service":"fcm.googleapis.com"}}"#
            )
        ),
        (
            .senderMismatch,
            error(403, "SenderId mismatch", "PERMISSION_DENIED", fcm("SENDER_ID_MISMATCH"))
        ),
        (
            .notJSON,
            error(400, "Invalid JSON payload received. Unexpected token.", "INVALID_ARGUMENT")
        ),
        (
            .unreadable([.init("message", "one"), .init("", "two")]),
            error(
                400, #"one\ntwo"#, "INVALID_ARGUMENT",
                bad + #"{"field":"message","description":"one"},{"description":"two"}]}"#)
        ),
        (
            .noRecipient,
            error(
                400, "Recipient of the message is not set.", "INVALID_ARGUMENT",
                bad
                    + #"{"field":"message","description":"Recipient of the message is not set."}]},"#
                    + fcm("INVALID_ARGUMENT"))
        ),
        (
            .invalidArgument,
            error(
                400, "Request contains an invalid argument.", "INVALID_ARGUMENT",
                fcm("INVALID_ARGUMENT"))
        ),
        (.tooLarge, error(400, "Request contains an invalid argument.", "INVALID_ARGUMENT")),
        (
            .invalidToken,
            error(
                400, "The registration token is not a valid FCM registration token",
                "INVALID_ARGUMENT",
                fcm("INVALID_ARGUMENT") + "," + bad
                    + #"{"field":"message.token","description":"Invalid registration token"}]}"#)
        ),
        (
            .unnamedInvalidToken,
            error(
                400, "The registration token is not a valid FCM registration token",
                "INVALID_ARGUMENT", fcm("INVALID_ARGUMENT"))
        ),
        (
            .unregistered,
            error(404, "Requested entity was not found.", "NOT_FOUND", fcm("UNREGISTERED"))
        ),
        (.projectNotFound, error(404, "Requested entity was not found.", "NOT_FOUND")),
        (
            .quotaExceeded(.device, subject: "device:abc", value: nil),
            error(
                429, "Quota exceeded.", "RESOURCE_EXHAUSTED",
                fcm("QUOTA_EXCEEDED") + "," + quota
                    + #"{"subject":"device:abc","description":"Quota exceeded for MessagesPerMinutePerDevice.","api_service":"fcm.googleapis.com","quota_metric":"fcm.googleapis.com/messages_per_device","quota_id":"MessagesPerMinutePerDevice","quota_value":"240"}]}"#
            )
        ),
        (
            .quotaExceeded(.topic, subject: "topic:news", value: nil),
            error(
                429, "Quota exceeded.", "RESOURCE_EXHAUSTED",
                fcm("QUOTA_EXCEEDED") + "," + quota
                    + #"{"subject":"topic:news","description":"Quota exceeded for MessagesPerMinutePerTopic.","api_service":"fcm.googleapis.com","quota_metric":"fcm.googleapis.com/topic_messages","quota_id":"MessagesPerMinutePerTopic","quota_value":"1000"}]}"#
            )
        ),
        (
            .quotaExceeded(.project, subject: "project:p", value: 60),
            error(
                429, "Quota exceeded.", "RESOURCE_EXHAUSTED",
                fcm("QUOTA_EXCEEDED") + "," + quota
                    + #"{"subject":"project:p","description":"Quota exceeded for SendRequestsPerMinutePerProject.","api_service":"fcm.googleapis.com","quota_metric":"fcm.googleapis.com/send_requests","quota_id":"SendRequestsPerMinutePerProject","quota_value":"60"}]}"#
            )
        ),
        (
            .internalError,
            error(500, "Internal error encountered.", "INTERNAL", fcm("INTERNAL"))
        ),
        (
            .unavailable,
            error(
                503, "The service is currently unavailable.", "UNAVAILABLE", fcm("UNAVAILABLE"))
        ),
        (.other(status: 409, word: ""), error(409, "ABORTED", "ABORTED")),
        (.other(status: 418, word: "NEW"), error(418, "NEW", "UNKNOWN", fcm("NEW"))),
    ]

    @Test(arguments: bodies.indices)
    func `a refusal has the service's body on one line`(index: Int) {
        let (refusal, body) = Self.bodies[index]
        let answer = refusal.answer(isPretty: false)
        #expect(String(decoding: answer.body, as: UTF8.self) == body)
        #expect(answer.status == refusal.status)
        #expect(answer.content == .json)
        #expect(answer.retryAfter == nil)
    }

    @Test func `by default a body has a line for each member, and a line end`() {
        let answer = FCMRefusal.unregistered.answer(isPretty: true)
        #expect(
            String(decoding: answer.body, as: UTF8.self) == """
                {
                  "error": {
                    "code": 404,
                    "message": "Requested entity was not found.",
                    "status": "NOT_FOUND",
                    "details": [
                      {
                        "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError",
                        "errorCode": "UNREGISTERED"
                      }
                    ]
                  }
                }

                """)
        #expect(String(describing: answer.content.type) == "application/json; charset=UTF-8")
    }

    @Test func `what no service has seen is answered with a page`() {
        let missing = FCMRefusal.notServed(path: "/v1/<a>&b").answer(isPretty: true)
        let text = String(decoding: missing.body, as: UTF8.self)
        #expect(missing.status == 404 && missing.content == .page)
        #expect(String(describing: missing.content.type) == "text/html; charset=UTF-8")
        #expect(text.hasPrefix("<!DOCTYPE html>\n"))
        #expect(text.contains("<title>Error 404 (Not Found)!!1</title>"))
        #expect(text.contains("<code>/v1/&lt;a>&amp;b</code> was not found on this server."))
        for status in [502, 504] {
            let answer = FCMRefusal.frontEnd(status: status).answer(isPretty: true)
            let page = String(decoding: answer.body, as: UTF8.self)
            #expect(answer.status == status && answer.content == .page)
            #expect(page.contains("Please try again in 30 seconds."))
        }
    }

    @Test func `the log's word is the one that is nearest to the case`() {
        func word(_ refusal: FCMRefusal) -> String { refusal.answer(isPretty: false).word }
        #expect(word(.unregistered) == "UNREGISTERED")
        #expect(word(.projectNotFound) == "NOT_FOUND")
        #expect(word(.accessTokenExpired) == "ACCESS_TOKEN_EXPIRED")
        #expect(word(.credentialsInvalid) == "UNAUTHENTICATED")
        #expect(word(.frontEnd(status: 502)) == "")
    }
}
