import FanfareCore
import Testing

@Suite struct ResponseClassTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var status: UInt16
        var reason: String
        var outcome: Outcome
        var retry: ResponseClass.Retry = .never
        var retires = false
        var credential: ResponseClass.Credential = .keep
        var stops = false
        var blames: RowSchema.Known?

        var testDescription: String { "\(status) \(reason)" }
    }

    /// Every row of the vendor's table, by hand.
    static let table: [Row] = [
        Row(status: 200, reason: "", outcome: .accepted),
        Row(
            status: 400, reason: "BadCollapseId", outcome: .failed, stops: true, blames: .collapseID
        ),
        Row(status: 400, reason: "BadDeviceToken", outcome: .suspect),
        Row(
            status: 400, reason: "BadExpirationDate", outcome: .failed, stops: true,
            blames: .expiration),
        Row(status: 400, reason: "BadMessageId", outcome: .rejected),
        Row(status: 400, reason: "BadPriority", outcome: .failed, stops: true, blames: .priority),
        Row(status: 400, reason: "BadTopic", outcome: .failed, stops: true, blames: .topic),
        Row(status: 400, reason: "DeviceTokenNotForTopic", outcome: .suspect),
        Row(status: 400, reason: "DuplicateHeaders", outcome: .failed, stops: true),
        Row(
            status: 400, reason: "IdleTimeout", outcome: .failed, retry: .elsewhereAtOnce,
            retires: true),
        Row(
            status: 400, reason: "InvalidPushType", outcome: .failed, stops: true,
            blames: .pushType),
        Row(status: 400, reason: "MissingDeviceToken", outcome: .rejected),
        Row(status: 400, reason: "MissingTopic", outcome: .failed, stops: true, blames: .topic),
        Row(status: 400, reason: "PayloadEmpty", outcome: .rejected),
        Row(status: 400, reason: "TopicDisallowed", outcome: .failed, stops: true, blames: .topic),
        refusal("BadCertificate"),
        refusal("BadCertificateEnvironment"),
        Row(
            status: 403, reason: "ExpiredProviderToken", outcome: .failed, retry: .elsewhereAtOnce,
            retires: true, credential: .renew),
        refusal("Forbidden"),
        refusal("InvalidProviderToken"),
        refusal("MissingProviderToken"),
        Row(
            status: 403, reason: "UnrelatedKeyIdInToken", outcome: .failed,
            retry: .elsewhereAtOnce, retires: true),
        refusal("BadEnvironmentKeyIdInToken"),
        refusal("BadEnvironmentKeyInToken"),
        Row(status: 404, reason: "BadPath", outcome: .rejected),
        Row(status: 405, reason: "MethodNotAllowed", outcome: .failed, stops: true),
        Row(status: 410, reason: "ExpiredToken", outcome: .unregistered),
        Row(status: 410, reason: "Unregistered", outcome: .unregistered),
        Row(status: 413, reason: "PayloadTooLarge", outcome: .rejected),
        Row(
            status: 429, reason: "TooManyProviderTokenUpdates", outcome: .throttled,
            retry: .afterDelay, retires: true, credential: .hold),
        Row(status: 429, reason: "TooManyRequests", outcome: .throttled, retry: .afterOwnDelay),
        Row(status: 500, reason: "InternalServerError", outcome: .failed, retry: .afterDelay),
        Row(status: 503, reason: "ServiceUnavailable", outcome: .failed, retry: .afterDelay),
        Row(
            status: 503, reason: "Shutdown", outcome: .failed, retry: .afterDelay, retires: true),
    ]

    static func refusal(_ reason: String) -> Row {
        Row(status: 403, reason: reason, outcome: .failed, credential: .refused, stops: true)
    }

    static func classified(_ status: UInt16, _ reason: String, json: Bool = true) -> ResponseClass {
        withBytes(reason) { ResponseClass.of(status: status, reason: $0, bodyIsJSON: json) }
    }

    @Test(arguments: table)
    func `a documented answer has its class`(row: Row) {
        let found = Self.classified(row.status, row.reason)
        #expect(found.outcome == row.outcome)
        #expect(found.retry == row.retry)
        #expect(found.connection == (row.retires ? .retire : .keep))
        #expect(found.credential == row.credential)
        #expect(found.job == (row.stops ? .stop : .goOn))
        #expect(found.blamedColumn == row.blames)
        #expect(found.reasonIndex.rule?.status == row.status)
        #expect(found.reasonIndex.rule?.reason.description == row.reason)
    }

    @Test func `the table holds the documented answers and no other`() {
        let documented = Set(Self.table.map { "\($0.status) \($0.reason)" })
        let held = ResponseClass.rules.map { "\($0.status) \($0.reason)" }
        #expect(Set(held) == documented)
        #expect(held.count == documented.count)
        #expect(held.count < Int(ReasonIndex.unlisted.rawValue))
        #expect(ReasonIndex.accepted.rule?.status == 200)
        #expect(ReasonIndex.unlisted.rule == nil)
    }

    @Test func `a stopped job's row is the row's own fault if it gave the blamed column`() {
        let disallowed = Self.classified(400, "TopicDisallowed")
        #expect(disallowed.ownFault.outcome == .rejected)
        #expect(disallowed.ownFault.job == .goOn)
        #expect(disallowed.ownFault.reasonIndex == disallowed.reasonIndex)
    }

    static let unlisted: [(UInt16, Bool, ResponseClass)] = [
        (201, false, ResponseClass(.accepted)),
        (100, true, ResponseClass(.rejected)),
        (301, true, ResponseClass(.failed, retry: .afterDelay)),
        (302, false, ResponseClass(.failed, retry: .afterDelay)),
        (400, true, ResponseClass(.rejected)),
        (400, false, ResponseClass(.failed, retry: .afterDelay)),
        (401, false, ResponseClass(.failed, retry: .afterDelay)),
        (401, true, ResponseClass(.failed, credential: .refused, job: .stop)),
        (403, true, ResponseClass(.failed, credential: .refused, job: .stop)),
        (403, false, ResponseClass(.failed, retry: .afterDelay)),
        (404, true, ResponseClass(.rejected)),
        (404, false, ResponseClass(.failed, retry: .afterDelay)),
        (405, false, ResponseClass(.failed, retry: .afterDelay)),
        (408, false, ResponseClass(.failed, retry: .afterDelay)),
        (410, true, ResponseClass(.unregistered)),
        (410, false, ResponseClass(.suspect)),
        (413, true, ResponseClass(.rejected)),
        (413, false, ResponseClass(.failed, retry: .afterDelay)),
        (499, false, ResponseClass(.failed, retry: .afterDelay)),
        (421, false, ResponseClass(.failed, retry: .elsewhereAtOnce, connection: .retire)),
        (429, false, ResponseClass(.throttled, retry: .afterDelay)),
        (500, false, ResponseClass(.failed, retry: .afterDelay)),
        (502, false, ResponseClass(.failed, retry: .afterDelay)),
        (521, false, ResponseClass(.failed, retry: .afterDelay)),
        (999, true, ResponseClass(.failed, retry: .afterDelay)),
        (0, true, ResponseClass(.rejected)),
    ]

    @Test(arguments: unlisted)
    func `for an unlisted reason the status decides`(
        status: UInt16, json: Bool, expected: ResponseClass
    ) {
        #expect(Self.classified(status, "SomethingNew", json: json) == expected)
        #expect(Self.classified(status, "", json: json) == expected)
    }

    @Test(
        arguments: [
            (UInt16(400), "Unregistered"), (410, "BadDeviceToken"), (400, "BadDeviceToke"),
            (400, "BadDeviceTokenX"), (400, "badDeviceToken"),
        ])
    func `a reason counts only with its own status and in full`(status: UInt16, reason: String) {
        let found = Self.classified(status, reason)
        #expect(found == ResponseClass.fallback(status: status, bodyIsJSON: true))
        #expect(found.reasonIndex == .unlisted)
    }

    @Test func `a reason in GOAWAY retires the connection and may stop the job`() {
        let found = withBytes("BadCertificateEnvironment") { ResponseClass.ofGoAway(reason: $0) }
        #expect(found?.job == .stop)
        #expect(found?.connection == .retire)
        #expect(withBytes("Shutdown") { ResponseClass.ofGoAway(reason: $0) }?.job == .goOn)
        #expect(withBytes("max_age") { ResponseClass.ofGoAway(reason: $0) } == nil)
        #expect(withBytes("") { ResponseClass.ofGoAway(reason: $0) } == nil)
    }

    @Test func `the page's table has a line for each rule`() {
        let lines = ResponseClass.markdownTable.split(separator: "\n")
        #expect(lines.count == 2 + Self.table.count + 12)
        #expect(
            lines.contains(
                "| 410 | `Unregistered` | `unregistered` | no | – | the token is no longer active for the topic |"
            ))
        #expect(
            lines.contains(
                "| 400 | `BadTopic` | `failed` | no | job stops (`rejected` if the row gave its own `topic`) | the topic is invalid |"
            ))
        for line in lines {
            #expect(line.filter { $0 == "|" }.count == 7)
        }
    }
}
