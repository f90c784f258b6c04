import FanfareBase
import FanfareCore
import FanfareSystem

/// Looks at rows one by one, as a lane would before it sends them.
struct RowInspector: ~Copyable {
    /// What a worker has found.
    struct Findings: Sendable {
        var tally: Tally
        var figures: RehearsalFigures
        /// The rows of each zone, where they have windows.
        var zones: [String: UInt64]
    }

    private(set) var tally = Tally()
    private var figures: RehearsalFigures
    /// The slots of the template's values.
    private let values: [Int]
    private var preparer: RowPreparer
    private var row = PreparedRow()
    private var format: ReportFormat
    /// The job's own expiration, in UNIX seconds; 0 for none.
    private let expiration: Int64
    /// The rows of each zone, where they have windows.
    private var census: ZoneCensus?
    /// Finds a row's route, in a job that sends to several providers.
    private let routes: RouteFinder?
    private let report: ReportSink?
    private var block: ReportBlock?

    /// Begins with no rows.
    /// - Parameters:
    ///   - plan: The job that is rehearsed.
    ///   - figures: What is counted, all zero.
    ///   - report: Where lines go; `nil` for nowhere.
    init(_ plan: JobPlan, figures: RehearsalFigures, report: ReportSink?) {
        expiration = plan.configuration.provider.expiration.flatMap { Int64($0) } ?? 0
        census = plan.windows.map(ZoneCensus.init)
        routes = plan.routing?.finder
        values = plan.templateSlots
        self.figures = figures
        preparer = RowPreparer(plan.preparation, plan.service)
        format = plan.preparation.report
        self.report = report
    }

    /// Looks at the rows of a batch.
    mutating func inspect(_ batch: RowBatch) {
        var readyCount: UInt64 = 0
        let now = WallClock.milliseconds / 1000
        for index in 0..<batch.rowCount {
            let isGood = preparer.prepare(batch, index, into: &row)
            let isValid = hasRoute(batch, index) && isGood && hasZone(batch, index)
            let obstacle = isValid ? obstacle(batch, index, now: now) : nil
            countLacking(batch, index)
            if !isValid {
                figures.note(preparer.problemKind, at: place(batch, index))
                unsafe record(.invalid, preparer.problemKind.bytes, count: 1)
            } else if let obstacle {
                unsafe record(.skipped, obstacle.text.bytes, count: 1)
            } else {
                readyCount += 1
                countReady(batch, index)
            }
            guard report != nil else { continue }
            if isValid {
                appendSkipped(obstacle?.text ?? Self.valid)
            } else {
                unsafe appendLine(.invalid, preparer.problem.bytes)
            }
        }
        tally.rowsRead += UInt64(batch.rowCount)
        figures.countRows(batch.rowCount)
        if readyCount > 0 { unsafe record(.skipped, Self.valid.bytes, count: readyCount) }
    }

    private static let valid: StaticString = "valid"

    private mutating func record(
        _ outcome: Outcome, _ reason: UnsafeBufferPointer<UInt8>, count: UInt64
    ) {
        unsafe tally.record(unsent: outcome, reason: reason, count: count)
    }

    /// Whether a route of the job takes the row, or it cannot be read.
    private mutating func hasRoute(_ batch: RowBatch, _ index: Int) -> Bool {
        guard let routes, unsafe batch.rows[index].fault.code == .none,
            let problem = routes.route(of: batch, index).verdict?.problem
        else { return true }
        preparer.failRoute(problem, batch, index)
        return false
    }

    /// Whether it is known when the row may be sent.
    private mutating func hasZone(_ batch: RowBatch, _ index: Int) -> Bool {
        guard census?.count(batch, index) == false else { return true }
        preparer.failZone(batch, index)
        return false
    }

    // MARK: Figures

    private func place(_ batch: RowBatch, _ index: Int) -> RehearsalFigures.Place {
        RehearsalFigures.Place(
            row: batch.firstRow + UInt64(index), input: batch.inputIndex,
            line: unsafe batch.rows[index].line)
    }

    /// Counts the values that a row has not, or only as an empty text.
    private mutating func countLacking(_ batch: RowBatch, _ index: Int) {
        guard !values.isEmpty, unsafe batch.rows[index].fault == .none else { return }
        for value in values.indices {
            let field = batch.field(row: index, slot: values[value])
            if field.isMissing || field.length == 0 { figures.countLacking(value: value) }
        }
    }

    private mutating func countReady(_ batch: RowBatch, _ index: Int) {
        let bytesMax = preparer.payloadBytesMax
        let bytes = Int(row.payload.count)
        let isLarge = figures.countReady(
            tokenBytes: Int(row.token.count), payloadBytes: bytes, bytesMax: bytesMax)
        if isLarge { figures.add(large: place(batch, index), bytes: bytes, bytesMax: bytesMax) }
        guard figures.wantsSample else { return }
        let payload = unsafe String(decoding: row.bytes.bytes(row.payload), as: UTF8.self)
        figures.add(sample: place(batch, index), payload: payload)
    }

    // MARK: Outcomes

    /// What keeps a row from being sent though nothing is wrong with it.
    private func obstacle(_ batch: RowBatch, _ index: Int, now: Int64) -> RowProblem? {
        let verdict = batch.verdicts.isEmpty ? .none : batch.verdicts[index]
        return verdict.problem ?? (hasExpired(now: now) ? .expirationPassed : nil)
    }

    /// Whether the row would come too late if it were sent now.
    private func hasExpired(now: Int64) -> Bool {
        let seconds = row.expiration ?? expiration
        return seconds > 0 && seconds <= now
    }

    private mutating func appendSkipped(_ reason: StaticString) {
        unsafe appendLine(.skipped, reason.bytes)
    }

    private mutating func appendLine(_ outcome: Outcome, _ reason: UnsafeBufferPointer<UInt8>) {
        var result = unsafe RowResult(outcome)
        unsafe result.reason = reason
        let block = self.block ?? report?.emptyBlock() ?? ReportBlock()
        self.block = block
        let isFull = block.append(row: row.number) { lines in
            unsafe format.appendLine(
                prefix: row.bytes.bytes(row.reportPrefix), result: result,
                suffix: row.bytes.bytes(row.reportSuffix), into: &lines)
        }
        if isFull { submit() }
    }

    /// Hands over the last lines.
    /// - Returns: What was found in all batches.
    mutating func finish() -> Findings {
        submit()
        return Findings(tally: tally, figures: figures, zones: census?.counts ?? [:])
    }

    /// Hands over lines.
    ///
    /// A rehearsal has no connections to look after, so it may wait: a reader of its report that is
    /// slow makes it slow, and not large.
    private mutating func submit() {
        guard let block, !block.rows.isEmpty else { return }
        report?.submit(block)
        self.block = nil
    }
}
