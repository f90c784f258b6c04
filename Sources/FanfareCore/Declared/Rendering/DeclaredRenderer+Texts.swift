import FanfareBase

extension DeclaredRenderer {
    /// Returns a header field with its value.
    /// - Parameters:
    ///   - field: The field.
    ///   - row: The row whose values it has.
    ///   - body: The value of `${body}`.
    /// - Returns: The field.
    /// - Throws: `DeclaredRowProblem`, also if the value cannot stand in a field.
    package func field(
        _ field: DeclaredField, _ row: some DeclaredRow, body: [UInt8] = []
    ) throws(DeclaredRowProblem) -> DeclaredRequest.Field {
        var value = ByteBuffer()
        try append(field.value, row, .none, body: body, to: &value)
        guard unsafe HeaderRules.isFieldValue(value.bytes) else {
            throw .fieldValue(name: field.name)
        }
        return unsafe DeclaredRequest.Field(
            field.name, Array(value.bytes), isSecret: isSecret(field.value))
    }

    /// Returns a text with its values as they are.
    /// - Parameters:
    ///   - text: The text.
    ///   - row: The row whose values it has.
    ///   - body: The value of `${body}`.
    /// - Returns: The text.
    /// - Throws: `DeclaredRowProblem`.
    package func bytes(
        of text: DeclaredText, _ row: some DeclaredRow, body: [UInt8] = []
    ) throws(DeclaredRowProblem) -> [UInt8] {
        var buffer = ByteBuffer()
        try append(text, row, .none, body: body, to: &buffer)
        return unsafe Array(buffer.bytes)
    }

    private func isSecret(_ text: DeclaredText) -> Bool {
        text.pieces.contains { piece in
            switch piece {
            case .value(.setting(let setting), _): provider.settings[setting].isSecret
            case .value(.token, _): true
            case .literal, .value: false
            }
        }
    }

    /// The way in which values are escaped.
    enum Escape {
        case none
        /// For the inside of a string.
        case json
        case form
        case path
    }

    func append(
        _ text: DeclaredText, _ row: some DeclaredRow, _ escape: Escape, body: [UInt8] = [],
        to out: inout ByteBuffer
    ) throws(DeclaredRowProblem) {
        for piece in text.pieces {
            switch piece {
            case .literal(let bytes):
                // The literal parts of a path are what they are: slashes, and a query.
                Self.append(bytes, escape == .path ? .none : escape, to: &out)
            case .value(.column(let column), let fallback):
                try append(column: column, fallback, row, escape, to: &out)
            case .value(.setting(let setting), _):
                unsafe settings.lend(setting) { unsafe Self.append($0, escape, to: &out) }
            case .value(.seconds, _): out.append("\(milliseconds / 1000)" as String)
            case .value(.milliseconds, _): out.append("\(milliseconds)" as String)
            case .value(.requestID, _): Self.append(requestID, escape, to: &out)
            case .value(.token, _): Self.append(token, escape, to: &out)
            case .value(.body, _): Self.append(body, escape, to: &out)
            }
        }
    }

    /// Appends the value of a column; as in payload templates, an empty cell takes the default,
    /// too.
    private func append(
        column: Int, _ fallback: [UInt8]?, _ row: some DeclaredRow, _ escape: Escape,
        to out: inout ByteBuffer
    ) throws(DeclaredRowProblem) {
        let isCell = !row.hasJSONStrings
        let isThere = unsafe row.lend(column) { kind, bytes in
            if kind == .missing || kind == .null { return false }
            if isCell, kind == .text, bytes.isEmpty, fallback != nil { return false }
            unsafe Self.append(bytes, escape, to: &out)
            return true
        }
        guard !isThere else { return }
        guard let fallback else { throw .valueMissing(column: provider.columns[column]) }
        Self.append(fallback, escape, to: &out)
    }

    /// Appends a row's value as JSON.
    func append(
        jsonOf column: Int, _ fallback: [UInt8]?, _ row: some DeclaredRow,
        to out: inout ByteBuffer
    ) throws(DeclaredRowProblem) {
        let isCell = !row.hasJSONStrings
        let found: FoundValue = unsafe row.lend(column) { kind, bytes in
            switch kind {
            case .missing, .null: return .no
            case .json: unsafe out.append(bytes)
            case .text where !isCell: unsafe out.appendJSONString(bytes)
            case .text:
                if bytes.isEmpty, fallback != nil { return .no }
                guard unsafe isJSON(Array(bytes)) else { return .notJSON }
                unsafe out.append(bytes)
            }
            return .yes
        }
        switch found {
        case .yes: return
        case .notJSON: throw .valueNotJSON(column: provider.columns[column])
        case .no:
            guard let fallback else { throw .valueMissing(column: provider.columns[column]) }
            Self.append(fallback, .none, to: &out)
        }
    }

    static func append(_ bytes: [UInt8], _ escape: Escape, to out: inout ByteBuffer) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append($0, escape, to: &out) }
    }

    static func append(
        _ bytes: UnsafeBufferPointer<UInt8>, _ escape: Escape, to out: inout ByteBuffer
    ) {
        switch escape {
        case .none: unsafe out.append(bytes)
        case .json: unsafe out.append(jsonEscaped: bytes)
        case .form, .path:
            for index in bytes.indices {
                unsafe FormEscape.append(bytes[index], isForm: escape == .form, to: &out)
            }
        }
    }
}

/// The result of asking a row for a value as JSON.
private enum FoundValue { case yes, no, notJSON }

/// Escapes all but the unreserved characters of RFC 3986 §2.3.
enum FormEscape {
    /// Appends a byte; a blank of a form is a plus sign.
    static func append(_ byte: UInt8, isForm: Bool, to out: inout ByteBuffer) {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            out.append(byte)
        case UInt8(ascii: " ") where isForm: out.append(UInt8(ascii: "+"))
        default:
            out.append(UInt8(ascii: "%"))
            for digit in [byte >> 4, byte & 15] {
                out.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") - 10 + digit)
            }
        }
    }
}
