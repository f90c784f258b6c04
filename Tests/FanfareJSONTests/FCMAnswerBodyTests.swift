import FanfareBase
import FanfareCore
import FanfareJSON
import Testing

/// Bodies that FCM has answered, and what they mean.
///
/// Sources: pushiko's `docs/fcm_responses.md`, the discovery document of fcm.googleapis.com/v1, captures in public
/// code; the shape is https://google.aip.dev/193.
@Suite struct FCMAnswerBodyTests {
    struct Answer: Sendable, CustomTestStringConvertible {
        var name: String
        var status: UInt16
        var body: String
        var word: String
        var verdict: ResponseClass

        var testDescription: String { name }
    }

    private static let info = "type.googleapis.com/google.rpc.ErrorInfo"
    private static let request = "type.googleapis.com/google.rpc.BadRequest"
    private static let quota = "type.googleapis.com/google.rpc.QuotaFailure"
    private static let refused = ResponseClass(.failed, credential: .refused, job: .stop)
    private static let expired = ResponseClass(
        .failed, retry: .withNewCredential, connection: .retire, credential: .renew)
    private static let slower = ResponseClass(
        .throttled, retry: .afterDelay, firstDelay: .seconds(60))
    private static let alone = ResponseClass(
        .throttled, retry: .afterOwnDelay, firstDelay: .seconds(60))
    private static let inDoubt = ResponseClass(.unknown, retry: .inDoubt)

    private static func fcm(_ code: String) -> String {
        #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#
    }

    private static func body(
        _ code: Int, _ status: String, _ message: String, _ details: String...
    ) -> String {
        let all = details.isEmpty ? "" : #","details":[\#(details.joined(separator: ","))]"#
        return
            #"{"error":{"code":\#(code),"message":"\#(message)","status":"\#(status)"\#(all)}}"#
    }

    private static func violation(_ field: String, _ text: String) -> String {
        #"{"@type":"\#(request)","fieldViolations":[{"field":"\#(field)","description":"\#(text)"}]}"#
    }

    static let answers: [Answer] = [
        Answer(
            name: "no access token", status: 401,
            body: body(
                401, "UNAUTHENTICATED", "Request is missing required authentication credential.",
                #"{"@type":"\#(info)","reason":"CREDENTIALS_MISSING","domain":"googleapis.com","metadata":"#
                    + #"{"method":"google.firebase.fcm.v1.FcmService.SendMessage","service":"fcm.googleapis.com"}}"#
            ), word: "CREDENTIALS_MISSING", verdict: refused),
        Answer(
            name: "an access token that has expired", status: 401,
            body: body(
                401, "UNAUTHENTICATED", "Request had invalid authentication credentials.",
                #"{"@type":"\#(info)","reason":"ACCESS_TOKEN_EXPIRED","domain":"googleapis.com"}"#),
            word: "ACCESS_TOKEN_EXPIRED", verdict: expired),
        Answer(
            name: "an access token that is none", status: 401,
            body: body(
                401, "UNAUTHENTICATED", "Request had invalid authentication credentials."),
            word: "UNAUTHENTICATED", verdict: expired),
        Answer(
            name: "another reason of a 401", status: 401,
            body: body(
                401, "UNAUTHENTICATED", "No.",
                #"{"@type":"\#(info)","reason":"ACCOUNT_STATE_INVALID"}"#),
            word: "ACCOUNT_STATE_INVALID", verdict: refused),
        Answer(
            name: "the project's key for APNs is wrong", status: 401,
            body: body(
                401, "UNAUTHENTICATED", "Auth error from APNS or Web Push Service",
                fcm("THIRD_PARTY_AUTH_ERROR"),
                #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.ApnsError","statusCode":403,"reason":"InvalidProviderToken"}"#
            ), word: "THIRD_PARTY_AUTH_ERROR", verdict: ResponseClass(.failed)),
        Answer(
            name: "the same in old words", status: 401,
            body: body(401, "UNAUTHENTICATED", "Auth error", fcm("APNS_AUTH_ERROR")),
            word: "APNS_AUTH_ERROR", verdict: ResponseClass(.failed)),
        Answer(
            name: "no permission", status: 403,
            body: body(
                403, "PERMISSION_DENIED",
                "Permission 'cloudmessaging.messages.create' denied on resource '//cloudresourcemanager.googleapis.com/projects/p'"
            ), word: "PERMISSION_DENIED", verdict: refused),
        Answer(
            name: "no permission, with its reason", status: 403,
            body: body(
                403, "PERMISSION_DENIED", "Permission denied",
                #"{"@type":"\#(info)","reason":"IAM_PERMISSION_DENIED"}"#),
            word: "IAM_PERMISSION_DENIED", verdict: refused),
        Answer(
            name: "the API is off", status: 403,
            body: body(
                403, "PERMISSION_DENIED", "API has not been used in project 1 before",
                #"{"@type":"\#(info)","reason":"SERVICE_DISABLED"}"#),
            word: "SERVICE_DISABLED", verdict: refused),
        Answer(
            name: "another project's token", status: 403,
            body: body(
                403, "PERMISSION_DENIED", "SenderId mismatch", fcm("SENDER_ID_MISMATCH")),
            word: "SENDER_ID_MISMATCH", verdict: ResponseClass(.suspect)),
        Answer(
            name: "an unknown field", status: 400,
            body: body(
                400, "INVALID_ARGUMENT", "Invalid JSON payload received.",
                violation(
                    "message",
                    #"Invalid JSON payload received. Unknown name \"toen\" at 'message': Cannot find field."#
                )), word: "INVALID_ARGUMENT",
            verdict: ResponseClass(.failed, job: .stop, blames: .payload)),
        Answer(
            name: "no target", status: 400,
            body: body(
                400, "INVALID_ARGUMENT", "Recipient of the message is not set.",
                violation("message", "Recipient of the message is not set."),
                fcm("INVALID_ARGUMENT")), word: "INVALID_ARGUMENT",
            verdict: ResponseClass(.failed, job: .stop, blames: .payload)),
        Answer(
            name: "a malformed token, which is named", status: 400,
            body: body(
                400, "INVALID_ARGUMENT",
                "The registration token is not a valid FCM registration token",
                fcm("INVALID_ARGUMENT"), violation("message.token", "Invalid registration token")),
            word: "INVALID_ARGUMENT", verdict: ResponseClass(.suspect)),
        Answer(
            name: "a malformed token, in words only", status: 400,
            body: body(
                400, "INVALID_ARGUMENT",
                "The registration token is not a valid FCM registration token",
                fcm("INVALID_ARGUMENT")), word: "INVALID_ARGUMENT", verdict: ResponseClass(.suspect)
        ),
        Answer(
            name: "too large", status: 400,
            body: body(400, "INVALID_ARGUMENT", "Request contains an invalid argument."),
            word: "INVALID_ARGUMENT", verdict: ResponseClass(.rejected, job: .stopAtStart)),
        Answer(
            name: "invalid, and FCM does not say where", status: 400,
            body: body(
                400, "INVALID_ARGUMENT", "Request contains an invalid argument.",
                fcm("INVALID_ARGUMENT")), word: "INVALID_ARGUMENT",
            verdict: ResponseClass(.rejected, job: .stopAtStart)),
        Answer(
            name: "dead", status: 404,
            body: body(
                404, "NOT_FOUND", "Requested entity was not found.", fcm("UNREGISTERED")),
            word: "UNREGISTERED", verdict: ResponseClass(.unregistered)),
        Answer(
            name: "wrong project", status: 404,
            body: body(404, "NOT_FOUND", "Requested entity was not found."), word: "NOT_FOUND",
            verdict: ResponseClass(.failed, job: .stop)),
        Answer(
            name: "the project's quota", status: 429,
            body: body(
                429, "RESOURCE_EXHAUSTED", "Quota exceeded", fcm("QUOTA_EXCEEDED"),
                #"{"@type":"\#(quota)","violations":[{"subject":"project:123","description":"d","#
                    + #""api_service":"fcm.googleapis.com","quota_metric":"fcm.googleapis.com/default_requests","#
                    + #""quota_id":"DefaultRequestsPerMinutePerProject","quota_value":"600000"}]}"#),
            word: "QUOTA_EXCEEDED", verdict: slower),
        Answer(
            name: "a quota that is not named", status: 429,
            body: body(429, "RESOURCE_EXHAUSTED", "Quota exceeded"), word: "RESOURCE_EXHAUSTED",
            verdict: slower),
        Answer(
            name: "the device's quota", status: 429,
            body: body(
                429, "RESOURCE_EXHAUSTED", "Quota exceeded", fcm("QUOTA_EXCEEDED"),
                #"{"@type":"\#(quota)","violations":[{"subject":"DEVICE:abc","description":"d"}]}"#),
            word: "QUOTA_EXCEEDED", verdict: alone),
        Answer(
            name: "the device's quota, by its metric", status: 429,
            body: body(
                429, "RESOURCE_EXHAUSTED", "Quota exceeded", fcm("QUOTA_EXCEEDED"),
                #"{"violations":[{"quotaMetric":"fcm.googleapis.com/messages_per_device"}],"@type":"\#(quota)"}"#
            ), word: "QUOTA_EXCEEDED", verdict: alone),
        Answer(
            name: "the topic's quota", status: 429,
            body: body(
                429, "RESOURCE_EXHAUSTED", "Quota exceeded", fcm("QUOTA_EXCEEDED"),
                #"{"@type":"\#(quota)","violations":[{"subject":"topic:news"}]}"#),
            word: "QUOTA_EXCEEDED", verdict: alone),
        Answer(
            name: "internal", status: 500,
            body: body(500, "INTERNAL", "Internal error encountered.", fcm("INTERNAL")),
            word: "INTERNAL", verdict: inDoubt),
        Answer(
            name: "unavailable", status: 503,
            body: body(
                503, "UNAVAILABLE", "The service is currently unavailable.", fcm("UNAVAILABLE")),
            word: "UNAVAILABLE", verdict: inDoubt),
        Answer(
            name: "gone, which is none of FCM's", status: 410,
            body: body(410, "NOT_FOUND", "Gone", fcm("UNREGISTERED")), word: "UNREGISTERED",
            verdict: ResponseClass(.rejected, job: .stopAtStart)),
        Answer(
            name: "a front end's 404", status: 404,
            body: "<!DOCTYPE html><html><title>Error 404 (Not Found)!!1</title></html>", word: "",
            verdict: ResponseClass(.failed, retry: .afterDelay, job: .stopAtStart)),
        Answer(
            name: "a front end's 502", status: 502,
            body: "<html><body>Please try again in 30 seconds.</body></html>", word: "",
            verdict: ResponseClass(.unknown, retry: .inDoubt, firstDelay: .seconds(30))),
        Answer(name: "no body", status: 504, body: "", word: "", verdict: inDoubt),
    ]

    private func read(_ answer: Answer, _ body: String) -> (ResponseClass, String) {
        var parser = GoogleErrorBody()
        return Array(body.utf8).withUnsafeBufferPointer { bytes in
            let content = parser.parse(bytes)
            let none = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
            let word = content.map { parser.bytes($0.word) } ?? none
            let found = FCMAnswers.judge(
                status: answer.status, facts: content?.facts, word: word)
            return (found.verdict, String(decoding: word, as: UTF8.self))
        }
    }

    @Test(arguments: answers)
    func `an answer has its verdict, on one line or on many`(answer: Answer) {
        for body in [answer.body, Self.pretty(answer.body), answer.body + "\n"] {
            let (verdict, word) = read(answer, body)
            #expect(verdict == answer.verdict, "\(body)")
            #expect(word == answer.word, "\(body)")
        }
    }

    @Test(arguments: answers)
    func `an answer that is cut off says no more than its status`(answer: Answer) {
        let fallback = FCMAnswers.fallback(status: answer.status, isGoogles: false)
        for count in stride(from: 0, to: answer.body.utf8.count, by: 7) {
            let (verdict, word) = read(answer, String(answer.body.prefix(count)))
            #expect(verdict == fallback && word == "")
        }
    }

    /// As Google's services write by default: each member on a line of its own, blanks behind colons.
    private static func pretty(_ body: String) -> String {
        var (text, depth, isInText, isEscaped) = ("", 0, false, false)
        for character in body {
            if isInText || character == "\"" {
                text.append(character)
                if character == "\"", !isEscaped { isInText.toggle() }
                isEscaped = character == "\\" && !isEscaped
                continue
            }
            switch character {
            case "{", "[":
                depth += 1
                text += "\(character)\n" + String(repeating: "  ", count: depth)
            case "}", "]":
                depth -= 1
                text += "\n" + String(repeating: "  ", count: max(depth, 0)) + "\(character)"
            case ",": text += ",\n" + String(repeating: "  ", count: depth)
            case ":": text += ": "
            default: text.append(character)
            }
        }
        return text
    }
}
