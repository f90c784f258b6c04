import FanfareBase
import FanfareCore
import FanfareJSON

/// The settings by which every row of a job is prepared.
struct PreparationSettings: Sendable {
    var schema: RowSchema
    /// The job's payload, or `nil` when every row brings its own.
    var template: PayloadTemplate?
    /// The payloads that rows choose from; `nil` if there is one at most.
    var chosen: ChosenTexts?
    var report: ReportFormat
    /// True if there is a report at all: a rehearsal may have none.
    var hasReport: Bool
    /// The slots of the carried columns, in the report's order.
    var carriedSlots: [Int]
    /// True if rows are checked; load tests switch it off.
    var validates: Bool
    /// True if rows keep their text, for `--retry-rows`.
    var keepsText = false
    /// The place of the time zone in a row, if rows name one.
    var zoneSlot: Int?
    /// The place of the provider in a row, in a job that sends to several.
    var providerSlot: Int?
    /// The format of the list of dead tokens, if there is one.
    var unregistered: UnregisteredFormat?
    /// The time for which a finished row may wait for others to go to the writer with.
    var reportDelay = Limits.reportDelay
    /// Up to which row outcomes are wanted as values, too; 0 for none.
    var outcomesUpTo: UInt64 = 0
}

/// Makes rows ready for the wire, or finds their faults.
///
/// `send`, `push` and `check` all use it: a rehearsal that checked anything else would be worth
/// nothing. It allocates nothing for a good row once its place has been used before.
@safe
struct RowPreparer: ~Copyable {
    private let inPlace = InPlace()
    private let settings: PreparationSettings
    private let service: any PushService
    /// The body of all requests, where rows only count them.
    private let fixedBody: [UInt8]?
    /// The maker of whole requests, which the lane uses for other attempts, too; `nil` if rows differ in
    /// their payloads.
    let requestMaker: (any RequestMaker)?
    /// True if there is neither: rows become requests as most do.
    private let isUsual: Bool
    /// The same template as in `settings`, for use without counting references.
    private let template: Unmanaged<PayloadTemplate>?
    private let validator = JSONValidator()
    /// The fault of the last row that was not good, as the report's reason.
    private(set) var problem = ByteBuffer(capacity: 128)
    /// The same without anything of the row in it, for counting.
    private(set) var problemKind: StaticString = ""
    /// True if the last row was for the provider, as far as can be said.
    private(set) var namesProvider = true
    /// The most bytes that the payload of the last good row could have.
    private(set) var payloadBytesMax = 0

    init(_ settings: PreparationSettings, _ service: any PushService) {
        self.settings = settings
        self.service = service
        fixedBody = service.fixedBody
        requestMaker = service.makeRequestMaker()
        isUsual = fixedBody == nil && requestMaker == nil
        unsafe template = settings.template.map { unsafe Unmanaged.passUnretained($0) }
    }

    /// Makes one row of a batch ready.
    /// - Parameters:
    ///   - batch: The row's batch.
    ///   - index: Its place there.
    ///   - lacksRoute: No route of the job takes the row: its report texts name no provider.
    ///   - row: The place for the prepared row.
    /// - Returns: False when the row must not be sent; `problem` has the reason then, and the
    ///   report texts of
    ///   `row` are valid nevertheless.
    mutating func prepare(
        _ batch: RowBatch, _ index: Int, lacksRoute: Bool = false, into row: inout PreparedRow
    ) -> Bool {
        row.clear()
        row.number = batch.number(of: index)
        guard isUsual else {
            return prepareWhole(batch, index, lacksRoute: lacksRoute, into: &row)
        }
        let fault = unsafe batch.rows[index].fault
        let tokenProblem = tokenProblem(batch, index)
        // A row that cannot be read may be for any of several providers.
        namesProvider = !lacksRoute && (fault.code == .none || settings.providerSlot == nil)
        if let chosen = settings.chosen { row.variant = chosen.number(of: batch, index) }
        // Hexadecimal digits need no search for characters that a report would have to quote.
        let fits = appendReportTexts(
            batch, index, isPlainToken: tokenProblem == nil && settings.validates,
            hasProvider: namesProvider, into: &row)
        if fault.code != .none {
            describe(fault, line: unsafe batch.rows[index].line)
            return false
        }
        guard fits else { return fail(.carriedTooLarge, batch, index) }
        if let tokenProblem { return fail(tokenProblem, batch, index) }
        appendToken(batch, index, into: &row)
        do throws(RowProblem) {
            payloadBytesMax = try service.addFields(of: batch, index, to: &row)
        } catch {
            return fail(error, batch, index)
        }
        guard appendPayload(batch, index, into: &row) else { return false }
        return settings.keepsText ? appendText(batch, index, into: &row) : true
    }

    /// Makes a row ready that does not become a request as most do.
    private mutating func prepareWhole(
        _ batch: RowBatch, _ index: Int, lacksRoute: Bool, into row: inout PreparedRow
    ) -> Bool {
        guard let requestMaker else {
            row.payload = row.append(fixedBody ?? [])
            return true
        }
        let fault = unsafe batch.rows[index].fault
        namesProvider = !lacksRoute && (fault.code == .none || settings.providerSlot == nil)
        if let chosen = settings.chosen { row.variant = chosen.number(of: batch, index) }
        // Nearly all tokens are plain, and what is known here is not looked for again four times.
        row.hasPlainToken = unsafe TextScan.isPlainToken(batch.value(of: .token, row: index))
        let fits = appendReportTexts(
            batch, index, isPlainToken: row.hasPlainToken, hasProvider: namesProvider, into: &row)
        if fault.code != .none {
            describe(fault, line: unsafe batch.rows[index].line)
            return false
        }
        guard fits else { return fail(.carriedTooLarge, batch, index) }
        appendToken(batch, index, into: &row)
        if settings.keepsText, !appendText(batch, index, into: &row) { return false }
        guard hasChosenPayload(batch, index, row.variant) else {
            return failChoice(batch, index)
        }
        do throws(RowFailure) {
            payloadBytesMax = try requestMaker.makeRequest(
                of: batch, index,
                template: settings.chosen?.template(row.variant) ?? settings.template, in: &row)
            return true
        } catch {
            _ = fail(error.problem, batch, index)
            if !error.detail.isEmpty {
                problem.append(": ")
                problem.append(error.detail)
            }
            return false
        }
    }

    /// True if a row has a payload of its own, or one of those that rows choose from is for it.
    private func hasChosenPayload(_ batch: RowBatch, _ index: Int, _ variant: UInt8) -> Bool {
        guard settings.chosen != nil, variant == 0 else { return true }
        return batch.field(row: index, slot: RowSchema.Known.payload.slot).length > 0
    }

    /// Keeps the row as it stands in the input.
    ///
    /// The last row may have no line end there, but it may not be the last one the next time.
    private mutating func appendText(
        _ batch: RowBatch, _ index: Int, into row: inout PreparedRow
    ) -> Bool {
        let text = unsafe batch.rawRow(index)
        guard text.count <= Limits.retryRowBytesMax else {
            return fail(.rowTooLargeToKeep, batch, index)
        }
        let start = row.bytes.count
        unsafe row.bytes.append(text)
        if batch.hasCarriageReturn(index) { row.bytes.append(UInt8(ascii: "\r")) }
        row.bytes.append(UInt8(ascii: "\n"))
        row.text = ByteRange(start: start, count: row.bytes.count - start)
        return true
    }

    // MARK: Report texts

    /// - Returns: False when the row's own texts are too long to be kept; they are left out then.
    private func appendReportTexts(
        _ batch: RowBatch, _ index: Int, isPlainToken: Bool, hasProvider: Bool,
        into row: inout PreparedRow
    ) -> Bool {
        let id = batch.field(row: index, slot: RowSchema.Known.id.slot)
        var carriedBytes = id.length
        for slot in settings.carriedSlots where slot != ReportFormat.variantSlot {
            carriedBytes += batch.field(row: index, slot: slot).length
        }
        let fits = carriedBytes <= Limits.carriedBytesMax
        guard settings.hasReport else { return fits }
        let token = unsafe batch.value(of: .token, row: index)
        let start = row.bytes.count
        let tokenStart = unsafe settings.report.appendPrefix(
            row: row.number, id: fits && !id.isMissing ? batch.value(id) : nil,
            token: token, isPlainToken: isPlainToken, hasProvider: namesProvider, into: &row.bytes)
        if let tokenStart { row.token = ByteRange(start: tokenStart, count: token.count) }
        row.reportPrefix = ByteRange(start: start, count: row.bytes.count - start)
        let middle = row.bytes.count
        if fits {
            settings.report.appendSuffix(
                batch: batch, row: index, slots: settings.carriedSlots,
                variant: settings.chosen?.name(row.variant) ?? [], into: &row.bytes)
        } else {
            settings.report.appendEmptySuffix(into: &row.bytes)
        }
        row.reportSuffix = ByteRange(start: middle, count: row.bytes.count - middle)
        if row.number <= settings.outcomesUpTo {
            let end = row.bytes.count
            settings.report.appendTexts(
                batch: batch, row: index, slots: settings.carriedSlots,
                variant: settings.chosen?.name(row.variant) ?? [], fits: fits,
                hasProvider: namesProvider, into: &row.bytes)
            row.outcomeTexts = ByteRange(start: end, count: row.bytes.count - end)
        }
        return fits
    }

    // MARK: Request

    private func tokenProblem(_ batch: RowBatch, _ index: Int) -> RowProblem? {
        let field = batch.field(row: index, slot: RowSchema.Known.token.slot)
        guard !field.isMissing else { return .tokenMissing }
        let token = unsafe batch.value(field)
        if settings.validates {
            if let problem = unsafe service.problem(ofToken: token) { return problem }
        } else if unsafe !HeaderRules.isVisibleASCII(token) || token.count > Limits.tokenBytesMax {
            // Even unchecked, a token must not be able to break the request it is put into.
            return .tokenNotHexadecimal
        }
        return nil
    }

    /// Keeps the token, unless the report's texts have it as it is.
    private func appendToken(_ batch: RowBatch, _ index: Int, into row: inout PreparedRow) {
        guard row.token.isEmpty else { return }
        row.token = unsafe row.append(batch.value(of: .token, row: index))
    }

    // MARK: Payload

    private mutating func appendPayload(
        _ batch: RowBatch, _ index: Int, into row: inout PreparedRow
    ) -> Bool {
        let start = row.bytes.count
        let own = batch.field(row: index, slot: RowSchema.Known.payload.slot)
        if !own.isMissing && own.length > 0 {
            let payload = unsafe batch.value(own)
            if settings.validates, unsafe !validator.isObject(payload) {
                let isJSON = unsafe validator.isValid(payload)
                return fail(isJSON ? .payloadNotAnObject : .payloadNotJSON, batch, index)
            }
            row.ownColumns.insert(.payload)
            do throws(RowProblem) {
                unsafe try service.appendPayload(payload, to: &row)
            } catch {
                return fail(error, batch, index)
            }
        } else if let template = unsafe template {
            // Without a retain and a release for each row: `settings` keeps it alive.
            let fault = unsafe template._withUnsafeGuaranteedRef {
                unsafe $0.render(batch, row: index, into: &row.bytes) {
                    unsafe validator.isValid($0)
                }
            }
            if let fault {
                describe(fault, line: unsafe batch.rows[index].line)
                return false
            }
        } else if let chosen = settings.chosen {
            guard let template = chosen.template(row.variant) else {
                return failChoice(batch, index)
            }
            let fault = unsafe template.render(batch, row: index, into: &row.bytes) {
                unsafe validator.isValid($0)
            }
            if let fault {
                describe(fault, line: unsafe batch.rows[index].line)
                return false
            }
        } else {
            return fail(.payloadMissing, batch, index)
        }
        let count = row.bytes.count - start
        if settings.validates && count > payloadBytesMax {
            return fail(.payloadTooLarge, batch, index)
        }
        row.payload = ByteRange(start: start, count: count)
        return true
    }

    // MARK: Problems

    /// Describes that the zone of a row is unknown, or missing.
    mutating func failZone(_ batch: RowBatch, _ index: Int) {
        guard let slot = settings.zoneSlot else { return }
        let isMissing = batch.field(row: index, slot: slot).length == 0
        _ = fail(isMissing ? .zoneMissing : .zoneUnknown, batch, index)
        name(batch, index, slot)
    }

    /// Describes that none of the payloads that rows choose from is for a row.
    private mutating func failChoice(_ batch: RowBatch, _ index: Int) -> Bool {
        _ = fail(.payloadNotChosen, batch, index)
        if let slot = settings.chosen?.slot { name(batch, index, slot) }
        return false
    }

    /// Names a column and the row's value of it, as far as it can be shown.
    private mutating func name(_ batch: RowBatch, _ index: Int, _ slot: Int) {
        problem.append(": ")
        problem.append(settings.schema.inputName(ofSlot: slot))
        let field = batch.field(row: index, slot: slot)
        guard !field.isMissing, field.length > 0 else { return }
        let beginning = unsafe batch.value(field).prefix(4 * (Limits.routeWordShownMax + 1))
        let text = unsafe String(decoding: beginning, as: UTF8.self)
        problem.append(" '\(TerminalText.shown(text, max: Limits.routeWordShownMax))'")
    }

    /// Describes why no route of the job takes a row.
    mutating func failRoute(_ found: RowProblem, _ batch: RowBatch, _ index: Int) {
        _ = fail(found, batch, index)
        guard found != .tokenOfNoProvider else { return }
        problem.append(": ")
        RouteFinder.appendProvider(
            of: batch, index, slot: settings.providerSlot, to: &problem)
    }

    private mutating func fail(_ found: RowProblem, _ batch: RowBatch, _ index: Int) -> Bool {
        beginProblem(line: unsafe batch.rows[index].line)
        problemKind = found.text
        problem.append(found.text)
        return false
    }

    private mutating func describe(_ fault: RowFault, line: UInt64) {
        beginProblem(line: line)
        problemKind = fault.text
        problem.append(fault.text)
        if fault.column > 0 {
            problem.append(fault.columnLabel)
            problem.append(decimal: UInt64(fault.column))
        }
    }

    private mutating func describe(_ fault: RenderFault, line: UInt64) {
        beginProblem(line: line)
        let slot: Int
        switch fault {
        case .missingValue(let missing):
            slot = missing
            problemKind = RowProblem.templateValueMissing.text
        case .notJSON(let bad):
            slot = bad
            problemKind = RowProblem.templateValueNotJSON.text
        }
        problem.append(problemKind)
        problem.append(": ")
        problem.append(settings.schema.inputName(ofSlot: slot))
    }

    private mutating func beginProblem(line: UInt64) {
        problem.removeAll()
        problem.append("line ")
        problem.append(decimal: line)
        problem.append(": ")
    }
}
