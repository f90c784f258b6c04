import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareJSON

/// The last answer of a provider that a file describes, read by the rules in it: a verdict for each row of its
/// request, and the words that judgements borrow.
struct DeclaredReading: ~Copyable {
    /// A row's part of an answer, and where its words are.
    private struct Verdict {
        var `class`: ResponseClass
        var reason: ByteRange
        var id: ByteRange
        /// The wait that the body asks for.
        var wait: Duration?
        /// True if it is that of the row before, and no matter of the row's own columns.
        var repeats = false
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
    /// The last answer, if it was about one row and all of it: the next one is mostly the same.
    private var known = KnownReply()
    /// The place of an id that such answers may differ in.
    private let freeID: JSONPointer?

    init(_ file: ProviderFile) {
        self.file = file
        judge = DeclaredJudge(file.provider.answer)
        freeID = file.provider.answer.freeID
        parser = file.provider.answer.usesBodies ? PlacedJSONParser() : nil
    }

    mutating func judge(_ response: Response, to row: borrowing PreparedRow) -> Judgement {
        // A body that was cut off is not whole either.
        let isWhole =
            unsafe response.isComplete && response.bodyBytes == UInt64(response.body.count)
        let isAlone = row.otherTokens.isEmpty
        switch isAlone && isWhole ? known.likeness(response) : .none {
        case .same: words.removeLast(Int(retryAfter.count))
        case .sameBut(let id):
            // The words are the reason, the id and the field, in this order.
            words.removeLast(Int(retryAfter.count + verdicts[0].id.count))
            let start = words.count
            unsafe words.append(response.body.extracting(id))
            verdicts[0].id = ByteRange(start: start, count: id.count)
        case .none: judgeAnew(response, isWhole: isWhole, to: row)
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

    /// Judges an answer that differs from the one before.
    private mutating func judgeAnew(
        _ response: Response, isWhole: Bool, to row: borrowing PreparedRow
    ) {
        known.forget()
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
                class: found.class, reason: put(found.reason), id: put(found.id),
                wait: found.wait)
            verdicts.removeAll(keepingCapacity: true)
            verdicts.append(verdict)
            if isWhole {
                let id = reply.body.flatMap { freeID?.find(in: $0) }
                known.keep(response, idAt: id?.text == nil ? nil : id?.offset, found.id)
            }
        } else {
            judgeParts(of: reply, to: row)
        }
    }

    /// Judges an answer that may have a part for each row.
    private mutating func judgeParts(of reply: DeclaredReply, to row: borrowing PreparedRow) {
        let (token, others) = unsafe (
            row.bytes.bytes(row.token), row.bytes.bytes(row.otherTokens)
        )
        let found = judge.judge(reply, count: unsafe 1 + TokenList.count(others)) {
            unsafe [Array(token)] + TokenList.read(others)
        }
        splits = found.splits
        kept.removeAll(keepingCapacity: true)
        verdicts.removeAll(keepingCapacity: true)
        for (index, row) in found.rows.enumerated() {
            if index > 0, row == found.rows[index - 1] {
                var verdict = verdicts[index - 1]
                verdict.repeats = verdict.class.blamedColumn == nil
                verdicts.append(verdict)
            } else {
                verdicts.append(
                    Verdict(
                        class: row.class, reason: keep(row.reason), id: keep(row.id), wait: row.wait
                    ))
            }
        }
    }

    /// `mutating` as `judgement` is.
    mutating func wait(ofRow index: Int) -> Duration? { verdicts[index].wait }

    /// `mutating` as `judgement` is.
    mutating func repeats(row index: Int) -> Bool { verdicts[index].repeats }

    /// Keeps a text, which the rows of an answer mostly have in common, once.
    private mutating func keep(_ text: String) -> ByteRange {
        guard !text.isEmpty else { return .empty }
        if let kept = kept.first(where: { $0.text == text }) { return kept.place }
        let place = put(text)
        if kept.count < Self.keptTexts { kept.append((text, place)) }
        return place
    }

    private mutating func put(_ text: String) -> ByteRange {
        let start = words.count
        words.append(text)
        return ByteRange(start: start, count: words.count - start)
    }

    /// `mutating`, though nothing changes: to lend so large a value, the compiler copies it first.
    mutating func judgement(
        ofRow index: Int
    ) -> (Judgement, retryAfter: UnsafeBufferPointer<UInt8>) {
        let verdict = verdicts[index]
        var judgement = Judgement(verdict.class)
        unsafe judgement.reason = words.bytes(verdict.reason)
        unsafe judgement.messageID = words.bytes(verdict.id)
        judgement.isDeadWhenSent = verdict.class.outcome == .unregistered
        return unsafe (judgement, words.bytes(retryAfter))
    }
}
