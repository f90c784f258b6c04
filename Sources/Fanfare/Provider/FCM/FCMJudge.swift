import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareJSON

/// Reads FCM's answers: a message's name, or an error in the form of Google's services.
final class FCMJudge: AnswerJudge {
    /// The texts of which FCM has accepted a message: what all of their messages have in common is right.
    private struct AcceptedTexts {
        var last: UInt8?
        var all: Set<UInt8> = []
    }

    private let validatesOnly: Bool
    private let texts: [FCMFilledPlaces]
    private var errorBody = GoogleErrorBody()
    /// Behind a pointer, because each accepted row looks at it.
    private let accepted = Pinned(AcceptedTexts())

    /// - Parameters:
    ///   - validatesOnly: True if messages are only validated, and not delivered.
    ///   - texts: The texts that messages are made of, in the order of the rows' numbers for them.
    init(validatesOnly: Bool = false, texts: [FCMFilledPlaces] = []) {
        self.validatesOnly = validatesOnly
        self.texts = texts
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
        let isSuccess = response.status < 300
        let name =
            unsafe isSuccess && response.isComplete ? FCMMessageName.read(response.body) : .empty
        if unsafe isSuccess && name.isEmpty && ShownWords.isPage(response.body) {
            return Judgement(.foreignSuccess)
        }
        guard response.status != 200 else {
            if !row.ownColumns.contains(.payload) { accept(row.variant) }
            var judgement = Judgement(.accepted)
            unsafe judgement.messageID = name
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
        if let column = judgement.class.blamedColumn {
            if row.ownColumns.contains(column) {
                judgement.class = judgement.class.ownFault
            } else if let content, isFault(content, ofRowWith: row.variant) {
                judgement.class = judgement.class.ownFault
                // As long as nothing is accepted, it may be a fault of all values.
                judgement.class.job = .stopAtStart
            }
        }
        return judgement
    }

    private func accept(_ text: UInt8) {
        accepted.withValue { accepted in
            guard accepted.last != text else { return }
            accepted.last = text
            accepted.all.insert(text)
        }
    }

    /// True if the part of a message that FCM names as wrong is made of the row's values, or has been right
    /// before in messages of the same text.
    private func isFault(_ content: GoogleErrorBody.Content, ofRowWith text: UInt8) -> Bool {
        if accepted.withValue({ $0.all.contains(text) }) { return true }
        let place = max(Int(text), 1) - 1
        guard !content.hasUnknownMember, place < texts.count else { return false }
        return unsafe texts[place].reach(errorBody.bytes(content.field))
    }

    /// FCM's front ends name their reason in words of their own, which say nothing of the project.
    func judge(goAway debugData: UnsafeBufferPointer<UInt8>) -> GoAwayNotice? { nil }
}
