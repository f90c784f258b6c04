import FanfareBase
import FanfareCore
import FanfareJSON
import FanfareSimulator
import Foundation
import Testing

@testable import Fanfare

/// The simulator's answers for FCM, judged by a description and by the built-in provider.
@Suite struct SimulatedFCMTests {
    private let file: ProviderFile

    init() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures/providers/fcm.json")
        file = try ProviderFile([UInt8](Data(contentsOf: path)), name: "fcm.json")
    }

    private static let refusals: [FCMRefusal] = [
        .notServed(path: "/v1/x"), .frontEnd(status: 502), .frontEnd(status: 504),
        .credentialsMissing, .accessTokenExpired, .credentialsInvalid, .thirdPartyAuth,
        .permissionDenied(project: "p"), .scopeInsufficient, .serviceDisabled(project: "p"),
        .senderMismatch, .notJSON,
        .unreadable([.init("message.android", "Invalid value at 'message.android'")]),
        .unreadable([.init("", "Invalid JSON payload received.")]),
        .unreadable([.init("message", "a"), .init("message.token", "b")]), .noRecipient,
        .invalidArgument, .tooLarge, .invalidToken, .unnamedInvalidToken, .unregistered,
        .projectNotFound, .quotaExceeded(.device, subject: "device:t", value: nil),
        .quotaExceeded(.topic, subject: "topic:news", value: nil),
        .quotaExceeded(.project, subject: "project:p", value: 600_000), .internalError,
        .unavailable, .other(status: 409, word: "ABORTED"), .other(status: 410, word: ""),
        .other(status: 418, word: "TEAPOT"), .other(status: 501, word: ""),
        .other(status: 401, word: "APNS_AUTH_ERROR"),
    ]

    @Test func `the examples of the file hold`() {
        #expect(ExampleRun.faults(of: file).map(\.description) == [])
    }

    @Test(arguments: refusals)
    func `both mean the same by an answer`(refusal: FCMRefusal) throws {
        for isPretty in [false, true] {
            let answer = refusal.answer(isPretty: isPretty)
            let status = try #require(UInt16(exactly: answer.status))
            var parser = GoogleErrorBody()
            let builtIn = answer.body.withUnsafeBufferPointer { bytes in
                let content = parser.parse(bytes)
                let none = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
                return FCMAnswers.judge(
                    status: status, facts: content?.facts,
                    word: content.map { parser.bytes($0.word) } ?? none
                ).verdict
            }
            let reply = file.reply(status: status, body: answer.body)
            let declared = DeclaredJudge(file.provider.answer).judge(
                reply, tokens: [Array("t".utf8)])
            #expect(declared.rows.map(\.class) == [builtIn])
        }
    }
}
