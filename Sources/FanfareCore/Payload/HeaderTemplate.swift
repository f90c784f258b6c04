package import FanfareBase

/// A header value with placeholders, compiled once and rendered for each row.
///
/// The placeholders are those of `PayloadTemplate`, but nothing is escaped, and `:json` has no meaning. What
/// comes out is checked by the rules of the header, because rows have a part in it.
///
/// Immutable, so all lanes share one.
@safe
package final class HeaderTemplate: @unchecked Sendable {
    /// Text of the template and the placeholder behind it.
    private struct Part {
        var literal: ByteRange
        var slot: Int
        var hasDefault: Bool
        var defaultText: ByteRange
    }

    /// All literals and defaults.
    private let text: UnsafeMutablePointer<UInt8>
    private let parts: UnsafeMutableBufferPointer<Part>
    /// The text behind the last placeholder.
    private let tail: ByteRange

    /// Compiles a template.
    /// - Parameters:
    ///   - template: The text.
    ///   - schema: The schema, with a slot for every name in `columnNames(in:)`.
    /// - Throws: `PayloadTemplateError` if a placeholder is malformed, has `:json` or names a
    ///   column that is not in the schema.
    package init(_ template: String, schema: RowSchema) throws(PayloadTemplateError) {
        var text: [UInt8] = []
        var parts: [Part] = []
        func keep(_ added: String) -> ByteRange {
            text += added.utf8
            return ByteRange(start: text.count - added.utf8.count, count: added.utf8.count)
        }
        var literal = ByteRange.empty
        for piece in try TemplateText(template).pieces {
            switch piece {
            case .literal(let words): literal = keep(words)
            case .placeholder(let name, let isJSON, let defaultText):
                guard let slot = schema.slot(named: name), !isJSON else {
                    throw PayloadTemplateError(
                        isJSON ? .jsonNotAlone : .unknownColumn, placeholder: "{{\(name)}}",
                        offset: 0)
                }
                parts.append(
                    Part(
                        literal: literal, slot: slot, hasDefault: defaultText != nil,
                        defaultText: keep(defaultText ?? "")))
                literal = .empty
            }
        }
        tail = literal
        unsafe self.text = .allocate(capacity: text.count)
        unsafe self.text.initialize(from: text, count: text.count)
        unsafe self.parts = .allocate(capacity: parts.count)
        _ = unsafe self.parts.initialize(from: parts)
    }

    deinit {
        unsafe text.deallocate()
        unsafe parts.deallocate()
    }

    /// Returns the columns that a template asks for, each once, in the order of the text.
    /// - Throws: `PayloadTemplateError` if a placeholder is malformed.
    package static func columnNames(in template: String) throws(PayloadTemplateError) -> [String] {
        var names: [String] = []
        for case .placeholder(let name, _, _) in try TemplateText(template).pieces
        where !names.contains(name) {
            names.append(name)
        }
        return names
    }

    /// Appends the value of a row; nothing in case of a fault.
    /// - Parameters:
    ///   - batch: Holds the row, with the slots of the schema that the template was compiled for.
    ///   - row: The index of the row.
    ///   - out: The buffer that gets the value.
    /// - Returns: The fault, or nil if there is a value.
    package func render(_ batch: RowBatch, row: Int, into out: inout ByteBuffer) -> RenderFault? {
        let countBefore = out.count
        for index in unsafe 0..<parts.count {
            let part = unsafe parts[index]
            unsafe out.append(bytes(part.literal))
            let field = batch.field(row: row, slot: part.slot)
            let isCell = field.kind == .text && !batch.hasJSONStrings
            if part.hasDefault && (field.isMissing || isCell && field.length == 0) {
                unsafe out.append(bytes(part.defaultText))
            } else if field.isMissing {
                out.removeLast(out.count - countBefore)
                return .missingValue(slot: part.slot)
            } else {
                unsafe out.append(batch.value(field))
            }
        }
        unsafe out.append(bytes(tail))
        return nil
    }

    /// The value that all rows have in common; nil if there is a placeholder.
    package var constant: [UInt8]? { unsafe parts.isEmpty ? Array(bytes(tail)) : nil }

    private func bytes(_ range: ByteRange) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: text + Int(range.start), count: Int(range.count))
    }
}
