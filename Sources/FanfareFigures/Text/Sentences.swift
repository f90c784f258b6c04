import FanfareBase
import FanfareCore

/// Sentences that stand in the text of a summary and on its page.
extension Tally {
    /// The warning before rows are sent again; `nil` if none of them may have arrived.
    package var unknownAdvice: String? {
        switch count(.unknown) {
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
