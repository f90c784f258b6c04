package import FanfareBase

/// The exit status of a job's process.
///
/// Scripts rely on the numbers.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    /// Finished, and every row has a definite outcome; with `--strict`: every row was accepted, and
    /// the choice of rows left one to send.
    case success = 0
    /// Finished, but some rows ended `throttled`, `failed` or `unknown`, or none was accepted; with
    /// `--strict`: not all were accepted.
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
    /// SIGHUP: the terminal has gone; resumable.
    case hungUp = 129
    /// SIGINT; resumable.
    case interrupted = 130
    /// SIGTERM; resumable.
    case terminated = 143

    /// Decides how a job has ended.
    ///
    /// A stopped job has rows without an outcome, so the accounting identity is checked for
    /// finished ones only. `--fail-if` wins over rows without a definite outcome: the user has
    /// asked to be told of it. A job that reached no device at all is never a success; see
    /// `Tally.isInVain`.
    /// - Parameters:
    ///   - tally: The counts of the whole job.
    ///   - strict: True if `--strict` was given.
    ///   - onlyChecks: True if rows were only looked at: those that are left out were not to be
    ///     sent, then.
    ///   - choseNone: True if there were rows, and the choice of rows took none of them.
    ///   - thresholdCrossed: True if a `--fail-if` expression holds.
    ///   - stop: The reason that ended the job before its input did, if there is one.
    /// - Returns: The status to exit with.
    package static func of(
        tally: Tally, strict: Bool, onlyChecks: Bool = false, choseNone: Bool = false,
        thresholdCrossed: Bool, stop: JobStop.Kind?
    ) -> ExitStatus {
        if let stop { return stop.exitStatus }
        if tally.identityViolation() != nil { return .bug }
        if thresholdCrossed { return .thresholdCrossed }
        if tally.isInVain { return .incomplete }
        let isComplete =
            strict
            ? tally.good + (onlyChecks ? tally.leftOut : 0) == tally.finished && !choseNone
            : tally.indefinite == 0
        return isComplete ? .success : .incomplete
    }
}

/// The stop that ended a job before its input did.
package struct JobStop: Equatable, Sendable {
    package enum Kind: UInt8, CaseIterable, Sendable {
        /// Credentials or provider refuse the whole job, or `--stop-if` applied.
        case refused
        /// Input or output failed.
        case inputOutput
        /// The job cannot be carried on with these rows: they are others.
        case usage
        /// An internal invariant was broken.
        case bug
        /// SIGINT.
        case interrupted
        /// SIGTERM.
        case terminated
        /// SIGHUP.
        case hungUp

        /// The exit status of the process.
        package var exitStatus: ExitStatus {
            switch self {
            case .refused: .refused
            case .inputOutput: .inputOutput
            case .usage: .usage
            case .bug: .bug
            case .interrupted: .interrupted
            case .terminated: .terminated
            case .hungUp: .hungUp
            }
        }

        /// The word in the summary.
        package var name: String {
            switch self {
            case .refused: "refused"
            case .inputOutput: "input_output"
            case .usage: "usage"
            case .bug: "bug"
            case .interrupted: "interrupted"
            case .terminated: "terminated"
            case .hungUp: "hung_up"
            }
        }
    }

    /// The provider's answer that stopped a job.
    package struct Answer: Equatable, Sendable {
        /// The HTTP status; 0 for a reason that came with the end of a connection.
        package var status: UInt16
        package var reason: String
        /// Whose it was; `nil` where that is any server.
        package var provider: ProviderKind?

        package init(status: UInt16, reason: String, provider: ProviderKind? = nil) {
            self.status = status
            self.reason = reason
            self.provider = provider
        }
    }

    package var kind: Kind
    /// The event, for people: a sentence without a full stop.
    package var statement: Statement
    /// The same for the log, which never has a word of the provider's that may be a token.
    package var logStatement: Statement
    /// The statement in the names that a program knows.
    package var message: String { statement.description }
    /// The provider's answer, if that is the reason.
    package var answer: Answer?
    /// True if the job goes on by another command only, as a person has to decide.
    package var needsOtherCommand = false

    /// Describes why a job stopped.
    package init(_ kind: Kind, _ statement: Statement, answer: Answer? = nil) {
        self.kind = kind
        self.statement = statement
        logStatement = statement
        self.answer = answer
    }

    /// Describes why a job stopped, in a text that names no setting.
    package init(_ kind: Kind, text: String) {
        self.init(kind, Statement(text))
    }

    /// Describes that the provider's answer to a row would be the same for all others.
    package init(
        refused row: UInt64, status: UInt16, reason: UnsafeBufferPointer<UInt8>,
        by provider: ProviderKind?
    ) {
        func message(_ reason: String) -> Statement {
            "the provider answered \(status)\(reason.isEmpty ? "" : " " + reason) to row \(row)"
        }
        let text = unsafe String(decoding: reason, as: UTF8.self)
        self.init(
            .refused, message(text),
            answer: Answer(status: status, reason: text, provider: provider))
        logStatement = unsafe message(LogEvent.reason(reason))
    }
}
