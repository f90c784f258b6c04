import FanfareBase
import FanfareCore
import Synchronization

/// Adds up the lanes' outcomes while a job runs, and stops it when `--stop-if` says so.
///
/// The lanes tell it after a turn, for as long as it watches anything: no row meets the lock.
final class OutcomeGuard: Sendable {
    private struct State {
        var rule: StopRule
        var lanes: [OutcomeCounts]
        /// The outcomes of other workers that share the job, and those of the lanes that count no more.
        var others = OutcomeCounts()
        var past = OutcomeCounts()
        /// The number of times that the job has gone on after a stop, and the one in which a threshold was crossed.
        var epoch: Int?
        var crossedEpoch: Int?
        var rowCount: UInt64?

        /// The outcomes of all lanes since the job began.
        var all: OutcomeCounts {
            var all = OutcomeCounts()
            for lane in lanes { all += lane }
            return all
        }

        var sums: OutcomeCounts {
            var sums = all
            for outcome in Outcome.allCases { sums[outcome] -= min(past[outcome], sums[outcome]) }
            return sums
        }
    }

    private let state: Mutex<State>
    private let control: JobControl
    private let earlierRows: UInt64
    private let route: String?
    private let kind: ProviderKind
    private let bounds: [OutcomeThreshold]

    /// Begins to watch outcomes.
    /// - Parameters:
    ///   - options: The thresholds to watch.
    ///   - route: The route of the rows that it counts; `nil` for all rows of the job.
    ///   - kind: The provider of the rows.
    ///   - lanes: The number of lanes that report.
    ///   - earlierRows: The rows that earlier runs have finished, which it does not count.
    ///   - toleratesInvalid: True if rows may be invalid, as many as there are.
    ///   - control: The control through which it stops the job.
    init(
        _ options: GuardOptions, of route: String? = nil, _ kind: ProviderKind = .apns, lanes: Int,
        earlierRows: UInt64 = 0, toleratesInvalid: Bool = false, control: JobControl
    ) {
        self.route = route
        self.kind = kind
        bounds = options.bounds(of: kind, toleratesInvalid: toleratesInvalid)
        let rule = StopRule(bounds.map(\.threshold))
        state = Mutex(
            State(rule: rule, lanes: Array(repeating: OutcomeCounts(), count: lanes)))
        self.control = control
        self.earlierRows = earlierRows
    }

    /// True if anything is watched now.
    var isWatching: Bool { state.withLock { $0.rule.isWatching } }

    /// Takes note of a lane's outcomes so far.
    /// - Parameters:
    ///   - lane: The lane's number.
    ///   - counts: Its outcomes, from its beginning on.
    ///   - rowCount: The rows of the job, when all have been read.
    /// - Returns: True if anything is watched from now on.
    func update(lane: Int, _ counts: OutcomeCounts, rowCount: UInt64?) -> Bool {
        check { state in
            state.lanes[lane] = counts
            state.rowCount = rowCount
        }
    }

    /// The outcomes of all lanes, as far as they are watched, and the epoch of the job in which they were counted.
    var sums: (outcomes: OutcomeCounts, epoch: Int?) {
        state.withLock { ($0.sums, $0.epoch) }
    }

    /// The epoch of the job in which a threshold was crossed; `nil` if none was.
    var crossedEpoch: Int? { state.withLock { $0.crossedEpoch } }

    /// Takes note of the outcomes of other workers that share the job.
    /// - Parameters:
    ///   - others: The outcomes.
    ///   - epoch: The number of times that the job has gone on after a stop: in another one than before, counting begins
    ///     anew.
    func update(others: OutcomeCounts, inEpoch epoch: Int) {
        guard state.withLock({ $0.others != others || $0.epoch != epoch }) else { return }
        _ = check { state in
            if let before = state.epoch, before != epoch { state.past = state.all }
            state.epoch = epoch
            state.others = others
        }
    }

    private func check(_ change: (inout State) -> Void) -> Bool {
        let (sums, crossed, isWatching) = state.withLock { state in
            change(&state)
            var sums = state.sums
            let rowsOfRun = state.rowCount.map { $0 - min(earlierRows, $0) }
            let crossed = state.rule.check(sums, others: state.others, rowCount: rowsOfRun)
            if crossed?.isShare == false { sums += state.others }
            if crossed != nil { state.crossedEpoch = state.crossedEpoch ?? state.epoch }
            return (sums, crossed, state.rule.isWatching)
        }
        guard let crossed else { return isWatching }
        control.stop(JobStop(.refused, message(crossed, sums)))
        return false
    }

    private func message(_ threshold: Threshold, _ counts: OutcomeCounts) -> Statement {
        let outcome = threshold.outcome
        let rows: Statement = route.map { "rows for \($0)" } ?? "rows"
        return
            "\(.stopIf) \(threshold): \(counts[outcome]) of \(threshold.base(of: counts)) \(rows) "
            + "so far are \(outcome.name). \(advice(for: outcome)) "
            + "\(GuardOptions.setting(bounds.filter { $0.threshold != threshold })) goes on all the same"
    }

    /// Returns advice on where to look.
    private func advice(for outcome: Outcome) -> Statement {
        switch outcome {
        case .suspect:
            switch kind {
            case .apns, .webpush:
                "Are \(.environment) and \(.topic) those that the tokens are for?"
            case .fcm: "Is \(.project) the one that the tokens are for?"
            case .declared: "Is the app of \(.settings) the one that the tokens are for?"
            }
        case .unregistered:
            switch kind {
            case .apns, .fcm, .webpush: "Is the list of tokens an old one?"
            case .declared:
                "Is the list of tokens an old one, or is the app of \(.settings) another one than theirs?"
            }
        case .rejected: "Do payload and headers suit the push type?"
        case .throttled: "Is something else sending to the same devices?"
        case .failed: "Is the provider in trouble?"
        case .unknown: "Is the network in trouble?"
        case .invalid: "Are the columns and the template the right ones?"
        case .accepted, .skipped: "Is that what was meant?"
        }
    }
}
