import FanfareBase
import FanfareCore

/// The value of a message for a column, rendered for each row.
struct FilledColumn: Sendable {
    private enum Template {
        case text(HeaderTemplate)
        case json(PayloadTemplate)
    }

    private let template: Template
    private let schema: RowSchema

    init(_ value: MessageValue, _ schema: RowSchema) throws(PayloadTemplateError) {
        self.schema = schema
        switch value {
        case .text(let text): template = .text(try HeaderTemplate(text, schema: schema))
        case .json(let json):
            template = unsafe .json(
                try PayloadTemplate(json: json, schema: schema) {
                    unsafe ProviderFile.isJSON(Array($0))
                })
        }
    }

    /// The kind of its values.
    var kind: Field.Kind {
        switch template {
        case .text: .text
        case .json: .json
        }
    }

    /// The value of all rows; `nil` if it has placeholders, or may have.
    var constant: [UInt8]? {
        switch template {
        case .text(let text): text.constant
        case .json: nil
        }
    }

    /// Appends the value for a row.
    /// - Parameters:
    ///   - batch: The batch of the row.
    ///   - index: The number of the row in it.
    ///   - buffer: Gets the value.
    /// - Throws: `RowFailure` if the row has no value for a placeholder.
    func append(
        _ batch: RowBatch, _ index: Int, to buffer: inout ByteBuffer
    ) throws(RowFailure) {
        let fault =
            switch template {
            case .text(let text): text.render(batch, row: index, into: &buffer)
            case .json(let json):
                unsafe json.render(batch, row: index, into: &buffer) {
                    unsafe ProviderFile.isJSON(Array($0))
                }
            }
        switch fault {
        case .missingValue(let slot):
            throw RowFailure(.templateValueMissing, schema.inputName(ofSlot: slot))
        case .notJSON(let slot):
            throw RowFailure(.templateValueNotJSON, schema.inputName(ofSlot: slot))
        case nil: return
        }
    }
}
