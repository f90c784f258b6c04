import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareJSON

/// Reads the answers of a provider that a file describes, by the rules in it.
final class DeclaredAnswerJudge: AnswerJudge {
    /// Behind a pointer, because properties that change would cost ten exclusivity checks an answer.
    private let reading: Pinned<DeclaredReading>

    init(_ file: ProviderFile) {
        reading = Pinned(DeclaredReading(file))
    }

    func judge(_ response: Response, to row: borrowing PreparedRow) -> Judgement {
        reading.withValue { $0.judge(response, to: row) }
    }

    func judgement(ofRow index: Int) -> (Judgement, retryAfter: UnsafeBufferPointer<UInt8>) {
        unsafe reading.withValue { unsafe $0.judgement(ofRow: index) }
    }

    func wait(ofRow index: Int) -> Duration? { reading.withValue { $0.wait(ofRow: index) } }

    func repeats(row index: Int) -> Bool { reading.withValue { $0.repeats(row: index) } }

    var splits: Bool { reading.withValue { $0.splits } }

    /// A file says nothing of them.
    func judge(goAway debugData: UnsafeBufferPointer<UInt8>) -> GoAwayNotice? { nil }
}
