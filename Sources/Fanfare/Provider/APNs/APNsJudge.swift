import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareJSON

/// Reads APNs' answers: a status, and a reason in a JSON body.
final class APNsJudge: AnswerJudge {
    private var errorBody = ProviderErrorBody()

    func judge(_ response: Response, to row: borrowing PreparedRow) -> Judgement {
        var reason = unsafe UnsafeBufferPointer<UInt8>.empty
        var timestamp: Int64?
        // Half an answer is like one from something in between: no verdict on row, token or credential.
        var isJSON = false
        if response.status != 200, unsafe !response.body.isEmpty,
            let content = unsafe errorBody.parse(response.body)
        {
            unsafe reason = errorBody.reason(content)
            timestamp = content.timestamp
            isJSON = response.isComplete
        }
        var judgement = unsafe Judgement(
            .of(status: response.status, reason: reason, bodyIsJSON: isJSON))
        unsafe judgement.reason = reason
        judgement.timestamp = timestamp
        unsafe judgement.messageID = HeaderRules.news(
            inAPNsID: response.messageID, sent: row.bytes.bytes(row.messageID))
        if let column = judgement.class.blamedColumn, row.ownColumns.contains(column) {
            judgement.class = judgement.class.ownFault
        }
        return judgement
    }

    func judge(goAway debugData: UnsafeBufferPointer<UInt8>) -> GoAwayNotice? {
        guard let content = unsafe errorBody.parse(debugData) else { return nil }
        let reason = unsafe errorBody.reason(content)
        return unsafe GoAwayNotice(reason: reason, class: .ofGoAway(reason: reason))
    }
}
