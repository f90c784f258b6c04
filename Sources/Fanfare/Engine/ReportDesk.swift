import FanfareBase
import FanfareCore

/// The place of a row among those that one answer is about.
enum SharedOutcome {
    /// The answer is about this row alone.
    case none
    /// The answer says something that it has not said of the row before.
    case first
    /// The answer says the same as of the row before.
    case again
}

/// The lane's part of the report: a line for each outcome, the records beside it, and the tally.
struct ReportDesk: ~Copyable {
    private let inPlace = InPlace()
    private unowned let environment: any LaneEnvironment
    private let wall: WallTime
    private let hasReport: Bool
    private let delay: Duration
    private var lineWriter: ReportLineWriter
    private let outcomesUpTo: UInt64
    private var unregistered: UnregisteredFormat?

    var tally = Tally()
    /// Rows that were in doubt when the job was carried on, and are `unknown` without another attempt.
    private(set) var interruptedCount: UInt64 = 0
    /// The block that lines are added to, and when its first line came.
    private var block: Held<ReportBlock>?
    private var blockStarted = Instant(nanoseconds: 0)
    /// True if the writer is so far behind that no rows are taken up.
    ///
    /// Finding out takes a lock: the desk does it when requests are started and after each block,
    /// not for each row.
    private(set) var isBehind = false

    init(_ settings: PreparationSettings, _ environment: any LaneEnvironment, _ wall: WallTime) {
        self.environment = environment
        self.wall = wall
        hasReport = settings.hasReport
        delay = settings.reportDelay
        lineWriter = ReportLineWriter(settings.report.kind)
        outcomesUpTo = settings.outcomesUpTo
        unregistered = settings.unregistered
    }

    deinit {
        _ = block?.release()
    }

    // MARK: Outcomes

    /// Reports a row that was never sent, because something is wrong with it.
    mutating func invalid(
        _ row: borrowing PreparedRow, _ preparer: borrowing RowPreparer, now: Instant
    ) {
        var result = unsafe RowResult(.invalid)
        unsafe result.reason = preparer.problem.bytes
        // Counted without the line number, so that like comes to like.
        if preparer.namesProvider {
            unsafe tally.record(unsent: .invalid, reason: preparer.problemKind.bytes, count: 1)
        } else {
            unsafe tally.record(routeless: preparer.problemKind.bytes)
        }
        append(row, result, now: now)
    }

    /// Reports a row that was not to be sent, or not started in time.
    mutating func skipped(_ row: borrowing PreparedRow, _ problem: RowProblem, now: Instant) {
        var result = unsafe RowResult(problem.outcome)
        unsafe result.reason = problem.text.bytes
        unsafe tally.record(unsent: problem.outcome, reason: problem.text.bytes, count: 1)
        append(row, result, now: now)
    }

    /// Reports a row that was never sent, because its host was given up.
    mutating func hostGivenUp(
        _ row: borrowing PreparedRow, _ fault: HostFault, now: Instant
    ) {
        // Counted without the host's own words, so that like comes to like.
        unsafe tally.record(
            unsent: fault.outcome, reason: RowProblem.hostGivenUp.text.bytes, count: 1)
        unsafe fault.text.withUnsafeBufferPointer { text in
            var result = unsafe RowResult(fault.outcome)
            unsafe result.reason = text
            append(row, result, now: now)
        }
    }

    /// Reports a good row that was only to be looked at, and that its provider was not asked about.
    mutating func valid(_ row: borrowing PreparedRow, now: Instant) {
        var result = unsafe RowResult(.skipped)
        unsafe result.reason = Outcome.validReason.bytes
        unsafe tally.record(unsent: .skipped, reason: result.reason, count: 1)
        append(row, result, now: now)
    }

    /// Reports a row that an earlier run may have sent, and that must not be sent twice.
    /// - Parameters:
    ///   - row: The row.
    ///   - isOwn: False if another worker had it, which may have a line of it. Then it is not this job's to send again, and
    ///     no record beside the report has it.
    ///   - now: The time.
    mutating func interrupted(
        _ row: borrowing PreparedRow, isOwn: Bool = true, now: Instant
    ) {
        let reason = isOwn ? Outcome.interruptedReason : Outcome.workerLostReason
        var result = unsafe RowResult(.unknown)
        unsafe result.reason = reason.bytes
        result.attempts = 1
        unsafe result.messageID = row.bytes.bytes(row.messageID)
        unsafe tally.record(
            .unknown, status: 0, reason: result.reason, index: .unlisted, attempts: 1)
        interruptedCount += 1
        append(row, result, isOwn: isOwn, now: now)
    }

    /// Reports a row whose last attempt has ended.
    mutating func ended(
        _ row: borrowing PreparedRow, _ request: Request, _ attempt: Attempt,
        _ sharing: SharedOutcome = .none, now: Instant
    ) {
        var outcome = attempt.class.outcome
        // "Not processed" is true of the last attempt only.
        if request.wasInDoubt && (outcome == .failed || outcome == .throttled) {
            outcome = .unknown
        }
        let sent = request.hasStarted ? wall.milliseconds(at: request.startedAt) : nil
        var unregistered: Int64?
        if case .unregistered = outcome {
            unregistered = attempt.isDeadWhenSent ? sent : attempt.timestamp
        }
        let isOwnID = unsafe attempt.messageID.isEmpty
        // All at once: a part that is left out costs a call across modules.
        var result = unsafe RowResult(
            outcome, status: attempt.status, reason: attempt.reason,
            messageID: isOwnID ? row.bytes.bytes(row.messageID) : attempt.messageID,
            attempts: request.attempts,
            latencyNanoseconds: now.nanoseconds(since: request.startedAt),
            unregisteredAtMilliseconds: unregistered, sentAtMilliseconds: sent)
        result.isOwnID = isOwnID
        unsafe tally.record(
            result.outcome, status: result.status, reason: result.reason,
            index: attempt.class.reasonIndex, attempts: result.attempts)
        append(row, result, sharing, now: now)
    }

    // MARK: Lines

    private mutating func append(
        _ row: borrowing PreparedRow, _ result: RowResult, _ sharing: SharedOutcome = .none,
        isOwn: Bool = true, now: Instant
    ) {
        if row.variant > 0 { tally.record(result.outcome, variant: row.variant) }
        guard hasReport else { return }
        let block = currentBlock(now: now)
        if isOwn { addRecords(of: row, result, to: block) }
        let prefix = unsafe row.bytes.bytes(row.reportPrefix)
        let suffix = unsafe row.bytes.bytes(row.reportSuffix)
        let number = row.number
        if number <= outcomesUpTo {
            let texts = unsafe row.bytes.bytes(row.outcomeTexts)
            block.use { unsafe $0.addOutcome(row: number, result, texts: texts) }
        }
        let isFull = block.use { block in
            block.append(row: number) { lines in
                switch sharing {
                case .none:
                    unsafe lineWriter.append(
                        prefix: prefix, result: result, suffix: suffix, into: &lines)
                case .first, .again:
                    unsafe lineWriter.append(
                        prefix: prefix, shared: result, isAgain: sharing == .again,
                        suffix: suffix, into: &lines)
                }
            }
        }
        if isFull { submit() }
    }

    /// Adds a row's records beside the report: its token if that is dead, its text if it was given
    /// up.
    private mutating func addRecords(
        of row: borrowing PreparedRow, _ result: RowResult, to block: Held<ReportBlock>
    ) {
        if case .unregistered = result.outcome {
            let token = unsafe row.bytes.bytes(row.token)
            block.use { block in
                block.addUnregistered { lines in
                    unsafe unregistered?.append(
                        token: token, unregisteredAt: result.unregisteredAtMilliseconds,
                        into: &lines)
                }
            }
        }
        if !result.outcome.isDefinite, !row.text.isEmpty {
            let text = unsafe row.bytes.bytes(row.text)
            block.use { unsafe $0.addRetryRow(text) }
        }
    }

    // MARK: Blocks

    private mutating func currentBlock(now: Instant) -> Held<ReportBlock> {
        if let block { return block }
        let new = Held(environment.emptyBlock())
        block = new
        blockStarted = now
        return new
    }

    private var hasLines: Bool { block?.use { !$0.rows.isEmpty } ?? false }

    /// Hands the current block to the writer.
    mutating func submit() {
        guard hasLines, let block else { return }
        self.block = nil
        environment.submit(block.release())
        lookAtWriter()
    }

    /// A finished row should not wait for its block to become full.
    mutating func submitIfOld(now: Instant) {
        if block != nil, now >= blockStarted.advanced(by: delay) { submit() }
    }

    /// The time at which the block is handed over though it is not full; `nil` while it is empty.
    var deadline: Instant? {
        hasLines ? blockStarted.advanced(by: delay) : nil
    }

    /// Looks whether the writer keeps up.
    mutating func lookAtWriter() {
        isBehind = environment.isReportBehind
    }
}
