import FanfareBase
import FanfareCore

/// The next step after each exit code, for people.
extension ExitStatus {
    /// The next step.
    var advice: String {
        switch self {
        case .success: "Nothing."
        case .incomplete:
            "Look at the reasons in the table; --retry-rows FILE collects the rows to send again."
        case .usage: "Correct what the message names, and run the command again."
        case .refused, .inputOutput:
            "Remove the cause that the message names, and run the command again, with --resume if rows "
                + "were sent."
        case .thresholdCrossed: "Look at the outcomes that the message counts."
        case .bug: "Report it, with the message."
        case .hungUp, .interrupted, .terminated: "Carry the job on with --resume."
        }
    }
}

extension Limits {
    /// The bytes of a word that finds a sentence: shorter ones stand in most of them.
    static let explainedWordBytesMin = 5
}
