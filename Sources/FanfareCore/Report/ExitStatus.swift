/// What a job's process ends with.
///
/// Scripts rely on the numbers.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    /// Finished, and every row has a definite outcome; with `--strict`: every row was accepted.
    case success = 0
    /// Finished, but some rows ended `throttled`, `failed` or `unknown`; with `--strict`: not
    /// accepted.
    case incomplete = 1
    /// Wrong usage or configuration; nothing was sent.
    case usage = 2
    /// Credentials or provider refuse the whole job, or `--stop-if` applied; resumable.
    case refused = 3
    /// Input or output failed; resumable.
    case inputOutput = 4
    /// Finished, but a `--fail-if` threshold was crossed.
    case thresholdCrossed = 5
    /// A bug: an internal invariant was broken.
    case bug = 70
    /// SIGINT; resumable.
    case interrupted = 130
    /// SIGTERM; resumable.
    case terminated = 143

    /// Decides how a job has ended.
    ///
    /// A stopped job has rows without an outcome, so the accounting identity is checked for finished
    /// ones only. `--fail-if` wins over rows without a definite outcome: it is what the user asked
    /// to be told.
    /// - Parameters:
    ///   - tally: The counts of the whole job.
    ///   - strict: `--strict` was given.
    ///   - thresholdCrossed: A `--fail-if` expression holds.
    ///   - stop: What ended the job before its input did, if anything.
    /// - Returns: The status to exit with.
    package static func of(
        tally: Tally, strict: Bool, thresholdCrossed: Bool, stop: JobStop.Kind?
    ) -> ExitStatus {
        if let stop { return stop.exitStatus }
        if tally.identityViolation() != nil { return .bug }
        if thresholdCrossed { return .thresholdCrossed }
        let isComplete =
            strict ? tally.count(.accepted) == tally.finished : tally.indefinite == 0
        return isComplete ? .success : .incomplete
    }
}

/// What ended a job before its input did.
package struct JobStop: Equatable, Sendable {
    package enum Kind: UInt8, CaseIterable, Sendable {
        /// Credentials or provider refuse the whole job, or `--stop-if` applied.
        case refused
        /// Input or output failed.
        case inputOutput
        /// An internal invariant was broken.
        case bug
        /// SIGINT.
        case interrupted
        /// SIGTERM.
        case terminated

        /// What the process ends with.
        package var exitStatus: ExitStatus {
            switch self {
            case .refused: .refused
            case .inputOutput: .inputOutput
            case .bug: .bug
            case .interrupted: .interrupted
            case .terminated: .terminated
            }
        }

        /// The word in the summary.
        package var name: String {
            switch self {
            case .refused: "refused"
            case .inputOutput: "input_output"
            case .bug: "bug"
            case .interrupted: "interrupted"
            case .terminated: "terminated"
            }
        }
    }

    package var kind: Kind
    /// What happened, for people: a sentence without a full stop.
    package var message: String

    /// Describes why a job stopped.
    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}
