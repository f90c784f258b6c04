import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareJSON

/// Reads FCM's answers: a message's name, or an error in the form of Google's services.
final class FCMJudge: AnswerJudge {
    private let validatesOnly: Bool
    private var errorBody = GoogleErrorBody()

    /// - Parameter validatesOnly: True if messages are only validated, and not delivered.
    init(validatesOnly: Bool = false) {
        self.validatesOnly = validatesOnly
    }

    func judge(_ response: Response, to row: borrowing PreparedRow) -> Judgement {
        let judgement = judgeMessage(response, to: row)
        guard validatesOnly, case .accepted = judgement.class.outcome else { return judgement }
        // It has no name: the service makes one up that is the same for all.
        var valid = Judgement(ResponseClass(.skipped))
        unsafe valid.reason = Outcome.validReason.bytes
        return valid
    }

    private func judgeMessage(_ response: Response, to row: borrowing PreparedRow) -> Judgement {
        guard response.status != 200 else {
            var judgement = Judgement(.accepted)
            if response.isComplete {
                unsafe judgement.messageID = FCMMessageName.read(response.body)
            }
            return judgement
        }
        // Half an answer is like one from something in between.
        let content = unsafe response.isComplete ? errorBody.parse(response.body) : nil
        let word = unsafe content.map { unsafe errorBody.bytes($0.word) } ?? .empty
        var judgement = unsafe Judgement(
            FCMAnswers.judge(status: response.status, facts: content?.facts, word: word).verdict)
        unsafe judgement.reason = word
        // An app that has registered its token behind that moment may have done so after the answer.
        judgement.isDeadWhenSent = judgement.class.outcome == .unregistered
        if let column = judgement.class.blamedColumn, row.ownColumns.contains(column) {
            judgement.class = judgement.class.ownFault
        }
        return judgement
    }

    /// FCM's front ends name their reason in words of their own, which say nothing of the project.
    func judge(goAway debugData: UnsafeBufferPointer<UInt8>) -> GoAwayNotice? { nil }
}
