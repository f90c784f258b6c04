import FanfareBase
import FanfareCore

/// The exit codes in words, for people.
extension ExitStatus {
    /// The meaning, in a few words.
    var words: String {
        switch self {
        case .success: "finished, and every row has a definite outcome"
        case .incomplete:
            "finished, but some rows ended throttled, failed or unknown, or none was accepted"
        case .usage: "wrong usage or configuration; nothing was sent"
        case .refused: "credentials or provider refuse the whole job, or --stop-if applied"
        case .inputOutput: "an input could not be read, or an output not be written"
        case .thresholdCrossed: "finished, but a --fail-if condition holds"
        case .bug: "a bug in fanfare"
        case .hungUp: "the terminal has gone (SIGHUP)"
        case .interrupted: "interrupted (SIGINT, Ctrl-C, control stop)"
        case .terminated: "terminated (SIGTERM)"
        }
    }

    /// The next step.
    var advice: String {
        switch self {
        case .success: "Nothing. With --strict every row was accepted."
        case .incomplete:
            "Look at the reasons in the table; --retry-rows FILE collects the rows to send again."
        case .usage: "Correct what the message names, and run the command again."
        case .refused, .inputOutput:
            "Remove the cause that the message names, and carry the job on with --resume."
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
