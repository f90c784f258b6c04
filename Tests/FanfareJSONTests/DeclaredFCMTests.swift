import FanfareBase
import FanfareCore
import FanfareJSON
import Foundation
import Testing

/// A description of FCM, held against the built-in provider: both have to mean the same by each answer.
@Suite struct DeclaredFCMTests {
    private let provider: DeclaredProvider

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/providers/fcm.json")
        let bytes = try [UInt8](Data(contentsOf: file))
        let json = try bytes.withUnsafeBufferPointer { try PlacedJSONParser().file($0) }
        switch DeclaredReader.read(json, text: bytes, isJSON: { _ in true }) {
        case .provider(let provider): self.provider = provider
        case .faults(let faults):
            throw JSONError(message: "\(faults.map(\.description))", line: 0, column: 0)
        }
    }

    private func declared(_ status: UInt16, _ body: String) -> ResponseClass? {
        let value = Array(body.utf8).withUnsafeBufferPointer { PlacedJSONParser().answer($0) }
        let reply = DeclaredReply(status: status, body: value)
        return DeclaredJudge(provider.answer).judge(reply, tokens: [Array("t".utf8)]).rows.first?
            .class
    }

    private func builtIn(_ status: UInt16, _ body: String) -> ResponseClass {
        var parser = GoogleErrorBody()
        return Array(body.utf8).withUnsafeBufferPointer { bytes in
            let content = parser.parse(bytes)
            let none = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
            return FCMAnswers.judge(
                status: status, facts: content?.facts,
                word: content.map { parser.bytes($0.word) } ?? none
            ).verdict
        }
    }

    @Test(arguments: FCMAnswerBodyTests.answers)
    func `a body that FCM has answered means the same`(answer: FCMAnswerBodyTests.Answer) {
        #expect(declared(answer.status, answer.body) == answer.verdict)
        for count in stride(from: 0, to: answer.body.utf8.count, by: 13) {
            let part = String(answer.body.prefix(count))
            #expect(declared(answer.status, part) == builtIn(answer.status, part), "\(part)")
        }
    }

    @Test(arguments: [
        "", "{}", "[]", "null", #"{"error":{}}"#, #"{"error":{"status":"X"}}"#,
        #"{"error":{"message":"The Registration Token is bad"}}"#, "<html></html>",
    ])
    func `an answer of any status means the same`(body: String) {
        for status in UInt16(200)...999 {
            #expect(declared(status, body) == builtIn(status, body), "\(status)")
        }
    }
}
