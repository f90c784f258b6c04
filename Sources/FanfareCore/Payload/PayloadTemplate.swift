package import FanfareBase

/// A payload with placeholders, compiled once and rendered for each row.
///
/// - `{{name}}` inside a string becomes the row's value, JSON-escaped; `{{name|friend}}` has a default.
/// - A string that is exactly `"{{name:json}}"` becomes the value as JSON: `"{{badge:json|0}}"`.
/// - A column that is not there or `null` takes the default, and without one is a fault of the row. An empty
///   cell of CSV takes the default, too; without one it stays empty, as an empty string of NDJSON always does.
/// - A number, boolean, array or object from NDJSON is inserted as it stood; in a string, escaped.
/// - For `:json` a string from NDJSON is that string, and a cell of CSV must itself be valid JSON: the cell
///   `3` becomes the number 3, and `gold` is a fault.
/// - `{{` as text is written with an escape, `\u007b{`: placeholders are looked for in the JSON text.
///
/// Immutable, so all lanes share one.
@safe
package final class PayloadTemplate: @unchecked Sendable {
    /// Text of the template and the placeholder behind it.
    private struct Part {
        var literal: ByteRange
        var slot: Int
        var isJSON: Bool
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
    ///   - json: Valid JSON without white space between its tokens; the caller has had it checked.
    ///   - schema: The schema, with a slot for every name in `columnNames(inJSON:)`.
    ///   - isJSON: Returns true if a text is valid JSON; for the defaults of `:json` placeholders.
    /// - Throws: `PayloadTemplateError` if a placeholder is malformed or names a column that is not
    ///   in the schema.
    package init(
        json: [UInt8], schema: RowSchema, isJSON: (UnsafeBufferPointer<UInt8>) -> Bool
    ) throws(PayloadTemplateError) {
        var text: [UInt8] = []
        var parts: [Part] = []
        func keep(_ bytes: ArraySlice<UInt8>) -> ByteRange {
            text += bytes
            return ByteRange(start: text.count - bytes.count, count: bytes.count)
        }
        var scanner = PlaceholderScanner(json)
        var start = 0
        while let placeholder = try scanner.next() {
            guard let slot = schema.slot(named: placeholder.name) else {
                throw scanner.error(.unknownColumn, placeholder.written)
            }
            var defaultText = placeholder.defaultText.map { json[$0] }
            if let given = defaultText, placeholder.isJSON {
                let plain = jsonUnescaped(given)
                guard unsafe plain.withUnsafeBufferPointer(isJSON) else {
                    throw scanner.error(.invalidDefault, placeholder.written)
                }
                defaultText = plain[...]
            }
            parts.append(
                Part(
                    literal: keep(json[start..<placeholder.replaced.lowerBound]), slot: slot,
                    isJSON: placeholder.isJSON, hasDefault: defaultText != nil,
                    defaultText: keep(defaultText ?? [])))
            start = placeholder.replaced.upperBound
        }
        tail = keep(json[start...])
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
    ///
    /// It is for building the schema, which `init` needs.
    /// - Throws: `PayloadTemplateError` if a placeholder is malformed.
    package static func columnNames(inJSON json: [UInt8]) throws(PayloadTemplateError) -> [String] {
        var names: [String] = []
        var scanner = PlaceholderScanner(json)
        while let placeholder = try scanner.next() {
            if !names.contains(placeholder.name) { names.append(placeholder.name) }
        }
        return names
    }

    /// Appends the payload of a row; nothing in case of a fault.
    /// - Parameters:
    ///   - batch: Holds the row, with the slots of the schema that the template was compiled for.
    ///   - row: The index of the row.
    ///   - out: The buffer that gets the payload.
    ///   - isJSON: Returns true if a text is valid JSON; called only for the cells of CSV for
    ///     `:json`.
    /// - Returns: The fault, or nil if there is a payload.
    package func render(
        _ batch: RowBatch, row: Int, into out: inout ByteBuffer,
        isJSON: (UnsafeBufferPointer<UInt8>) -> Bool
    ) -> RenderFault? {
        let countBefore = out.count
        for index in unsafe 0..<parts.count {
            let part = unsafe parts[index]
            unsafe out.append(bytes(part.literal))
            let field = batch.field(row: row, slot: part.slot)
            let isText = field.kind == .text
            let isCell = isText && !batch.hasJSONStrings
            if part.hasDefault && (field.isMissing || isCell && field.length == 0) {
                unsafe out.append(bytes(part.defaultText))
            } else if field.isMissing {
                out.removeLast(out.count - countBefore)
                return .missingValue(slot: part.slot)
            } else if !part.isJSON {
                unsafe out.append(jsonEscaped: batch.value(field))
            } else if isText && !isCell {
                unsafe out.appendJSONString(batch.value(field))
            } else if unsafe isCell && !isJSON(batch.value(field)) {
                out.removeLast(out.count - countBefore)
                return .notJSON(slot: part.slot)
            } else {
                unsafe out.append(batch.value(field))
            }
        }
        unsafe out.append(bytes(tail))
        return nil
    }

    private func bytes(_ range: ByteRange) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: text + Int(range.start), count: Int(range.count))
    }
}

/// The reason why a row has no payload.
package enum RenderFault: Equatable, Sendable {
    /// There is no such column or key, or it is `null`, and the placeholder has no default.
    case missingValue(slot: Int)
    /// The cell for a `:json` placeholder is not valid JSON.
    case notJSON(slot: Int)
}
