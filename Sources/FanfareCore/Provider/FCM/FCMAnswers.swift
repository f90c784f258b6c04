import FanfareBase

/// The meaning of FCM's answers.
///
/// The table in `FCMAnswers+Table.swift` knows the documented ones; for the rest the status
/// decides. A dead token is a 404 with FCM's own word, and nothing else: a 404 without it means a
/// project that does not exist, and every row gets it.
package enum FCMAnswers {
    /// The wait when a quota is used up; the project's is filled again each minute.
    static let quotaDelay = Duration.seconds(60)
    /// The wait when the front end has no backend: its page says "try again in 30 seconds".
    static let badGatewayDelay = Duration.seconds(30)

    /// A verdict, and its place in the table.
    package struct Finding: Equatable, Sendable {
        package var verdict: ResponseClass
        /// The index of the rule in `rules`, where answers are counted; nil for one of the fallbacks.
        package var rule: Int?
    }

    /// Judges an answer.
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - facts: The facts of the body; nil when it is not a whole error of a Google service.
    ///   - word: The word of the refusal, whose origin is `facts.source`; empty if there is none.
    /// - Returns: The first rule that fits, else the fallback of the status.
    /// - Complexity: One comparison for 200; else a scan of the table's numbers, and of the texts of that
    ///   status. No allocation.
    package static func judge(
        status: UInt16, facts: GoogleErrorFacts?, word: UnsafeBufferPointer<UInt8>
    ) -> Finding {
        if status == 200 { return accepted }
        if let facts {
            for index in rules.indices where rules[index].status == status {
                if unsafe rules[index].fits(facts, word: word) {
                    return Finding(verdict: rules[index].verdict, rule: index)
                }
            }
        }
        return Finding(verdict: fallback(status: status, isGoogles: facts != nil), rule: nil)
    }

    /// Returns the verdict on an answer that is not in the table.
    ///
    /// A body that is not Google's comes from a front end or from something in between. It says
    /// nothing of the row; we believe it that a credential or a path is wrong only when nothing
    /// else is heard.
    package static func fallback(status: UInt16, isGoogles: Bool) -> ResponseClass {
        switch (status, isGoogles) {
        case (200...299, _): ResponseClass(.accepted)
        case (300...399, _): ResponseClass(.failed, retry: .afterDelay, job: .stopAtStart)
        case (408, _): ResponseClass(.failed, retry: .afterDelay)
        // Misdirected: this server does not answer for the name, another one may.
        case (421, _): ResponseClass(.failed, retry: .elsewhereAtOnce, connection: .retire)
        case (429, _):
            ResponseClass(
                .throttled, retry: .afterDelay, firstDelay: FCMAnswers.quotaDelay)
        case (502, _):
            ResponseClass(.unknown, retry: .inDoubt, firstDelay: FCMAnswers.badGatewayDelay)
        case (500..., _): ResponseClass(.unknown, retry: .inDoubt)
        case (400..., false): ResponseClass(.failed, retry: .afterDelay, job: .stopAtStart)
        default: ResponseClass(.rejected, job: .stopAtStart)
        }
    }

    private static let accepted = Finding(verdict: rules[0].verdict, rule: 0)
}
