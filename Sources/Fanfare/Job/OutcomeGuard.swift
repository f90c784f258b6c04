import FanfareCore
import Synchronization

/// Adds up the lanes' outcomes while a job runs, and stops it when `--stop-if` says so.
///
/// The lanes tell it after a turn, for as long as it watches anything: no row meets the lock.
final class OutcomeGuard: Sendable {
    private struct State {
        var rule: StopRule
        var lanes: [OutcomeCounts]
    }

    private let state: Mutex<State>
    private let control: JobControl

    init(_ options: GuardOptions, lanes: Int, control: JobControl) {
        let rule = StopRule(options.stopIf.map(\.threshold))
        state = Mutex(
            State(rule: rule, lanes: Array(repeating: OutcomeCounts(), count: lanes)))
        self.control = control
    }

    /// How closely it watches now.
    enum Interest {
        case none
        /// Now and then is enough.
        case occasional
        /// After each turn that has brought an outcome.
        case close
    }

    var interest: Interest { state.withLock { Self.interest($0.rule) } }

    /// Takes note of a lane's outcomes so far.
    /// - Parameters:
    ///   - lane: The lane's number.
    ///   - counts: Its outcomes, from its beginning on.
    ///   - rowCount: The rows of the run, when all have been read.
    /// - Returns: How closely it watches from now on.
    func update(lane: Int, _ counts: OutcomeCounts, rowCount: UInt64?) -> Interest {
        let (sums, crossed, interest) = state.withLock { state in
            state.lanes[lane] = counts
            var sums = OutcomeCounts()
            for lane in state.lanes { sums += lane }
            let crossed = state.rule.check(sums, rowCount: rowCount)
            return (sums, crossed, Self.interest(state.rule))
        }
        guard let crossed else { return interest }
        control.stop(JobStop(.refused, Self.message(crossed, sums)))
        return .none
    }

    private static func interest(_ rule: StopRule) -> Interest {
        rule.isWatchingShares ? .close : rule.isWatching ? .occasional : .none
    }

    private static func message(_ threshold: Threshold, _ counts: OutcomeCounts) -> String {
        let outcome = threshold.outcome
        return "--stop-if \(threshold): \(counts[outcome]) of \(threshold.base(of: counts)) rows "
            + "so far are \(outcome.name). \(advice(for: outcome)) "
            + "--stop-if none goes on all the same"
    }

    /// What to look at.
    private static func advice(for outcome: Outcome) -> String {
        switch outcome {
        case .suspect: "Are --environment and --topic those that the tokens are for?"
        case .unregistered: "Is the list of tokens an old one?"
        case .rejected: "Do payload and headers suit the push type?"
        case .throttled: "Is something else sending to the same devices?"
        case .failed: "Is the provider in trouble?"
        case .unknown: "Is the network in trouble?"
        case .invalid: "Are the columns and the template the right ones?"
        case .accepted, .skipped: "Is that what was meant?"
        }
    }
}
