import FanfareBase
import FanfareHTTP2
import FanfareSimulator
import Testing

/// The rules of a scenario, for requests to Google's services.
@Suite struct FCMScenarioTests {
    /// The answer of a rule: its status, and a part of its body by which it is known.
    private static let answers: [(then: String, status: UInt16, part: String)] = [
        // In FCM's words.
        (#""status":404,"reason":"UNREGISTERED""#, 404, GoogleDialogue.fcmError("UNREGISTERED")),
        (#""status":404,"reason":"NOT_FOUND""#, 404, #""status":"NOT_FOUND"}}"#),
        (#""status":404"#, 404, GoogleDialogue.fcmError("UNREGISTERED")),
        (#""status":400"#, 400, #""field":"message.token""#),
        (#""status":400,"reason":"message.token""#, 400, #""field":"message.token""#),
        (
            #""status":400,"reason":"INVALID_REGISTRATION""#, 400,
            #"a valid FCM registration token","status":"INVALID_ARGUMENT","#
                + GoogleDialogue.fcmError("INVALID_ARGUMENT")
        ),
        (
            #""status":400,"reason":"INVALID_ARGUMENT""#, 400,
            #"contains an invalid argument.","status":"INVALID_ARGUMENT","#
                + GoogleDialogue.fcmError("INVALID_ARGUMENT")
        ),
        (#""status":401"#, 401, #""status":"UNAUTHENTICATED"}}"#),
        (
            #""status":401,"reason":"ACCESS_TOKEN_EXPIRED""#, 401,
            #""reason":"ACCESS_TOKEN_EXPIRED""#
        ),
        (
            #""status":401,"reason":"THIRD_PARTY_AUTH_ERROR""#, 401,
            GoogleDialogue.fcmError("THIRD_PARTY_AUTH_ERROR")
        ),
        (#""status":403"#, 403, #""reason":"IAM_PERMISSION_DENIED""#),
        (#""status":403,"reason":"SERVICE_DISABLED""#, 403, #""consumer":"projects/demo-project""#),
        (
            #""status":403,"reason":"SENDER_ID_MISMATCH""#, 403,
            GoogleDialogue.fcmError("SENDER_ID_MISMATCH")
        ),
        (#""status":413"#, 400, #"invalid argument.","status":"INVALID_ARGUMENT"}}"#),
        (#""status":429"#, 429, #""subject":"device:"#),
        (#""status":429,"reason":"QUOTA_EXCEEDED""#, 429, #""subject":"project:demo-project""#),
        (
            #""status":429,"reason":"TOPIC_QUOTA_EXCEEDED""#, 429,
            #""quota_metric":"fcm.googleapis.com/topic_messages""#
        ),
        (#""status":500"#, 500, GoogleDialogue.fcmError("INTERNAL")),
        (#""status":502"#, 502, "Please try again in 30 seconds"),
        (#""status":503"#, 503, GoogleDialogue.fcmError("UNAVAILABLE")),
        (#""status":504"#, 504, "Please try again in 30 seconds"),
        // The service does not say these today.
        (#""status":409,"reason":"ABORTED_TWICE""#, 409, GoogleDialogue.fcmError("ABORTED_TWICE")),
        (#""status":500,"reason":"UNREGISTERED""#, 500, GoogleDialogue.fcmError("UNREGISTERED")),
        (#""status":200"#, 200, #""name":"projects/demo-project/messages/0:"#),
    ]

    @Test(arguments: answers.indices)
    func `a rule for FCM answers as FCM does`(index: Int) throws {
        let (then, status, part) = Self.answers[index]
        var client = try GoogleDialogue(
            rules: #"{"when":{"provider":"fcm"},"then":{\#(then)}}"#)
        let ending = try client.send()
        // 413 is no status of FCM's.
        #expect(ending.status == status)
        #expect(ending.body.contains(part), "\(ending.body)")
        #expect(ending.retryAfter == "")
    }

    /// The answer of a rule for all providers for APNs, and for FCM.
    private static let both: [(then: String, apns: String, status: UInt16, fcm: String)] = [
        (
            #""status":410"#, #"{"reason":"Unregistered","timestamp":1700000000000}"#, 404,
            GoogleDialogue.fcmError("UNREGISTERED")
        ),
        (
            #""status":400,"reason":"BadDeviceToken""#, #"{"reason":"BadDeviceToken"}"#, 400,
            #""field":"message.token""#
        ),
        (
            #""status":400,"reason":"DeviceTokenNotForTopic""#,
            #"{"reason":"DeviceTokenNotForTopic"}"#, 403,
            GoogleDialogue.fcmError("SENDER_ID_MISMATCH")
        ),
        (
            #""status":400,"reason":"BadTopic""#, #"{"reason":"BadTopic"}"#, 400,
            GoogleDialogue.fcmError("INVALID_ARGUMENT")
        ),
        (
            #""status":403,"reason":"ExpiredProviderToken""#, #"{"reason":"ExpiredProviderToken"}"#,
            401, #""reason":"ACCESS_TOKEN_EXPIRED""#
        ),
        (
            #""status":403,"reason":"InvalidProviderToken""#, #"{"reason":"InvalidProviderToken"}"#,
            403, #""reason":"IAM_PERMISSION_DENIED""#
        ),
        (#""status":404"#, #"{"reason":"BadPath"}"#, 404, #""status":"NOT_FOUND"}}"#),
        (#""status":429"#, #"{"reason":"TooManyRequests"}"#, 429, #""subject":"device:"#),
        (
            #""rateLimit":{"rate":"1/h","burst":1,"per":"all"}"#, #"{"reason":"TooManyRequests"}"#,
            429, #""subject":"project:demo-project""#
        ),
        (
            #""status":500"#, #"{"reason":"InternalServerError"}"#, 500,
            GoogleDialogue.fcmError("INTERNAL")
        ),
        (
            #""status":503"#, #"{"reason":"ServiceUnavailable"}"#, 503,
            GoogleDialogue.fcmError("UNAVAILABLE")
        ),
    ]

    @Test(arguments: both.indices)
    func `a rule for all providers says to each what it means`(index: Int) throws {
        let (then, apns, status, fcm) = Self.both[index]
        let rules = #"{"then":{\#(then)}}"#
        var google = try GoogleDialogue(rules: rules)
        let apple = try SimulatedDialogue(google.dialogue.core.configuration)
        // The first one uses the burst of a rate up.
        _ = try google.send()
        _ = try apple.send(1)
        let ending = try google.send()
        #expect(ending.status == status)
        #expect(ending.body.contains(fcm), "\(ending.body)")
        #expect(try apple.send(2)?.body == apns)
    }

    @Test func `a rule may be for one provider`() throws {
        let rules = """
            {"when":{"provider":"apns","fraction":1},"then":{"status":410}},
            {"when":{"provider":"fcm"},"then":{"status":503,"retryAfter":7}},
            {"when":{"provider":"oauth","attempt":1},"then":{"status":503}},
            {"when":{"provider":"oauth","attempt":2},
             "then":{"status":400,"reason":"invalid_grant: Invalid grant: account not found"}}
            """
        var google = try GoogleDialogue(rules: rules)
        let busy = try google.send()
        #expect(busy.status == 503 && busy.retryAfter == "7")
        let apple = try SimulatedDialogue(google.dialogue.core.configuration)
        #expect(try apple.send(1)?.status == 410)
        let first = try google.ask("x")
        #expect(first.status == 503 && first.body == #"{"error":"temporarily_unavailable"}"#)
        let second = try google.ask("x")
        #expect(second.status == 400)
        #expect(
            second.body
                == #"{"error":"invalid_grant","error_description":"Invalid grant: account not found"}"#
        )
        // From the third on it is asked what it is given.
        #expect(try google.ask("x").body.contains("Bad Request"))
    }

    @Test func `a rule without a provider leaves the endpoint for tokens alone`() throws {
        var google = try GoogleDialogue(rules: #"{"then":{"stall":"stream"}}"#)
        #expect(try google.ask("x").status == 400)
    }

    @Test func `a prefix of FCM's tokens may have all their characters`() throws {
        var google = try GoogleDialogue(
            rules: #"{"when":{"provider":"fcm","tokenPrefix":"d_-A:"},"then":{"status":404}}"#)
        #expect(try google.send(GoogleDialogue.message("d_-a:")).status == 404)
        #expect(try google.send(GoogleDialogue.message("d--a:")).status == 200)
    }

    @Test func `streams, delays and dates are for all providers`() throws {
        let rules = """
            {"when":{"tokenPrefix":"aa"},"then":{"resetStream":"REFUSED_STREAM"}},
            {"when":{"tokenPrefix":"bb"},"then":{"stall":"stream"}},
            {"when":{"tokenPrefix":"cc"},"then":{"status":503,"latency":"2s",
             "retryAfter":{"dateIn":"30s"}}},
            {"when":{"fraction":[0,1],"attempt":2},"then":{"goaway":"graceful","status":404}}
            """
        var google = try GoogleDialogue(rules: rules)
        #expect(
            try google.send(GoogleDialogue.message("aa")) == .init(status: 0, code: .refusedStream))
        let stalled = try google.submit(GoogleDialogue.message("bb"))
        let slow = try google.submit(GoogleDialogue.message("cc"))
        google.dialogue.exchange()
        google.dialogue.advance(by: .seconds(2))
        #expect(google.dialogue.endings[stalled] == nil)
        let busy = try #require(google.dialogue.endings[slow])
        #expect(busy.status == 503)
        // 1,700,000,000 is 22:13:20, and 32 s later is the time to come again.
        #expect(busy.retryAfter == "Tue, 14 Nov 2023 22:13:52 GMT")
        #expect(try google.send().status == 200)
        #expect(try google.send().status == 404)
        #expect(google.dialogue.goAways.count == 1)
        let counters = google.dialogue.core.counters
        #expect(counters.reset == 1 && counters.unanswered == 1 && counters.requests == 5)
    }

    @Test(arguments: [
        (#"{"when":{"provider":"gcm"},"then":{"status":400}}"#, "rules[0].when.provider"),
        (
            #"{"when":{"provider":"fcm","tokenPrefix":"a b"},"then":{"status":400}}"#,
            "rules[0].when.tokenPrefix"
        ),
        (
            #"{"when":{"provider":"apns","tokenPrefix":"x"},"then":{"status":400}}"#,
            "rules[0].when.tokenPrefix"
        ),
        (#"{"when":{"provider":"oauth","fraction":0.5},"then":{"status":400}}"#, "rules[0].when"),
        (
            #"{"when":{"provider":"fcm"},"then":{"status":404,"reason":"UNREGISTERED","timestamp":1}}"#,
            "rules[0].then.timestamp"
        ),
    ])
    func `a fault is named with its place`(rule: String, place: String) {
        var text = #"{"rules":[\#(rule)]}"#
        let error = #expect(throws: SimulatorError.self) {
            try text.withUTF8 { try Scenario(json: $0, file: "s.json") }
        }
        #expect(error?.place == "s.json: " + place)
    }
}
