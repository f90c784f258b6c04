import FanfareBase

/// The counts of rows by outcome.
///
/// Every lane has one; `merge` adds them up. Answers of the table are counted in an array, everything else by its text.
package struct Tally: Sendable {
    /// The number of rows with one outcome for one reason.
    package struct ReasonCount: Sendable, Equatable {
        package var outcome: Outcome
        /// The HTTP status; 0 without an answer.
        package var status: UInt16
        /// The reason; empty if there is none, and `other` after too many different ones.
        package var reason: String
        package var count: UInt64

        /// Collects one line of the list of reasons.
        package init(outcome: Outcome, status: UInt16, reason: String, count: UInt64) {
            self.outcome = outcome
            self.status = status
            self.reason = reason
            self.count = count
        }

        func isSameReason(as other: ReasonCount) -> Bool {
            (outcome, status, reason) == (other.outcome, other.status, other.reason)
        }

        /// True if these rows were only looked at, and are good.
        package var isValid: Bool {
            outcome == .skipped && reason == "\(Outcome.validReason)"
        }
    }

    /// Rows that the reader has handed out, with faulty ones.
    package var rowsRead: UInt64 = 0
    /// Requests put on the wire, without provably unprocessed ones.
    package private(set) var attempts: UInt64 = 0
    /// Attempts beyond a row's first.
    package private(set) var retries: UInt64 = 0
    /// Bytes of the connections' outgoing traffic, TLS included.
    package var bytesSent: UInt64 = 0
    /// Connections that got as far as sending requests.
    package var connectionsOpened: UInt64 = 0

    /// The rows by their outcome.
    package private(set) var outcomes = OutcomeCounts()
    /// The rows of them that were only looked at, and are good: `skipped` as `Outcome.validReason`.
    package private(set) var valid: UInt64 = 0
    /// The rows of them that were written off for other workers, which may have an outcome: `unknown` as
    /// `Outcome.workerLostReason`.
    package private(set) var writtenOff: UInt64 = 0
    /// The rows by their payload, where rows choose one of several, and by outcome.
    package private(set) var variants: [OutcomeCounts] = []
    /// The counts by `ReasonIndex` and outcome.
    private var listed = [UInt64](
        repeating: 0, count: ResponseClass.rules.count * Outcome.count)
    private var unlisted = UnlistedReasons()
    /// The rows of these that are for no provider, or for none that is known: all are `invalid`.
    private var routeless: UnlistedReasons?

    /// Creates a tally of nothing.
    package init() {}

    /// Counts a row's outcome.
    /// - Parameters:
    ///   - outcome: The row's final outcome.
    ///   - status: The last HTTP status; 0 if there was no answer.
    ///   - reason: The reason as reported, without anything that differs from row to row.
    ///   - index: The place of the answer in the table; then `status` and `reason` are not looked at.
    ///   - attempts: The row's attempts.
    /// - Complexity: O(1) for answers of the table, else O(`Limits.unlistedReasonsMax`); allocates
    ///   for a reason's first row only.
    package mutating func record(
        _ outcome: Outcome,
        status: UInt16,
        reason: UnsafeBufferPointer<UInt8>,
        index: ReasonIndex,
        attempts: UInt16
    ) {
        outcomes.count(outcome)
        unsafe noteReason(outcome, reason, count: 1)
        if attempts > 0 {
            self.attempts += UInt64(attempts)
            retries += UInt64(attempts) - 1
        }
        if index == .unlisted {
            unsafe unlisted.record(outcome, status: status, reason: reason)
        } else {
            listed[Int(index.rawValue) * Outcome.count + Int(outcome.rawValue)] += 1
        }
    }

    /// Counts rows that were never sent.
    package mutating func record(
        unsent outcome: Outcome, reason: UnsafeBufferPointer<UInt8>, count: UInt64
    ) {
        outcomes[outcome] += count
        unsafe noteReason(outcome, reason, count: count)
        unsafe unlisted.record(outcome, status: 0, reason: reason, count: count)
    }

    /// Counts a row that is for no provider of the job.
    package mutating func record(routeless reason: UnsafeBufferPointer<UInt8>, count: UInt64 = 1) {
        unsafe record(unsent: .invalid, reason: reason, count: count)
        if routeless == nil { routeless = UnlistedReasons() }
        unsafe routeless?.record(.invalid, status: 0, reason: reason, count: count)
    }

    /// The number of rows that are for no provider of the job.
    package var routelessCount: UInt64 {
        routeless?.counts.reduce(0) { $0 + $1.count } ?? 0
    }

    /// The rows that are for no provider of the job; `nil` if there are none.
    package var ofNoRoute: Tally? {
        guard let routeless else { return nil }
        var tally = Tally()
        tally.routeless = routeless
        tally.unlisted = routeless
        tally.outcomes[.invalid] = routelessCount
        tally.rowsRead = routelessCount
        return tally
    }

    /// The same without the rows that are for no provider of the job.
    package var ofRoutes: Tally {
        guard let routeless else { return self }
        var tally = self
        tally.routeless = nil
        tally.unlisted.subtract(routeless)
        tally.outcomes[.invalid] -= routelessCount
        tally.rowsRead -= min(routelessCount, tally.rowsRead)
        return tally
    }

    /// Counts the outcome of a row under the number of its payload, from 1.
    package mutating func record(_ outcome: Outcome, variant: UInt8) {
        while variants.count < variant { variants.append(OutcomeCounts()) }
        variants[Int(variant) - 1][outcome] += 1
    }

    private mutating func noteReason(
        _ outcome: Outcome, _ reason: UnsafeBufferPointer<UInt8>, count: UInt64
    ) {
        switch outcome {
        case .skipped: if unsafe Outcome.validReason.equals(reason) { valid += count }
        case .unknown: if unsafe Outcome.workerLostReason.equals(reason) { writtenOff += count }
        case .accepted, .unregistered, .suspect, .rejected, .throttled, .failed, .invalid: break
        }
    }

    /// Adds another lane's counts.
    package mutating func merge(_ other: Tally) {
        rowsRead += other.rowsRead
        attempts += other.attempts
        retries += other.retries
        bytesSent += other.bytesSent
        connectionsOpened += other.connectionsOpened
        outcomes += other.outcomes
        valid += other.valid
        writtenOff += other.writtenOff
        for index in listed.indices {
            listed[index] += other.listed[index]
        }
        while variants.count < other.variants.count { variants.append(OutcomeCounts()) }
        for index in other.variants.indices { variants[index] += other.variants[index] }
        unlisted.merge(other.unlisted)
        guard let more = other.routeless else { return }
        if routeless == nil { routeless = more } else { routeless?.merge(more) }
    }

    /// Returns the number of rows with an outcome.
    package func count(_ outcome: Outcome) -> UInt64 {
        outcomes[outcome]
    }

    /// The number of rows with an outcome of any kind.
    package var finished: UInt64 { outcomes.all }

    /// The number of rows that ended `throttled`, `failed` or `unknown`.
    package var indefinite: UInt64 {
        Outcome.allCases.reduce(0) { $1.isDefinite ? $0 : $0 + count($1) }
    }

    /// The number of rows that are this job's to send again: those of `--retry-rows`.
    package var toSendAgain: UInt64 { indefinite - min(indefinite, writtenOff) }

    /// The reasons of rows' outcomes: by outcome, then the most frequent first.
    package var reasons: [ReasonCount] {
        var all = unlisted.counts
        for (index, rule) in ResponseClass.rules.enumerated() {
            for outcome in Outcome.allCases {
                let count = listed[index * Outcome.count + Int(outcome.rawValue)]
                guard count > 0 else { continue }
                let reason = ReasonCount(
                    outcome: outcome, status: rule.status, reason: rule.reason.description,
                    count: count)
                // Rows of an earlier run are known by their text: an answer of another provider's table
                // may have the same one.
                if let same = all.firstIndex(where: { $0.isSameReason(as: reason) }) {
                    all[same].count += count
                } else {
                    all.append(reason)
                }
            }
        }
        return all.sorted { left, right in
            (left.outcome.rawValue, right.count, left.status, left.reason)
                < (right.outcome.rawValue, left.count, right.status, right.reason)
        }
    }

    /// The number of rows with the best result that they can have: accepted, or found to be good.
    package var good: UInt64 { count(.accepted) + valid }

    /// The outcomes with good rows among the accepted ones, as bounds on outcomes are held against them: shares
    /// are of all rows that the provider was to judge.
    package var judged: OutcomeCounts {
        var judged = outcomes
        judged[.skipped] -= valid
        judged[.accepted] += valid
        return judged
    }

    /// The number of rows that `--suppress` and `--deduplicate` have left out.
    package var leftOut: UInt64 {
        let texts = [RowProblem.tokenDuplicate, .tokenSuppressed].map { $0.text.description }
        return reasons.reduce(0) { sum, reason in
            reason.outcome == .skipped && texts.contains(reason.reason) ? sum + reason.count : sum
        }
    }

    /// True if a row was skipped because its hours were closed.
    package var isClosedOut: Bool {
        let text = RowProblem.outsideWindow.text.description
        return reasons.contains { $0.outcome == .skipped && $0.reason == text }
    }

    /// True if there were rows to send, and none of them was accepted.
    ///
    /// Rows that were left out were not to be sent, so a job that has only such rows, or none, has
    /// done all its work.
    package var isInVain: Bool { good == 0 && leftOut < finished }

    /// Checks the accounting identity of a finished job: each row read has one outcome.
    /// - Returns: `nil` if it holds, and the fault if not.
    package func identityViolation() -> String? {
        guard finished != rowsRead else { return nil }
        let parts = Outcome.allCases.map { "\($0.name) \(count($0))" }.joined(separator: ", ")
        return "\(rowsRead) rows were read, but \(finished) have an outcome (\(parts))"
    }
}
