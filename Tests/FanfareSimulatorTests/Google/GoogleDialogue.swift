import FanfareBase
import FanfareHTTP2
import FanfareSimulator
import Foundation
import Testing

/// A client of Google's services and a simulated connection, in memory and on a clock of ours.
struct GoogleDialogue {
    /// A message's body: for a token that begins in this way.
    static func message(_ tokenPrefix: String = "", _ members: String = "") -> String {
        let token = tokenPrefix + FCMMessageTests.token.dropFirst(tokenPrefix.utf8.count)
        return #"{"message":{"token":"\#(token)"\#(members)}}"#
    }

    /// As the service says it.
    static func fcmError(_ code: String) -> String {
        #""details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}]"#
    }

    static let project = ServiceAccountFixture.projectID
    static let path = "/v1/projects/\(project)/messages:send?prettyPrint=false"

    let dialogue: SimulatedDialogue
    /// The bearer of requests, unless they name another.
    var bearer: String?
    private var tag: UInt32 = 0

    /// Connects.
    /// - Parameters:
    ///   - rules: Of the scenario.
    ///   - seconds: The life of the access token that messages are sent with.
    ///   - change: The change from the usual.
    /// - Throws: The fault in the rules.
    init(
        rules: String = "", lifeOfToken seconds: UInt64 = 3599,
        _ change: (inout SimulatorConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = SimulatorConfiguration()
        configuration.fcm.projectID = Self.project
        var text = #"{"rules":[\#(rules)]}"#
        configuration.scenario = try text.withUTF8 { try Scenario(json: $0) }
        change(&configuration)
        dialogue = try SimulatedDialogue(
            configuration,
            fields: [
                HeaderField(":method", nil, .withoutIndexing), HeaderField(":scheme", "https"),
                HeaderField(":authority", "localhost:8443"), HeaderField(":path", nil),
                HeaderField("authorization", nil, .neverIndexed),
                HeaderField("content-type", nil, .withoutIndexing),
            ])
        bearer =
            "Bearer "
            + AccessTokens(seed: configuration.seed).token(
                for: .init(expiresAt: dialogue.unixMilliseconds + seconds * 1000))
    }

    /// Queues a request.
    @discardableResult
    mutating func submit(
        _ body: String = message(), path: String = path, method: String = "POST",
        type: String? = "application/json"
    ) throws -> UInt32 {
        tag += 1
        try dialogue.submit(tag, values: [method, path, bearer, type], body: body)
        return tag
    }

    /// Sends a request and waits for its end, without any time passing.
    mutating func send(
        _ body: String = message(), path: String = path, method: String = "POST",
        type: String? = "application/json"
    ) throws -> SimulatedDialogue.Ending {
        let tag = try submit(body, path: path, method: method, type: type)
        dialogue.exchange()
        return try #require(dialogue.endings[tag])
    }

    /// Asks for an access token.
    mutating func ask(_ assertion: String) throws -> SimulatedDialogue.Ending {
        try send(
            ServiceAccountFixture.form(assertion), path: "/token",
            type: "application/x-www-form-urlencoded")
    }
}
