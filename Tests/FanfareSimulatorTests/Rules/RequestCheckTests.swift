import FanfareSimulator
import Testing

/// Status and reason as the provider's documentation pairs them.
private let documented: [String: Int] = [
    "BadCollapseId": 400, "BadDeviceToken": 400, "BadExpirationDate": 400, "BadMessageId": 400,
    "BadPriority": 400, "BadTopic": 400, "DeviceTokenNotForTopic": 400, "DuplicateHeaders": 400,
    "InvalidPushType": 400, "MissingDeviceToken": 400, "MissingTopic": 400, "PayloadEmpty": 400,
    "TopicDisallowed": 400, "ExpiredProviderToken": 403, "InvalidProviderToken": 403,
    "MissingProviderToken": 403, "BadPath": 404, "MethodNotAllowed": 405, "PayloadTooLarge": 413,
    "TooManyProviderTokenUpdates": 429,
]

@Suite struct RequestCheckTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var reason: String?
        var what: String
        var change: @Sendable (inout RequestProbe) -> Void

        init(
            _ reason: String?, _ what: String,
            _ change: @escaping @Sendable (inout RequestProbe) -> Void
        ) {
            self.reason = reason
            self.what = what
            self.change = change
        }

        var testDescription: String { "\(reason ?? "200"): \(what)" }
    }

    static let uuid = "123e4567-e89b-12d3-a456-4266554400a0"

    static let cases: [Case] = [
        Case(nil, "a plain request") { _ in },
        Case(nil, "every optional field") {
            $0.set("apns-id", uuid)
            $0.set("apns-push-type", "alert")
            $0.set("apns-priority", "10")
            $0.set("apns-expiration", "1700000000")
            $0.set("apns-collapse-id", String(repeating: "c", count: 64))
            $0.set("content-type", "application/json")
        },
        Case(nil, "priority 1 and expiration 0") {
            $0.set("apns-priority", "1")
            $0.set("apns-expiration", "0")
        },
        Case(nil, "an unknown field twice") {
            $0.fields += [("x-trace", "1"), ("x-trace", "2")]
        },
        Case(nil, "background with priority 5") {
            $0.set("apns-push-type", "background")
            $0.set("apns-priority", "5")
        },
        Case(nil, "a token of 160 characters") {
            $0.set(":path", "/3/device/" + String(repeating: "aF", count: 80))
        },
        Case(nil, "a token of odd length") {
            $0.set(":path", "/3/device/" + String(repeating: "a", count: 163))
        },
        Case(nil, "the longest payload") { $0.payload = String(repeating: "1", count: 4096) },
        Case(nil, "the longest VoIP payload") {
            $0.set("apns-push-type", "voip")
            $0.payload = String(repeating: "1", count: 5120)
        },
        Case(nil, "a certificate instead of token and topic") {
            $0.isCertified = true
            $0.set("authorization", nil)
            $0.set("apns-topic", nil)
        },
        Case("MethodNotAllowed", "GET") { $0.set(":method", "GET") },
        Case("MethodNotAllowed", "lower case") { $0.set(":method", "post") },
        Case("BadPath", "another path") { $0.set(":path", "/4/broadcasts/apps/x") },
        Case("BadPath", "no slash") { $0.set(":path", "/3/device") },
        Case("BadPath", "a deeper path") { $0.set(":path", "/3/device/aa/bb") },
        Case("MissingDeviceToken", "nothing behind the slash") { $0.set(":path", "/3/device/") },
        Case("BadDeviceToken", "not hex") {
            $0.set(":path", "/3/device/" + String(repeating: "xy", count: 32))
        },
        Case("BadDeviceToken", "too short") {
            $0.set(":path", "/3/device/" + String(repeating: "a", count: 63))
        },
        Case("BadDeviceToken", "too long") {
            $0.set(":path", "/3/device/" + String(repeating: "a", count: 401))
        },
        Case("BadDeviceToken", "a query") {
            $0.set(":path", "/3/device/\(RequestProbe.token)?a=b")
        },
        Case("DuplicateHeaders", "two topics") { $0.fields.append(("apns-topic", "a.b")) },
        Case("DuplicateHeaders", "two ids") {
            $0.fields += [("apns-id", uuid), ("apns-id", uuid)]
        },
        Case("MissingProviderToken", "no authorization") { $0.set("authorization", nil) },
        Case("InvalidProviderToken", "as judged") { $0.tokenRefusal = .invalidProviderToken },
        Case("ExpiredProviderToken", "as judged") { $0.tokenRefusal = .expiredProviderToken },
        Case("TooManyProviderTokenUpdates", "as judged") {
            $0.tokenRefusal = .tooManyProviderTokenUpdates
        },
        Case("BadMessageId", "not a UUID") { $0.set("apns-id", "42") },
        Case("BadMessageId", "no hyphens") {
            $0.set("apns-id", String(repeating: "a", count: 36))
        },
        Case("BadMessageId", "empty") { $0.set("apns-id", "") },
        Case("MissingTopic", "no topic") { $0.set("apns-topic", nil) },
        Case("MissingTopic", "an empty topic") { $0.set("apns-topic", "") },
        Case("BadTopic", "a space") { $0.set("apns-topic", "com example") },
        Case("TopicDisallowed", "another bundle id") {
            $0.topics = AcceptedTopics(["com.example.other"])
        },
        Case(nil, "an accepted bundle id") { $0.topics = AcceptedTopics(["com.example.app"]) },
        Case(nil, "an accepted bundle id with its suffix") {
            $0.topics = AcceptedTopics(["com.example.app"])
            $0.set("apns-push-type", "liveactivity")
            $0.set("apns-topic", "com.example.app.push-type.liveactivity")
        },
        Case("DeviceTokenNotForTopic", "the suffix of another push type") {
            $0.topics = AcceptedTopics(["com.example.app"])
            $0.set("apns-push-type", "alert")
            $0.set("apns-topic", "com.example.app.voip")
        },
        Case("DeviceTokenNotForTopic", "no suffix") {
            $0.topics = AcceptedTopics(["com.example.app"])
            $0.set("apns-push-type", "voip")
        },
        Case("InvalidPushType", "unknown") { $0.set("apns-push-type", "shout") },
        Case("InvalidPushType", "empty") { $0.set("apns-push-type", "") },
        Case("BadPriority", "7") { $0.set("apns-priority", "7") },
        Case("BadPriority", "10 with background") {
            $0.set("apns-priority", "10")
            $0.set("apns-push-type", "background")
        },
        Case("BadExpirationDate", "negative") { $0.set("apns-expiration", "-1") },
        Case("BadExpirationDate", "text") { $0.set("apns-expiration", "tomorrow") },
        Case("BadCollapseId", "65 bytes") {
            $0.set("apns-collapse-id", String(repeating: "c", count: 65))
        },
        Case("PayloadEmpty", "no body") { $0.payload = "" },
        Case("PayloadEmpty", "not JSON") { $0.isJSON = false },
        Case("PayloadTooLarge", "one byte more") {
            $0.payload = String(repeating: "1", count: 4097)
        },
        Case("PayloadTooLarge", "one byte more, VoIP") {
            $0.set("apns-push-type", "voip")
            $0.payload = String(repeating: "1", count: 5121)
        },
    ]

    @Test(arguments: cases)
    func `each fault gets the reason that the provider documents`(_ testCase: Case) {
        let refusal = RequestProbe(testCase.change).refusal
        #expect(refusal?.reason == testCase.reason)
        if let refusal { #expect(documented[refusal.reason] == refusal.status) }
    }

    @Test func `every refusal has a case in the table`() {
        let covered = Set(Self.cases.compactMap(\.reason))
        #expect(covered == Set(Refusal.allCases.map(\.reason)))
        #expect(covered == Set(documented.keys))
    }

    @Test func `the order of the fields does not matter`() {
        for testCase in Self.cases where testCase.reason != "DuplicateHeaders" {
            var probe = RequestProbe(testCase.change)
            probe.fields.reverse()
            #expect(probe.refusal?.reason == testCase.reason, "\(testCase.what)")
        }
    }

    @Test func `of several faults the first in the provider's order is the answer`() {
        let probe = RequestProbe {
            $0.set(":path", "/3/device/zz")
            $0.set("apns-priority", "7")
            $0.payload = ""
        }
        #expect(probe.refusal == .badPriority)
    }
}
