import FanfareBase
import FanfareCore
import FanfareSystem

/// Looks at the first rows for those that could not be sent, before anything is.
extension PreparedJob {
    /// Refuses a list of which too many of the first rows are invalid.
    /// - Throws: `FanfareError.Code.stopped` unless a person goes on all the same.
    mutating func surveyRows() throws(FanfareError) {
        guard !isNoList, let found = invalidRows() else { return }
        if let mayGoOn = configuration.mayGoOn {
            toleratesInvalid = mayGoOn(found)
            guard !toleratesInvalid else { return }
            throw FanfareError(.stopped, "nothing was sent")
        }
        throw FanfareError(
            .stopped,
            found + ". \(otherBounds) sends to the others all the same. Nothing was sent")
    }

    /// The setting with all bounds but those on invalid rows.
    private var otherBounds: Statement {
        var bounds: [OutcomeThreshold] = []
        for route in routes {
            for bound in configuration.guards.bounds(of: route.kind, toleratesInvalid: true)
            where !bounds.contains(bound) {
                bounds.append(bound)
            }
        }
        return GuardOptions.setting(bounds)
    }

    /// True if a program makes the rows, or a provider only looks at them: each row gets its answer then.
    private var isNoList: Bool {
        configuration.guards.chosenStopIf == nil
            && (configuration.inputs.allSatisfy(\.isSequence)
                || configuration.routes.allSatisfy(\.validatesOnly))
    }

    /// Looks at the beginning of each file and database, and at as much of a pipe as is there.
    /// - Returns: A sentence about too many invalid rows; `nil` if there are not.
    func invalidRows() -> Statement? {
        let bounds = configuration.guards.ofFirstRows
        guard !bounds.isEmpty else { return nil }
        var rule = StopRule(bounds)
        var crossed: Threshold?
        var inspector = RowInspector(
            self,
            figures: RehearsalFigures(
                valueCount: templateSlots.count, routeCount: routes.count > 1 ? routes.count : 0),
            report: nil)
        let history = RowHistory<MappedFile>(
            selection: RowSelection(
                configuration.rows.choice, source.schema, seedCount: seedCount))
        var rowsBefore: UInt64 = 0
        for index in configuration.inputs.indices {
            var rows: UInt64 = 0
            survey(input: index) { batch in
                batch.inputIndex = index
                // Only the rows of the first input may be a seed list's.
                batch.firstRow += rowsBefore
                rows += UInt64(batch.rowCount)
                guard crossed == nil, (try? history.record(batch)) != nil else { return }
                inspector.inspect(batch)
                crossed = rule.check(inspector.tally.outcomes, rowCount: nil)
            }
            rowsBefore += rows
        }
        let findings = inspector.finish()
        let counts = findings.tally.outcomes
        let least = Limits.guardedOutcomesMin
        guard
            let threshold = crossed
                ?? bounds.first(where: { $0.isCrossed(by: counts, ofAtLeast: least) })
        else { return nil }
        return "\(.stopIf) \(threshold): \(NumberText.grouped(counts[.invalid])) of the first "
            + "\(NumberText.grouped(threshold.base(of: counts))) rows are invalid: "
            + Statement(text(of: findings))
    }

    /// Calls a function with the first rows of an input, a batch at a time.
    private func survey(input index: Int, _ look: (RowBatch) -> Void) {
        let input = configuration.inputs[index]
        // A look at a database may be at other rows than those that are sent.
        if Self.canBeReadTwice(input) || input.isDatabase {
            guard let reader = try? RowReader(input, source.spec) else { return }
            let batch = RowBatch(slotCount: reader.head.schema.slotCount)
            let end = reader.offset + UInt64(Limits.encodingLookBytes)
            while reader.offset < end, (try? reader.fill(batch)) == true { look(batch) }
            return
        }
        switch input {
        case .file, .standardInput:
            if index == 0 { source.reader?.surveyAtHand(look) }
        // The others are read above, or made by a program.
        case .memory, .generated, .sqlite, .sequence: break
        }
    }

    /// The most frequent reasons, with their first lines.
    private func text(of findings: RowInspector.Findings) -> String {
        let reasons = findings.tally.reasons.filter { $0.outcome == .invalid }
            .sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
        let shown = reasons.prefix(3).map { reason in
            let place = findings.figures.places(of: reason.reason).first
            let name = place.flatMap { place in
                configuration.inputs.count > 1 ? configuration.inputs[place.input].name : nil
            }
            let line = place.map { " (\(name.map { "\($0), " } ?? "")line \($0.line))" } ?? ""
            return "\(NumberText.grouped(reason.count)) times \(reason.reason)\(line)"
        }
        return shown.joined(separator: ", ")
            + (reasons.count > shown.count ? ", and other reasons" : "")
    }
}
