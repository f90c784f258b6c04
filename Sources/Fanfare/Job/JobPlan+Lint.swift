import FanfareBase
import FanfareCore
import FanfareJSON
import FanfareSystem

/// What is probably a mistake in what is about to be sent.
extension JobPlan {
    /// Sentences about the template, or about the payloads of the first rows.
    func payloadWarnings() -> [String] {
        let pushType = PushType(configuration.provider.pushType ?? PushType.alert.name)
        guard case .template(let json, let name) = configuration.payload else {
            return rowWarnings(pushType)
        }
        var lint = configuration.provider.provider.kind
            .inspection(pushType: pushType, isTemplate: true)
        if let payload = unsafe json.withUnsafeBufferPointer({
            unsafe try? JSONValue.parse($0)
        }) {
            lint.look(at: payload)
        }
        return (lint.faults + lint.warnings).map { "\(name) \($0)" }
    }

    /// Looks into the first input if that can be read once more.
    private func rowWarnings(_ pushType: PushType) -> [String] {
        guard let input = configuration.inputs.first else { return [] }
        switch input {
        case .file(let path): guard FileDescriptor.isRegularFile(path) else { return [] }
        case .memory: break
        case .standardInput, .generated, .sqlite, .sequence: return []
        }
        let batch = RowBatch(
            rowCapacity: Limits.payloadsLookedAtMax, slotCount: source.schema.slotCount)
        guard (try? RowReader(input, source.spec).fill(batch)) == true else { return [] }
        var lint = configuration.provider.provider.kind
            .inspection(pushType: pushType, isTemplate: false)
        for index in 0..<batch.rowCount where unsafe batch.rows[index].fault == .none {
            let field = batch.field(row: index, slot: RowSchema.Known.payload.slot)
            let type = batch.field(row: index, slot: RowSchema.Known.pushType.slot)
            // A row of another push type has rules of its own.
            guard !field.isMissing, type.isMissing || type.length == 0 else { continue }
            if let payload = unsafe try? JSONValue.parse(batch.value(field)) {
                lint.look(at: payload)
            }
        }
        return (lint.faults + lint.warnings).map { "the payloads of \(input.name): a row \($0)" }
    }
}
