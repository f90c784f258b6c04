import FanfareBase
import FanfareCore
import FanfareJSON
import FanfareSystem

/// What is probably a mistake in what is about to be sent.
extension JobPlan {
    /// Sentences about the templates, and about the payloads that rows bring themselves.
    func payloadWarnings() -> [String] {
        var warnings: [String] = []
        for route in routes {
            guard case .template(let json, let name) = route.payload else { continue }
            var lint = route.inspection(isTemplate: true)
            if let payload = unsafe json.withUnsafeBufferPointer({
                unsafe try? JSONValue.parse($0)
            }) {
                lint.look(at: payload)
            }
            warnings += (lint.faults + lint.warnings).map { "\(name) \($0)" }
        }
        // Where all routes have a template a row's own payload is the exception.
        let isColumnUsed = routes.contains {
            if case .template = $0.payload { false } else { true }
        }
        return warnings + (isColumnUsed ? rowWarnings() : [])
    }

    /// Looks into the first input if that can be read once more.
    private func rowWarnings() -> [String] {
        guard let input = configuration.inputs.first else { return [] }
        switch input {
        case .file(let path): guard FileDescriptor.isRegularFile(path) else { return [] }
        case .memory: break
        case .standardInput, .generated, .sqlite, .sequence: return []
        }
        let batch = RowBatch(
            rowCapacity: Limits.payloadsLookedAtMax, slotCount: source.schema.slotCount)
        guard (try? RowReader(input, source.spec).fill(batch)) == true else { return [] }
        var lints = routes.map { $0.inspection(isTemplate: false) }
        let finder = routing?.finder
        for index in 0..<batch.rowCount where unsafe batch.rows[index].fault == .none {
            let field = batch.field(row: index, slot: RowSchema.Known.payload.slot)
            let type = batch.field(row: index, slot: RowSchema.Known.pushType.slot)
            // A row of another push type has rules of its own.
            guard !field.isMissing, type.isMissing || type.length == 0,
                case .route(let route) = finder?.route(of: batch, index) ?? .route(0)
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
    /// What looks at payloads of the route.
    fileprivate func inspection(isTemplate: Bool) -> any PayloadInspection {
        kind.inspection(
            pushType: PushType(options.pushType ?? PushType.alert.name), isTemplate: isTemplate)
    }
}
