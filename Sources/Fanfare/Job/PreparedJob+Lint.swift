import FanfareBase
import FanfareCore
import FanfareFigures
import FanfareJSON
import FanfareSystem

/// The search for probable mistakes in the payloads of a job.
extension PreparedJob {
    /// Refuses a payload of the job's that its provider would refuse for each row.
    /// - Throws: `FanfareError.Code.configuration`.
    func checkPayload() throws(FanfareError) {
        guard configuration.rows.validates else { return }
        for route in routes {
            for (name, found) in route.inspected {
                guard let fault = found.faults.first else { continue }
                throw FanfareError(.configuration, "\(name) \(fault)")
            }
        }
    }

    /// Returns sentences about the job's message, and about the payloads of the first rows.
    /// - Parameter looksAtRows: True if mistakes in the payloads that rows bring are among them: a check
    ///   looks at those of all rows.
    /// - Returns: The sentences.
    func payloadWarnings(looksAtRows: Bool = true) -> [String] {
        var warnings: [String] = []
        for route in routes {
            for payload in route.payload.choice?.texts.map(\.payload) ?? [route.payload] {
                guard case .message(let message) = payload else { continue }
                warnings += message.unsaid(to: route.kind, route.options.declared)
            }
            for (name, found) in route.inspected {
                warnings += (found.faults + found.warnings).map { "\(name) \($0)" }
            }
        }
        // If all routes have a payload, a row's own is the exception.
        if looksAtRows, routes.contains(where: { $0.payload == .column }) {
            warnings += rowWarnings()
        }
        return warnings + weightWarnings() + lengthWarnings()
    }

    /// The first rows of the first input, if that can be read once more.
    private func firstRows() -> (input: RowInput, batch: RowBatch)? {
        guard let input = configuration.inputs.first, Self.canBeReadTwice(input) else { return nil }
        let batch = RowBatch(
            rowCapacity: Limits.payloadsLookedAtMax, slotCount: source.schema.slotCount)
        return (try? RowReader(input, source.spec).fill(batch)) == true ? (input, batch) : nil
    }

    /// The route of a row; `nil` for a row that cannot be read, or that has none.
    private func route(of batch: RowBatch, _ index: Int, _ finder: RouteFinder?) -> Int? {
        guard unsafe batch.rows[index].fault.code == .none,
            case .route(let route) = finder?.route(of: batch, index) ?? .route(0)
        else { return nil }
        return route
    }

    /// Returns a sentence about the heaviest payload of the first rows, if its provider may refuse
    /// it.
    ///
    /// The rows' part of it is not known before: the job's own payload has been weighed without it.
    private func weightWarnings() -> [String] {
        guard let number = routes.firstIndex(where: { $0.isWeighed && !$0.templates.isEmpty }),
            let (input, batch) = firstRows()
        else { return [] }
        let (route, finder) = (routes[number], routing?.finder)
        var preparer = RowPreparer(route.preparation, route.service)
        var row = PreparedRow()
        var heaviest: (row: Int, weight: PayloadWeight)?
        for index in 0..<batch.rowCount where self.route(of: batch, index, finder) == number {
            guard preparer.prepare(batch, index, into: &row),
                let weight = unsafe route.kind.weight(ofPayload: row.bytes.bytes(row.payload)),
                weight.bytes > heaviest?.weight.bytes ?? 0
            else { continue }
            heaviest = (index + 1, weight)
        }
        guard let (number, weight) = heaviest, let excess = weight.excess else { return [] }
        return ["the payloads of \(input.name): that of row \(number) \(excess)"]
    }

    /// Returns sentences about the longest texts of the first rows, if a phone shows only a part.
    private func lengthWarnings() -> [String] {
        guard let (input, batch) = firstRows() else { return [] }
        let finder = routing?.finder
        var warnings: [String] = []
        for (number, route) in routes.enumerated() where route.hasShownTexts {
            var preparer = RowPreparer(route.preparation, route.service)
            var row = PreparedRow()
            var longest: [String: (row: Int, characters: Int, text: String)] = [:]
            for index in 0..<batch.rowCount where self.route(of: batch, index, finder) == number {
                guard preparer.prepare(batch, index, into: &row),
                    let payload = unsafe try? JSONValue.parse(row.bytes.bytes(row.payload)),
                    let preview = MessagePreview.of(payload)
                else { continue }
                for excess in preview.excesses
                where excess.characters > longest["\(excess.part)"]?.characters ?? 0 {
                    longest["\(excess.part)"] = (
                        index + 1, excess.characters,
                        "\(excess.characters) characters, and \(preview.phone.name) shows about "
                            + "\(excess.seen)"
                    )
                }
            }
            for part in ["title", "body"] {
                guard let found = longest[part] else { continue }
                warnings.append(
                    "the payloads of \(input.name): the \(part) of row \(found.row) has "
                        + found.text)
            }
        }
        return warnings
    }

    /// Returns sentences about the mistakes that a check has found in the payloads that rows bring.
    func warnings(about remarks: RowRemarks) -> [String] {
        remarks.all.prefix(Limits.rowWarningsMax).map { remark in
            let rows = remark.places.map { NumberText.grouped($0.row) }.joined(separator: ", ")
            let more = remark.count - UInt64(remark.places.count)
            let name = remark.places.first.map { configuration.inputs[$0.input].name } ?? ""
            return "the payloads of \(name): a row \(remark.text) "
                + "(\(remark.count == 1 ? "row" : "rows") \(rows)"
                + (more == 0 ? ")" : " and \(NumberText.grouped(more)) more)")
        }
    }

    /// Sentences about payloads that rows bring themselves.
    private func rowWarnings() -> [String] {
        guard let (input, batch) = firstRows() else { return [] }
        var lints = routes.map { $0.inspection(isTemplate: false) }
        let finder = routing?.finder
        for index in 0..<batch.rowCount where unsafe batch.rows[index].fault == .none {
            let field = batch.field(row: index, slot: RowSchema.Known.payload.slot)
            let type = batch.field(row: index, slot: RowSchema.Known.pushType.slot)
            // A row of another push type has rules of its own.
            guard !field.isMissing, type.isMissing || type.length == 0,
                let route = route(of: batch, index, finder)
            else { continue }
            if let payload = unsafe try? JSONValue.parse(batch.value(field)) {
                lints[route].look(at: payload)
            }
        }
        return lints.flatMap { $0.faults + $0.warnings }
            .map { "the payloads of \(input.name): a row \($0)" }
    }
}

extension RoutePlan {
    /// True if more than the length of a payload counts.
    fileprivate var isWeighed: Bool { kind == .fcm }

    /// True if phones show texts of its payloads as they are.
    fileprivate var hasShownTexts: Bool { kind == .apns || kind == .fcm }

    /// Returns the inspection for the route's payloads.
    func inspection(isTemplate: Bool) -> any PayloadInspection {
        kind.inspection(
            pushType: PushType(options.pushType ?? PushType.alert.name), isTemplate: isTemplate)
    }

    /// The payloads of the job after their inspection, with their names; none if rows bring theirs.
    fileprivate var inspected: [(name: String, found: any PayloadInspection)] {
        // The least payload that a provider takes is not the user's.
        guard payload != .column else { return [] }
        return templates.map { template in
            var inspection = inspection(isTemplate: true)
            if let payload = try? JSONValue.parse(template.json) {
                inspection.look(at: payload)
            }
            return (template.name, inspection)
        }
    }
}

extension Limits {
    /// The warnings about mistakes in the payloads of rows: more of them would hide the first one.
    static let rowWarningsMax = 8
}
