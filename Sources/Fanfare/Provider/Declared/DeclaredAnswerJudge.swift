import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareJSON

/// Reads the answers of a provider that a file describes, by the rules in it.
final class DeclaredAnswerJudge: AnswerJudge {
    /// A row's part of an answer, and where its words are.
    private struct Verdict {
        var `class`: ResponseClass
        var reason: ByteRange
        var id: ByteRange
    }

    private let file: ProviderFile
    private let judge: DeclaredJudge
    /// The reader of bodies; `nil` if nothing in them counts.
    private let parser: PlacedJSONParser?
    /// The verdicts of the last answer, in the order of its request.
    private var verdicts: [Verdict] = []
    private(set) var splits = false
    /// The words of the last answer, which judgements borrow, and the time of its retry-after
    /// field.
    private var words = ByteBuffer(capacity: 256)
    private var retryAfter = ByteRange.empty
    /// The first texts among the words.
    private var kept: [(text: String, place: ByteRange)] = []
    /// The number of texts that are looked for again: an id, and a few reasons.
    private static let keptTexts = 4

    init(_ file: ProviderFile) {
        self.file = file
        judge = DeclaredJudge(file.provider.answer)
        parser = file.provider.answer.usesBodies ? PlacedJSONParser() : nil
    }

    func judge(_ response: Response, to row: borrowing PreparedRow) -> Judgement {
        // A body that was cut off is not whole either.
        let isWhole =
            unsafe response.isComplete && response.bodyBytes == UInt64(response.body.count)
        let reply: DeclaredReply
        switch parser {
        case .some(let parser):
            reply = unsafe file.reply(
                status: response.status, body: response.body, isComplete: isWhole,
                parser: parser)
        case .none: reply = DeclaredReply(status: response.status, body: nil)
        }
        words.removeAll()
        if row.otherTokens.isEmpty, let found = judge.judgeAsWhole(reply) {
            splits = false
            let verdict = Verdict(
                class: found.class, reason: put(found.reason), id: put(found.id))
            verdicts.removeAll(keepingCapacity: true)
            verdicts.append(verdict)
        } else {
            judgeParts(of: reply, to: row)
        }
        let start = words.count
        unsafe words.append(response.retryAfter)
        retryAfter = ByteRange(start: start, count: words.count - start)
        var judgement = unsafe judgement(ofRow: 0).0
        if let column = judgement.class.blamedColumn, row.ownColumns.contains(column) {
            judgement.class = judgement.class.ownFault
        }
        return judgement
    }

    /// Judges an answer that may have a part for each row.
    private func judgeParts(of reply: DeclaredReply, to row: borrowing PreparedRow) {
        let (token, others) = unsafe (
            row.bytes.bytes(row.token), row.bytes.bytes(row.otherTokens)
        )
        let found = judge.judge(reply, count: unsafe 1 + TokenList.count(others)) {
            unsafe [Array(token)] + TokenList.read(others)
        }
        splits = found.splits
        kept.removeAll(keepingCapacity: true)
        verdicts = found.rows.map { found in
            Verdict(class: found.class, reason: keep(found.reason), id: keep(found.id))
        }
    }

    /// Keeps a text, which the rows of an answer mostly have in common, once.
    private func keep(_ text: String) -> ByteRange {
        guard !text.isEmpty else { return .empty }
        if let kept = kept.first(where: { $0.text == text }) { return kept.place }
        let place = put(text)
        if kept.count < Self.keptTexts { kept.append((text, place)) }
        return place
    }

    private func put(_ text: String) -> ByteRange {
        let start = words.count
        words.append(text)
        return ByteRange(start: start, count: words.count - start)
    }

    func judgement(ofRow index: Int) -> (Judgement, retryAfter: UnsafeBufferPointer<UInt8>) {
        let verdict = verdicts[index]
        var judgement = Judgement(verdict.class)
        unsafe judgement.reason = words.bytes(verdict.reason)
        unsafe judgement.messageID = words.bytes(verdict.id)
        judgement.isDeadWhenSent = verdict.class.outcome == .unregistered
        return unsafe (judgement, words.bytes(retryAfter))
    }

    /// A file says nothing of them.
    func judge(goAway debugData: UnsafeBufferPointer<UInt8>) -> GoAwayNotice? { nil }
}
