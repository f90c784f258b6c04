import FanfareBase
import FanfareCore

/// Sentences that stand in the text of a summary and on its page.
extension Tally {
    /// The warning before rows are sent again; `nil` if none of them may have arrived.
    package var unknownAdvice: String? { Self.unknownAdvice(count(.unknown)) }

    /// The same about the rows that are this job's to send again.
    package var ownUnknownAdvice: String? {
        Self.unknownAdvice(count(.unknown) - min(count(.unknown), writtenOff))
    }

    /// The advice about rows that were written off for other workers; `nil` if there are none.
    package var writtenOffAdvice: String? {
        guard writtenOff > 0 else { return nil }
        let rows = writtenOff == 1 ? "1 row was" : "\(NumberText.grouped(writtenOff)) rows were"
        return
            "\(rows) written off for other workers, whose reports may have the outcome. What is to be sent again is in the "
            + "reports of all workers together: collect them, and select from all of them at once."
    }

    private static func unknownAdvice(_ unknown: UInt64) -> String? {
        switch unknown {
        case 0: nil
        case 1: "1 row ended unknown: it may have arrived, and would arrive twice."
        case let count:
            "\(NumberText.grouped(count)) rows ended unknown: they may have arrived, and would arrive twice."
        }
    }
}

extension Summary {
    /// The purpose of `resumeCommand`; printed before it.
    package var resumeSentence: String {
        (stop == nil ? "To send the rows left out" : "To carry on")
            + (readsStandardInput ? ", with the same rows on standard input:" : ":")
    }
}
