import Testing

@testable import FanfareCore

/// The parts of an answer that a description needs.
@Suite struct DeclaredAnswerTests {
    @Test func `bodies are of use for an id, a rule, a reason or a time to wait`() {
        func uses(_ change: (inout DeclaredAnswer) -> Void) -> Bool {
            var answer = DeclaredAnswer()
            change(&answer)
            return answer.usesBodies
        }
        let place = JSONPointer(keys: ["a"])
        #expect(!uses { _ in })
        #expect(uses { $0.id = place })
        #expect(uses { $0.otherwise.reason = .pointer(place) })
        #expect(uses { $0.otherwise.wait = DeclaredWait(at: place, unit: .seconds) })
    }
}
