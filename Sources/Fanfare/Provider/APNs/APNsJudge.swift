import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareJSON

/// Reads APNs' answers: a status, and a reason in a JSON body.
final class APNsJudge: AnswerJudge {
    private var errorBody = ProviderErrorBody()

    func judge(_ response: Response, to row: borrowing PreparedRow) -> Judgement {
        var judgement = Judgement(.accepted)
        if response.status != 200 { judgeRefusal(response, to: row, &judgement) }
        // APNs accepts without a body.
        if unsafe response.status < 300 && ShownWords.isPage(response.body) {
            judgement.class = .foreignSuccess
        }
        unsafe judgement.messageID = HeaderRules.news(
            inAPNsID: response.messageID, sent: row.bytes.bytes(row.messageID))
        return judgement
    }

    private func judgeRefusal(
        _ response: Response, to row: borrowing PreparedRow, _ judgement: inout Judgement
    ) {
        // Half an answer is like one from something in between: no verdict on row, token or credential.
        var isJSON = false
        if unsafe !response.body.isEmpty, let content = unsafe errorBody.parse(response.body) {
            unsafe judgement.reason = errorBody.reason(content)
            judgement.timestamp = content.timestamp
            isJSON = response.isComplete
        }
        judgement.class = unsafe .of(
            status: response.status, reason: judgement.reason, bodyIsJSON: isJSON)
        if let column = judgement.class.blamedColumn, row.ownColumns.contains(column) {
            judgement.class = judgement.class.ownFault
        }
    }

    func judge(goAway debugData: UnsafeBufferPointer<UInt8>) -> GoAwayNotice? {
        guard let content = unsafe errorBody.parse(debugData) else { return nil }
        let reason = unsafe errorBody.reason(content)
        return unsafe GoAwayNotice(reason: reason, class: .ofGoAway(reason: reason))
    }
}
