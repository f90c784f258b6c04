import FanfareBase
import FanfareCore
import FanfareTLS

/// Makes the requests of a provider that a file describes.
///
/// A row's values are kept with it, so that its request can be made anew for another attempt: a signature
/// is about a moment. Rows that share requests mostly differ in their tokens alone. So the row before is
/// remembered: the next one with the same values is as good, and no request is made of it alone.
final class DeclaredRequestMaker: RequestMaker {
    private let service: DeclaredService
    /// Behind a pointer, as all that changes here: a property would cost an exclusivity check per access.
    private let renderer: Pinned<DeclaredRenderer>
    let sharing: RequestSharing?
    /// The column that a payload has a place in; `nil` if there is none.
    private let payloadColumn: Int?
    private let tokenColumn: Int
    /// True if rows that have all but their tokens in common are alike, so that one tells about all.
    private let isTokenApart: Bool
    /// True if a row like the one before needs no request of its own before it is sent.
    private let mayFollow: Bool
    /// The maker of a row's message where any rows may share a request that has a message for each; `nil`
    /// elsewhere.
    private let messageMaker: FlatBody?
    /// The maker of a row's body, if it makes the whole.
    private let bodyMaker: FlatBody?
    /// The number of columns.
    private let columnCount: Int
    /// True if the body is all that differs from row to row, so that nothing else is made for each.
    private let variesInBodyAlone: Bool
    /// The value of the job's message for a column of the row that is prepared.
    private let filledValue = Pinned(ByteBuffer())
    /// The body of the request that is made.
    private let body = Pinned(ByteBuffer(capacity: 1024))
    /// The last row of which a request was made alone.
    private let last = Pinned(LastRow())
    /// The places of the columns but the token's.
    private let otherSlots: [Int]
    /// The values but the token of a row that brings nothing else: what the job's message says to all rows;
    /// `nil` if that differs from row to row.
    private let commonRest: [UInt8]?

    private struct LastRow: ~Copyable {
        var isKnown = false
        /// True if its values are those of `commonRest`.
        var isCommon = false
        /// The values but the token.
        var values = ByteBuffer()
        var shareKey = ByteBuffer(capacity: 32)
    }

    init(_ service: DeclaredService) {
        let provider = service.options.provider
        self.service = service
        let renderer = service.options.renderer()
        self.renderer = Pinned(renderer)
        sharing = provider.batch.map { RequestSharing(rowsMax: $0.rowsMax, linger: $0.linger) }
        payloadColumn = provider.columns.firstIndex(of: RowSchema.Known.payload.name)
        tokenColumn = provider.token.column
        isTokenApart = provider.isTokenApart
        let isSigned = if case .hmac = provider.authorization { true } else { false }
        variesInBodyAlone = !isSigned && !service.pathVaries && !service.fieldsVary.contains(true)
        let isBodyForLater =
            sharing != nil && !service.settings.validatesOnly
            && provider.request.bodyBytesMax == nil
        mayFollow = isBodyForLater && isTokenApart
        messageMaker =
            isBodyForLater && provider.hasFixedCommonPart ? renderer.flatMessage : nil
        bodyMaker = renderer.flatBody
        columnCount = provider.columns.count
        let token = provider.token.column
        otherSlots = service.settings.slots.enumerated().filter { $0.offset != token }
            .map(\.element)
        commonRest = payloadColumn == nil ? Self.commonRest(service.settings, token) : nil
    }

    private static func commonRest(
        _ settings: DeclaredService.Settings, _ tokenColumn: Int
    ) -> [UInt8]? {
        var rest = ByteBuffer()
        for column in settings.slots.indices where column != tokenColumn {
            guard let filled = settings.filled?[column] else {
                unsafe LentRow.append(.missing, .empty, to: &rest)
                continue
            }
            guard let constant = filled.constant else { return nil }
            unsafe constant.withUnsafeBufferPointer {
                unsafe LentRow.append(filled.kind, $0, to: &rest)
            }
        }
        return unsafe Array(rest.bytes)
    }

    // MARK: A row

    func makeRequest(
        of batch: RowBatch, _ index: Int, template: PayloadTemplate?, in row: inout PreparedRow
    ) throws(RowFailure) -> Int {
        let isCommon = try keepValues(of: batch, index, template, in: &row)
        if sharing == nil, variesInBodyAlone {
            row.requestStart = row.bytes.count
            try putBody(into: &row)
            return service.options.provider.request.bodyBytesMax ?? .max
        }
        if let messageMaker { try keepMessage(messageMaker, in: &row) }
        let kept = values(of: row)
        if isLikeLast(kept, isCommon: isCommon) {
            if messageMaker == nil {
                do throws(DeclaredRowProblem) {
                    try renderer.withValue { renderer throws(DeclaredRowProblem) in
                        try renderer.check(kept)
                    }
                } catch {
                    throw error.failure
                }
            }
            last.withValue { unsafe keep(shareKey: $0.shareKey.bytes, in: &row) }
            row.payload = .empty
            row.otherTokens = .empty
            return .max
        }
        let request = try request(of: [kept], kept, numbers: [row.number], areChecked: false)
        if sharing != nil {
            let key = try shareKey(of: kept)
            unsafe key.withUnsafeBufferPointer { key in
                if mayFollow || messageMaker != nil {
                    unsafe remember(kept, isCommon: isCommon, key)
                }
                unsafe keep(shareKey: key, in: &row)
            }
        } else {
            row.requestStart = row.bytes.count
        }
        put(request, into: &row)
        return service.options.provider.request.bodyBytesMax ?? .max
    }

    /// True if a row may go with the last one of which a request was made alone, if its token is right.
    private func isLikeLast(_ row: LentRow, isCommon: Bool) -> Bool {
        last.withValue { last in
            guard last.isKnown else { return false }
            if messageMaker != nil || isCommon && last.isCommon { return true }
            return unsafe mayFollow && row.rest.hasBytes(of: last.values.bytes)
        }
    }

    private func remember(
        _ row: LentRow, isCommon: Bool, _ shareKey: UnsafeBufferPointer<UInt8>
    ) {
        last.withValue { last in
            last.isKnown = true
            last.isCommon = isCommon && mayFollow
            last.values.removeAll()
            unsafe last.values.append(row.rest)
            last.shareKey.removeAll()
            unsafe last.shareKey.append(shareKey)
        }
    }

    /// Keeps the values of a row beside its request: those of its columns, and where it has none those of the
    /// job's message.
    /// - Returns: True if all but its token are those of `commonRest`.
    private func keepValues(
        of batch: RowBatch, _ index: Int, _ template: PayloadTemplate?, in row: inout PreparedRow
    ) throws(RowFailure) -> Bool {
        let start = row.bytes.count
        LentRow.begin(
            batch, token: batch.field(row: index, slot: RowSchema.Known.token.slot),
            isPlain: row.hasPlainToken, to: &row.bytes)
        let isCommon = bringsTokenAlone(batch, index)
        if isCommon, let commonRest {
            unsafe commonRest.withUnsafeBufferPointer { unsafe row.bytes.append($0) }
        } else {
            try keepOtherValues(of: batch, index, template, in: &row)
        }
        row.values = ByteRange(start: start, count: row.bytes.count - start)
        return isCommon
    }

    /// True if a row has no value but its token, and the others are the same for all such rows.
    private func bringsTokenAlone(_ batch: RowBatch, _ index: Int) -> Bool {
        guard commonRest != nil else { return false }
        for slot in otherSlots where batch.field(row: index, slot: slot) != .missing {
            return false
        }
        return true
    }

    /// Keeps the values of a row but its token's.
    private func keepOtherValues(
        of batch: RowBatch, _ index: Int, _ template: PayloadTemplate?, in row: inout PreparedRow
    ) throws(RowFailure) {
        let slots = service.settings.slots
        for (column, slot) in slots.enumerated() where column != tokenColumn {
            let own = batch.field(row: index, slot: slot)
            if column == payloadColumn, let template, !Self.hasPayload(own) {
                let payload = try Self.payload(template, batch, index)
                unsafe payload.withUnsafeBufferPointer {
                    unsafe LentRow.append(.json, $0, to: &row.bytes)
                }
            } else if let filled = service.settings.filled?[column], !Self.isGiven(own, in: batch) {
                try filledValue.withValue { value throws(RowFailure) in
                    value.removeAll()
                    try filled.append(batch, index, to: &value)
                    unsafe LentRow.append(filled.kind, value.bytes, to: &row.bytes)
                }
            } else {
                if column == payloadColumn, Self.hasPayload(own) {
                    row.ownColumns.insert(.payload)
                }
                LentRow.append(own, of: batch, to: &row.bytes)
            }
        }
    }

    /// Makes the message that a request has for a row, and keeps it behind the row's values.
    private func keepMessage(
        _ maker: FlatBody, in row: inout PreparedRow
    ) throws(RowFailure) {
        do throws(DeclaredRowProblem) {
            try body.withValue { message throws(DeclaredRowProblem) in
                message.removeAll()
                let values = unsafe row.bytes.bytes(row.values)
                try maker.append(
                    unsafe LentRow(values, tokenColumn: tokenColumn), to: &message)
                unsafe LentRow.append(.json, message.bytes, to: &row.bytes)
            }
        } catch {
            throw error.failure
        }
        row.values = ByteRange(
            start: Int(row.values.start), count: row.bytes.count - Int(row.values.start))
    }

    private static func hasPayload(_ field: Field) -> Bool {
        switch field.kind {
        case .missing, .null: false
        case .text: field.length > 0
        case .json: true
        }
    }

    /// True if a row has a value of its own; as for defaults, an empty cell is none.
    private static func isGiven(_ field: Field, in batch: RowBatch) -> Bool {
        !field.isMissing && (field.kind != .text || field.length > 0 || batch.hasJSONStrings)
    }

    /// The values of a row, lent until its memory changes.
    private func values(of row: borrowing PreparedRow) -> LentRow {
        unsafe lent(row.bytes.bytes(row.values))
    }

    private func lent(_ values: UnsafeBufferPointer<UInt8>) -> LentRow {
        unsafe LentRow(
            values, tokenColumn: tokenColumn,
            messagePlace: messageMaker == nil ? nil : columnCount)
    }

    private func keep(shareKey: UnsafeBufferPointer<UInt8>, in row: inout PreparedRow) {
        row.shareKey = unsafe row.append(shareKey)
        row.requestStart = row.bytes.count
    }

    func renewRequest(of row: inout PreparedRow) {
        // It was made of the same values before.
        _ = makeRequest(of: &row, with: [])
    }

    // MARK: Rows together

    func makeRequest(of row: inout PreparedRow, with others: [FellowRow]) -> Bool {
        let first = values(of: row)
        var kept = [first]
        kept.reserveCapacity(others.count + 1)
        for other in others { kept.append(unsafe lent(other.values)) }
        // Nearly always so; the renderer compares the others in full.
        let areAlike =
            messageMaker != nil
            || isTokenApart && kept.allSatisfy { $0.differsInTokenAlone(from: first) }
        let numbers = [row.number] + others.map(\.number)
        guard
            let request = try? request(of: kept, first, numbers: numbers, areChecked: areAlike)
        else { return false }
        row.remakeRequest { row in
            put(request, into: &row)
            guard !others.isEmpty else { return }
            let start = row.bytes.count
            for other in others { unsafe TokenList.append(other.token, to: &row.bytes) }
            row.otherTokens = ByteRange(start: start, count: row.bytes.count - start)
        }
        return true
    }

    /// Returns a digest that a row has in common with rows that may share its request.
    ///
    /// It covers everything but tokens and messages. The maker of the request compares all of it
    /// again.
    private func shareKey(of row: LentRow) throws(RowFailure) -> [UInt8] {
        do throws(DeclaredRowProblem) {
            return SHA1.digest(
                of: try renderer.withValue { renderer throws(DeclaredRowProblem) in
                    // Moment and id are the request's, and not a row's. An empty id could not stand in a
                    // header field.
                    renderer.milliseconds = 0
                    renderer.requestID = Self.anyID
                    return try renderer.commonPart(of: row)
                })
        } catch {
            throw error.failure
        }
    }

    private static let anyID = Array("0".utf8)

    // MARK: Parts

    private static func payload(
        _ template: PayloadTemplate, _ batch: RowBatch, _ index: Int
    ) throws(RowFailure) -> [UInt8] {
        var payload = ByteBuffer()
        let fault = unsafe template.render(batch, row: index, into: &payload) {
            unsafe ProviderFile.isJSON(Array($0))
        }
        switch fault {
        case .missingValue: throw RowFailure(.templateValueMissing, "of the payload")
        case .notJSON: throw RowFailure(.templateValueNotJSON, "of the payload")
        case nil: return unsafe Array(payload.bytes)
        }
    }

    /// Returns the key that tells a request from others; other rows give another key.
    private func requestKey(_ numbers: [UInt64]) -> [UInt8] {
        guard let form = service.options.provider.idempotency?.form, let first = numbers.first
        else { return [] }
        let others = numbers.count == 1 ? "" : numbers.map { "+\($0)" }.joined()
        return RequestKey.make(form, job: service.settings.job + others, row: first)
    }

    private func request(
        of rows: [LentRow], _ first: LentRow, numbers: [UInt64], areChecked: Bool
    ) throws(RowFailure) -> DeclaredRequest {
        let key = requestKey(numbers)
        var request: DeclaredRequest
        do throws(DeclaredRowProblem) {
            request = try renderer.withValue { renderer throws(DeclaredRowProblem) in
                renderer.milliseconds = service.unixMilliseconds()
                renderer.requestID = key
                return areChecked
                    ? try renderer.request(ofAlike: rows, first) : try renderer.request(of: rows)
            }
        } catch {
            throw error.failure
        }
        guard case .hmac = service.options.provider.authorization else { return request }
        do throws(RequestProof.Fault) {
            try RequestProof(renderer.withValue { $0 }, service.options.settings)
                .add(to: &request, of: first)
        } catch {
            guard case .row(let problem) = error else {
                throw RowFailure(.fieldInvalid, error.text)
            }
            throw problem.failure
        }
        return request
    }

    /// Appends the body of a row's request, which is all of it that differs from row to row.
    private func putBody(into row: inout PreparedRow) throws(RowFailure) {
        if bodyMaker == nil {
            let key = service.options.provider.idempotency == nil ? [] : requestKey([row.number])
            renderer.withValue { renderer in
                renderer.milliseconds = service.unixMilliseconds()
                if !key.isEmpty { renderer.requestID = key }
            }
        }
        do throws(DeclaredRowProblem) {
            // The values are in the memory that the body is appended to afterwards.
            row.payload = try body.withValue { body throws(DeclaredRowProblem) in
                body.removeAll()
                if let bodyMaker {
                    try bodyMaker.append(values(of: row), to: &body)
                } else {
                    try renderer.withValue { renderer throws(DeclaredRowProblem) in
                        try renderer.appendBody(of: values(of: row), to: &body)
                    }
                }
                return unsafe row.append(body.bytes)
            }
        } catch {
            throw error.failure
        }
        row.otherTokens = .empty
    }

    /// Appends the parts that differ from row to row to a row's own texts.
    private func put(_ request: DeclaredRequest, into row: inout PreparedRow) {
        var place = 0
        if service.pathVaries {
            row.setField(place, row.append(Array(request.path.utf8)))
            place += 1
        }
        for (field, varies) in zip(request.fields, service.fieldsVary) where varies {
            row.setField(place, row.append(field.value))
            place += 1
        }
        row.payload = row.append(request.body)
        row.otherTokens = .empty
    }
}
