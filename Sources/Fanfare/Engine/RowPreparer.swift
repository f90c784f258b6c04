import FanfareBase
import FanfareCore
import FanfareJSON

/// What every row of a job is prepared by.
struct PreparationSettings: Sendable {
    var schema: RowSchema
    /// The job's payload, or `nil` when every row brings its own.
    var template: PayloadTemplate?
    var report: ReportFormat
    /// Whether there is a report at all: a rehearsal may have none.
    var hasReport: Bool
    /// The slots of the carried columns, in the report's order.
    var carriedSlots: [Int]
    var identity: JobIdentity
    /// Rules of the job's push type; a row's own push type has its own.
    var pushTypeRules: PushType.Rules
    /// The job's topic as it was given, for rows whose own push type wants another suffix.
    var topic: [UInt8]
    /// The job's priority, which a row's own push type may not take; 0 for none.
    var priority: UInt8
    /// Whether rows are checked; load tests switch it off.
    var validates: Bool
    /// Whether a row without a topic of its own has none at all, though the provider wants one.
    var lacksTopic: Bool
    /// Whether rows keep their text, for `--retry-rows`.
    var keepsText = false
    /// Where a row names its time zone, if it does.
    var zoneSlot: Int?
    /// How dead tokens are listed, if they are.
    var unregistered: UnregisteredFormat?
    /// The body that all requests have, where rows only count them.
    var fixedBody: [UInt8]?
}

/// Makes rows ready for the wire, or says what is wrong with them.
///
/// `send`, `push` and `check` all go through here: a rehearsal that checked anything else would be
/// worth nothing. Allocates nothing for a good row once its place has been used before.
@safe
struct RowPreparer: ~Copyable {
    private let inPlace = InPlace()
    private let settings: PreparationSettings
    /// The same template as in `settings`, for use without counting references.
    private let template: Unmanaged<PayloadTemplate>?
    private let validator = JSONValidator()
    /// What is wrong with the last row that was not good, as the report's reason.
    private(set) var problem = ByteBuffer(capacity: 128)
    /// The same without anything of the row in it, for counting.
    private(set) var problemKind: StaticString = ""

    init(_ settings: PreparationSettings) {
        self.settings = settings
        unsafe template = unsafe settings.template.map { unsafe Unmanaged.passUnretained($0) }
    }

    /// Makes one row of a batch ready.
    /// - Returns: False when the row must not be sent; `problem` says why, and the report texts of
    ///   `row` are valid nevertheless.
    mutating func prepare(
        _ batch: RowBatch, _ index: Int, into row: inout PreparedRow
    ) -> Bool {
        row.clear()
        row.number = batch.number(of: index)
        if settings.fixedBody != nil {
            prepareFixed(into: &row)
            return true
        }
        let fault = unsafe batch.rows[index].fault
        let tokenProblem = tokenProblem(batch, index)
        // Hexadecimal digits need no look for what a report would have to quote.
        let fits = appendReportTexts(
            batch, index, isPlainToken: tokenProblem == nil && settings.validates, into: &row)
        if fault.code != .none {
            describe(fault, line: unsafe batch.rows[index].line)
            return false
        }
        guard fits else { return fail(.carriedTooLarge, batch, index) }
        if let tokenProblem { return fail(tokenProblem, batch, index) }
        if let found = appendID(batch, index, into: &row) { return fail(found, batch, index) }
        appendToken(batch, index, into: &row)
        var rules = settings.pushTypeRules
        if let found = appendOverrides(batch, index, into: &row, rules: &rules) {
            return fail(found, batch, index)
        }
        guard appendPayload(batch, index, into: &row, rules: rules) else { return false }
        return settings.keepsText ? appendText(batch, index, into: &row) : true
    }

    /// A request that takes nothing from its row.
    private func prepareFixed(into row: inout PreparedRow) {
        let body = settings.fixedBody ?? []
        unsafe body.withUnsafeBufferPointer { unsafe row.bytes.append($0) }
        row.apnsID = .empty
        row.payload = ByteRange(start: 0, count: body.count)
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
        _ batch: RowBatch, _ index: Int, isPlainToken: Bool, into row: inout PreparedRow
    ) -> Bool {
        let id = batch.field(row: index, slot: RowSchema.Known.id.slot)
        var carriedBytes = id.length
        for slot in settings.carriedSlots {
            carriedBytes += batch.field(row: index, slot: slot).length
        }
        let fits = carriedBytes <= Limits.carriedBytesMax
        guard settings.hasReport else { return fits }
        let token = unsafe value(.token, batch, index)
        let start = row.bytes.count
        let tokenStart = unsafe settings.report.appendPrefix(
            row: row.number, id: fits && !id.isMissing ? batch.value(id) : nil,
            token: token, isPlainToken: isPlainToken, into: &row.bytes)
        if let tokenStart { row.token = ByteRange(start: tokenStart, count: token.count) }
        row.reportPrefix = ByteRange(start: start, count: row.bytes.count - start)
        let middle = row.bytes.count
        if fits {
            settings.report.appendSuffix(
                batch: batch, row: index, slots: settings.carriedSlots, into: &row.bytes)
        } else {
            settings.report.appendEmptySuffix(into: &row.bytes)
        }
        row.reportSuffix = ByteRange(start: middle, count: row.bytes.count - middle)
        return fits
    }

    // MARK: Request

    private func tokenProblem(_ batch: RowBatch, _ index: Int) -> RowProblem? {
        let field = batch.field(row: index, slot: RowSchema.Known.token.slot)
        guard !field.isMissing else { return .tokenMissing }
        let token = unsafe batch.value(field)
        if settings.validates {
            if let problem = unsafe HeaderRules.problem(token: token) { return problem }
        } else if unsafe !HeaderRules.isVisibleASCII(token) || token.count > Limits.tokenBytesMax {
            // Even unchecked, a token must not be able to break the request it is put into.
            return .tokenNotHexadecimal
        }
        return nil
    }

    /// Keeps the token, unless the report's texts have it as it is.
    private func appendToken(_ batch: RowBatch, _ index: Int, into row: inout PreparedRow) {
        guard row.token.isEmpty else { return }
        row.token = unsafe Self.append(value(.token, batch, index), to: &row)
    }

    /// The header values that the row brings itself.
    ///
    /// An empty cell means the job's default.
    private func appendOverrides(
        _ batch: RowBatch, _ index: Int, into row: inout PreparedRow, rules: inout PushType.Rules
    ) -> RowProblem? {
        let pushType = unsafe value(.pushType, batch, index)
        if !pushType.isEmpty {
            if let problem = unsafe HeaderRules.problem(pushType: pushType) { return problem }
            unsafe rules = PushType.rules(named: pushType)
            unsafe row.overrides.pushType = Self.append(pushType, to: &row)
        }
        let topic = unsafe value(.topic, batch, index)
        if !topic.isEmpty {
            if let problem = unsafe HeaderRules.problem(topic: topic) { return problem }
            unsafe appendTopic(topic, rules, into: &row)
        } else if settings.lacksTopic && settings.validates {
            return .topicMissing
        } else if !pushType.isEmpty {
            deriveTopic(rules, into: &row)
        }
        let priority = unsafe value(.priority, batch, index)
        if !priority.isEmpty {
            let found = unsafe HeaderRules.problem(priority: priority, rules: rules)
            if let found { return found }
            unsafe row.overrides.priority = Self.append(priority, to: &row)
        } else if !pushType.isEmpty && settings.priority == 0 {
            derivePriority(rules, into: &row)
        } else if !pushType.isEmpty && settings.validates {
            guard HeaderRules.allows(priority: settings.priority, rules: rules) else {
                return .priorityNotAllowed
            }
        }
        let expiration = unsafe value(.expiration, batch, index)
        if !expiration.isEmpty {
            if let found = unsafe HeaderRules.problem(expiration: expiration) { return found }
            unsafe row.overrides.expiration = Self.append(expiration, to: &row)
        }
        let collapseID = unsafe value(.collapseID, batch, index)
        if !collapseID.isEmpty {
            if let found = unsafe HeaderRules.problem(collapseID: collapseID) { return found }
            unsafe row.overrides.collapseID = Self.append(collapseID, to: &row)
        }
        return nil
    }

    private func appendTopic(
        _ topic: UnsafeBufferPointer<UInt8>, _ rules: PushType.Rules, into row: inout PreparedRow
    ) {
        let start = row.bytes.count
        unsafe APNsTopic.appendFull(topic, rules: rules, into: &row.bytes)
        row.overrides.topic = ByteRange(start: start, count: row.bytes.count - start)
    }

    /// Gives the job's topic the suffix of the row's push type, where that is another one.
    private func deriveTopic(_ rules: PushType.Rules, into row: inout PreparedRow) {
        let jobSuffix = unsafe settings.pushTypeRules.topicSuffix.bytes
        guard !settings.topic.isEmpty, unsafe !rules.topicSuffix.equals(jobSuffix) else { return }
        unsafe settings.topic.withUnsafeBufferPointer { topic in
            unsafe appendTopic(topic, rules, into: &row)
        }
        row.overrides.isTopicDerived = true
    }

    /// Gives the row the priority that goes without saying for its own push type, where it is
    /// another one than for the job's.
    private func derivePriority(_ rules: PushType.Rules, into row: inout PreparedRow) {
        let jobPriority = settings.pushTypeRules.requiredPriority
        guard rules.requiredPriority != jobPriority else { return }
        let start = row.bytes.count
        let isFree = rules.requiredPriority == 0
        row.bytes.append(
            decimal: UInt64(isFree ? PushType.defaultPriority : rules.requiredPriority))
        row.overrides.priority = ByteRange(start: start, count: row.bytes.count - start)
    }

    private func appendID(
        _ batch: RowBatch, _ index: Int, into row: inout PreparedRow
    ) -> RowProblem? {
        let own = unsafe value(.apnsID, batch, index)
        let start = row.bytes.count
        if own.isEmpty {
            settings.identity.appendID(ofRow: row.number, to: &row.bytes)
        } else {
            if let problem = unsafe HeaderRules.problem(apnsID: own) { return problem }
            unsafe HeaderRules.appendLowercased(own, into: &row.bytes)
        }
        row.apnsID = ByteRange(start: start, count: JobIdentity.idBytes)
        return nil
    }

    private static func append(
        _ value: UnsafeBufferPointer<UInt8>, to row: inout PreparedRow
    ) -> ByteRange {
        let start = row.bytes.count
        unsafe row.bytes.append(value)
        return ByteRange(start: start, count: value.count)
    }

    // MARK: Payload

    private mutating func appendPayload(
        _ batch: RowBatch, _ index: Int, into row: inout PreparedRow, rules: PushType.Rules
    ) -> Bool {
        let start = row.bytes.count
        let own = batch.field(row: index, slot: RowSchema.Known.payload.slot)
        if !own.isMissing && own.length > 0 {
            let payload = unsafe batch.value(own)
            if settings.validates, unsafe !validator.isObject(payload) {
                let isJSON = unsafe validator.isValid(payload)
                return fail(isJSON ? .payloadNotAnObject : .payloadNotJSON, batch, index)
            }
            unsafe row.bytes.append(payload)
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
        } else {
            return fail(.payloadMissing, batch, index)
        }
        let count = row.bytes.count - start
        if settings.validates && count > rules.payloadBytesMax {
            return fail(.payloadTooLarge, batch, index)
        }
        row.payload = ByteRange(start: start, count: count)
        return true
    }

    /// The text of a known column; empty when it is missing.
    private func value(
        _ column: RowSchema.Known, _ batch: RowBatch, _ index: Int
    ) -> UnsafeBufferPointer<UInt8> {
        let field = batch.field(row: index, slot: column.slot)
        return unsafe field.isMissing
            ? UnsafeBufferPointer(start: nil, count: 0) : batch.value(field)
    }

    // MARK: Problems

    /// Describes that the zone of a row is unknown, or missing.
    mutating func failZone(_ batch: RowBatch, _ index: Int) {
        guard let slot = settings.zoneSlot else { return }
        let isMissing = batch.field(row: index, slot: slot).length == 0
        _ = fail(isMissing ? .zoneMissing : .zoneUnknown, batch, index)
        problem.append(": ")
        problem.append(settings.schema.inputName(ofSlot: slot))
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
