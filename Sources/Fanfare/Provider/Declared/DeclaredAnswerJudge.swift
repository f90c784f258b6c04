import FanfareBase
import FanfareCore
import FanfareHTTP2

/// Reads the answers of a provider that a file describes, by the rules in it.
final class DeclaredAnswerJudge: AnswerJudge {
    private let file: ProviderFile
    private let judge: DeclaredJudge
    /// The words of the last answer, which judgements borrow.
    private var reason = ByteBuffer(capacity: 128)
    private var id = ByteBuffer(capacity: 64)

    init(_ file: ProviderFile) {
        self.file = file
        judge = DeclaredJudge(file.provider.answer)
    }

    func judge(_ response: Response, to row: borrowing PreparedRow) -> Judgement {
        // What was cut off is no whole body either.
        let isWhole =
            unsafe response.isComplete
            && response.bodyBytes == UInt64(response.body.count)
        let reply = unsafe file.reply(
            status: response.status, body: Array(response.body), isComplete: isWhole)
        let token = unsafe Array(row.bytes.bytes(row.token))
        let found = judge.judge(reply, tokens: [token]).rows[0]
        reason.removeAll()
        reason.append(found.reason)
        id.removeAll()
        id.append(found.id)
        var judgement = Judgement(found.class)
        unsafe judgement.reason = reason.bytes
        unsafe judgement.messageID = id.bytes
        judgement.isDeadWhenSent = found.class.outcome == .unregistered
        if let column = found.class.blamedColumn, row.ownColumns.contains(column) {
            judgement.class = found.class.ownFault
        }
        return judgement
    }

    /// A file says nothing of them.
    func judge(goAway debugData: UnsafeBufferPointer<UInt8>) -> GoAwayNotice? { nil }
}
