/// An answer whose parts that are always the same have been put into bytes.
struct PreparedAnswer {
    let status: Int
    let reason: [UInt8]
    /// The body up to where a timestamp goes; empty for an answer without a body.
    let bodyStart: [UInt8]
    /// The body's timestamp in milliseconds since 1970, if it is always the same.
    let timestamp: UInt64?
    /// The body has the time of the request for its timestamp.
    let isStampedNow: Bool
    let retryAfter: [UInt8]
    /// The time from the answer to the date of `retry-after`, if that is a date.
    let retryDateNanoseconds: Int64?

    init(_ answer: ScenarioAnswer) {
        status = answer.status
        reason = Array(answer.reason.utf8)
        bodyStart = answer.reason.isEmpty ? [] : Array("{\"reason\":\"\(answer.reason)\"".utf8)
        timestamp = answer.timestamp
        isStampedNow = answer.status == 410 && answer.timestamp == nil && !answer.reason.isEmpty
        retryAfter = Array(answer.retryAfter.utf8)
        retryDateNanoseconds = answer.retryDateNanoseconds
    }

    /// The answers of a simulator, in this order: 200, each refusal, each rule of the scenario.
    static func all(for scenario: Scenario) -> [PreparedAnswer] {
        var answers = [PreparedAnswer(ScenarioAnswer(status: 200))]
        for refusal in Refusal.allCases {
            answers.append(
                PreparedAnswer(ScenarioAnswer(status: refusal.status, reason: refusal.reason)))
        }
        for rule in scenario.rules {
            if case .answer(let answer) = rule.action.stream {
                answers.append(PreparedAnswer(answer))
            } else {
                // Keeps the places in step with the rules.
                answers.append(answers[0])
            }
        }
        return answers
    }

    static let accepted = 0

    static func index(of refusal: Refusal) -> Int { 1 + Int(refusal.rawValue) }

    static func index(ofRule rule: Int) -> Int { 1 + Refusal.allCases.count + rule }
}
