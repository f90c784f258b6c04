import FanfareBase
import FanfareCore
import FanfareJSON
import FanfareSystem

/// Looks at rows one by one, as a lane would before it sends them.
struct RowInspector: ~Copyable {
    /// The findings of a worker.
    struct Findings: Sendable {
        var tally: Tally
        var figures: RehearsalFigures
        /// The rows of each zone by route, where hours or an end decide when they are sent.
        var zones: [String: [UInt64]]
        /// The words that name no provider.
        var words: RouteWords
    }

    private(set) var tally = Tally()
    private var figures: RehearsalFigures
    /// The checks of rows, by route.
    private let inspections: [RouteInspection]
    /// The names of the templates' values.
    private let valueNames: [String]
    private var row = PreparedRow()
    private var lineWriter: ReportLineWriter
    /// The rows of each zone, where hours or an end decide when they are sent.
    private var census: ZoneCensus?
    /// Finds a row's route, in a job that sends to several providers.
    private let routes: RouteFinder?
    private var words = RouteWords()
    private let report: ReportSink?
    private var block: ReportBlock?

    /// Creates an inspector that has seen no rows.
    /// - Parameters:
    ///   - plan: The job that is rehearsed.
    ///   - figures: The counts, all zero.
    ///   - report: The report for its lines; `nil` for none.
    init(_ plan: PreparedJob, figures: RehearsalFigures, report: ReportSink?) {
        census = plan.terms.map { _ in
            ZoneCensus(plan.windows, routeCount: plan.routes.count)
        }
        routes = plan.routing?.finder
        let values = plan.templateSlots
        valueNames = values.map { plan.preparation.schema.names[$0] }
        inspections = plan.routes.map { RouteInspection($0, values: values) }
        self.figures = figures
        lineWriter = ReportLineWriter(plan.preparation.report.kind)
        self.report = report
    }

    /// Looks at the rows of a batch.
    mutating func inspect(_ batch: RowBatch) {
        var (readyCount, leftCount) = (0 as UInt64, 0)
        let now = WallClock.milliseconds / 1000
        for index in 0..<batch.rowCount {
            if batch.verdict(ofRow: index) == .finished {
                leftCount += 1
                continue
            }
            let answer = answer(batch, index)
            let route = inspections[answer.index]
            var zone: String?
            let isValid =
                route.prepare(batch, index, answer, into: &row)
                && findZone(batch, index, route, &zone)
            let obstacle = isValid ? obstacle(batch, index, route, now: now) : nil
            countLacking(batch, index, route)
            if route.lint != nil { look(at: batch, index, route) }
            if let routes, unsafe batch.rows[index].fault.code == .none,
                case .route(let number) = answer
            {
                figures.count(route: number, byWord: routes.hasKnownWord(batch, index))
            }
            if !isValid {
                let kind = route.preparer { $0.problemKind }
                figures.note(kind, at: place(batch, index))
                unsafe record(.invalid, kind.bytes, count: 1)
            } else if let obstacle {
                unsafe record(.skipped, obstacle.text.bytes, count: 1)
            } else {
                readyCount += 1
                countReady(batch, index, route, number: answer.index)
                if let zone { census?.count(zone, route: answer.index) }
            }
            if row.variant > 0 {
                tally.record(isValid ? .skipped : .invalid, variant: row.variant)
            }
            guard report != nil else { continue }
            if isValid {
                appendSkipped(obstacle?.text ?? Outcome.validReason)
            } else {
                route.preparer { unsafe appendLine(.invalid, $0.problem.bytes) }
            }
        }
        tally.rowsRead += UInt64(batch.rowCount - leftCount)
        figures.countRows(batch.rowCount - leftCount)
        if readyCount > 0 { unsafe record(.skipped, Outcome.validReason.bytes, count: readyCount) }
    }

    private mutating func record(
        _ outcome: Outcome, _ reason: UnsafeBufferPointer<UInt8>, count: UInt64
    ) {
        unsafe tally.record(unsent: outcome, reason: reason, count: count)
    }

    /// Returns the route of a row; that of a row that cannot be read is the first one.
    private mutating func answer(_ batch: RowBatch, _ index: Int) -> RouteFinder.Answer {
        guard let routes, unsafe batch.rows[index].fault.code == .none else { return .route(0) }
        return routes.route(of: batch, index, noting: &words)
    }

    /// Finds the time zone of a row that the reader does not keep back.
    /// - Returns: False if the zone is not known.
    private mutating func findZone(
        _ batch: RowBatch, _ index: Int, _ route: RouteInspection, _ zone: inout String?
    ) -> Bool {
        guard census != nil, batch.verdict(ofRow: index).problem == nil else { return true }
        zone = census?.zone(of: batch, index)
        guard zone == nil else { return true }
        route.preparer { $0.failZone(batch, index) }
        return false
    }

    // MARK: Figures

    private func place(_ batch: RowBatch, _ index: Int) -> RehearsalFigures.Place {
        RehearsalFigures.Place(
            row: batch.firstRow + UInt64(index), input: batch.inputIndex,
            line: unsafe batch.rows[index].line)
    }

    /// Counts the values that a row has not, or only as an empty text, and notes those that it has.
    private mutating func countLacking(
        _ batch: RowBatch, _ index: Int, _ route: RouteInspection
    ) {
        guard !route.values.isEmpty, unsafe batch.rows[index].fault == .none else { return }
        for value in route.values {
            let field = batch.field(row: index, slot: value.slot)
            guard field.isMissing || field.length == 0 else {
                figures.noteHeld(value: value.index)
                if let word = unsafe MissingWord.word(batch.value(field)) {
                    figures.note(
                        mistake: "has \(word) for {{\(valueNames[value.index])}}",
                        at: place(batch, index))
                }
                continue
            }
            figures.countLacking(value: value.index, at: place(batch, index))
        }
    }

    /// Looks for probable mistakes in the payload that a row brings.
    private mutating func look(
        at batch: RowBatch, _ index: Int, _ route: RouteInspection
    ) {
        guard unsafe batch.rows[index].fault == .none, var lint = route.lint else { return }
        let field = batch.field(row: index, slot: RowSchema.Known.payload.slot)
        let type = batch.field(row: index, slot: RowSchema.Known.pushType.slot)
        // A row of another push type has rules of its own.
        guard !field.isMissing, type.isMissing || type.length == 0,
            let payload = unsafe try? JSONValue.parse(batch.value(field))
        else { return }
        lint.look(at: payload)
        for mistake in lint.faults + lint.warnings {
            figures.note(mistake: mistake, at: place(batch, index))
        }
    }

    private mutating func countReady(
        _ batch: RowBatch, _ index: Int, _ route: RouteInspection, number: Int
    ) {
        let bytesMax = route.preparer { $0.payloadBytesMax }
        let bytes = Int(row.payload.count)
        let isLarge = figures.countReady(
            route: number, tokenBytes: Int(row.token.count), payloadBytes: bytes,
            bytesMax: bytesMax)
        if let weight = unsafe route.weighed?.weight(ofPayload: row.bytes.bytes(row.payload)) {
            figures.add(
                large: place(batch, index), bytes: weight.bytes, bytesMax: weight.bytesMax)
        } else if isLarge {
            figures.add(large: place(batch, index), bytes: bytes, bytesMax: bytesMax)
        }
        guard figures.wantsSample(of: number) else { return }
        let payload = unsafe String(decoding: row.bytes.bytes(row.payload), as: UTF8.self)
        figures.add(sample: place(batch, index), of: number, payload: payload)
    }

    // MARK: Outcomes

    /// Returns the obstacle that keeps a row from being sent although it has no fault.
    private func obstacle(
        _ batch: RowBatch, _ index: Int, _ route: RouteInspection, now: Int64
    ) -> RowProblem? {
        // It would come too late if it were sent now.
        let seconds = row.expiration ?? route.expiration
        let hasExpired = seconds > 0 && seconds <= now
        return batch.verdict(ofRow: index).problem ?? (hasExpired ? .expirationPassed : nil)
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
            unsafe lineWriter.append(
                prefix: row.bytes.bytes(row.reportPrefix), result: result,
                suffix: row.bytes.bytes(row.reportSuffix), into: &lines)
        }
        if isFull { submit() }
    }

    /// Hands over the last lines.
    /// - Returns: The findings in all batches.
    mutating func finish() -> Findings {
        submit()
        return Findings(tally: tally, figures: figures, zones: census?.counts ?? [:], words: words)
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
