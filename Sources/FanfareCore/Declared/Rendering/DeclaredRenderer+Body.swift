import FanfareBase

extension DeclaredRenderer {
    /// Returns the body of a request.
    /// - Parameters:
    ///   - first: The row that gives the values that all rows share.
    ///   - rows: The rows whose tokens or messages are in it.
    /// - Returns: The body.
    /// - Throws: The reason why there is none.
    func body<Row: DeclaredRow>(
        _ first: Row, _ rows: [Row]
    ) throws(DeclaredRowProblem) -> [UInt8] {
        var out = ByteBuffer(capacity: 1024)
        try appendBody(first, rows, to: &out)
        return unsafe Array(out.bytes)
    }

    /// Appends the body of a request.
    func appendBody<Row: DeclaredRow>(
        _ first: Row, _ rows: [Row], to out: inout ByteBuffer
    ) throws(DeclaredRowProblem) {
        switch provider.request.body {
        case .none: break
        case .json(let node): try append(node, first, rows, to: &out)
        case .text(let text): try append(text, first, .none, to: &out)
        case .form(let fields):
            var isFirst = true
            for field in fields where !isAbsent(field.value, first) {
                if !isFirst { out.append("&") }
                isFirst = false
                Self.append(Array(field.name.utf8), .form, to: &out)
                out.append("=")
                var value = ByteBuffer()
                if field.isJSON {
                    try append(field.value, first, rows, to: &value)
                } else {
                    try append(plain: field.value, first, rows, to: &value)
                }
                unsafe Self.append(value.bytes, .form, to: &out)
            }
        }
    }

    private func append<Row: DeclaredRow>(
        _ node: DeclaredNode, _ first: Row, _ rows: [Row], to out: inout ByteBuffer
    ) throws(DeclaredRowProblem) {
        switch node {
        case .constant(let json): Self.append(json, .none, to: &out)
        case .json(let column, let fallback):
            try append(jsonOf: column, fallback, first, to: &out)
        case .optional(let node, _): try append(node, first, rows, to: &out)
        case .text, .requestID, .tokens(.comma):
            out.append("\"")
            try append(plain: node, first, rows, .json, to: &out)
            out.append("\"")
        case .tokens(.array):
            out.append("[")
            for (index, row) in rows.enumerated() {
                out.append(index > 0 ? ",\"" : "\"")
                appendToken(of: row, .json, to: &out)
                out.append("\"")
            }
            out.append("]")
        case .array(let nodes):
            out.append("[")
            var isFirst = true
            for node in nodes where !isAbsent(node, first) {
                if !isFirst { out.append(",") }
                isFirst = false
                try append(node, first, rows, to: &out)
            }
            out.append("]")
        case .messages(let message):
            out.append("[")
            for (index, row) in rows.enumerated() {
                if index > 0 { out.append(",") }
                if let made = unsafe row.message {
                    unsafe out.append(made)
                } else if let flatMessage {
                    try flatMessage.appendChecked(row, to: &out)
                } else {
                    try append(message, row, [row], to: &out)
                }
            }
            out.append("]")
        case .object(let members):
            out.append("{")
            var isFirst = true
            for member in members where !isAbsent(member.value, first) {
                if !isFirst { out.append(",") }
                isFirst = false
                out.appendJSONString(member.key)
                out.append(":")
                try append(member.value, first, rows, to: &out)
            }
            out.append("}")
        }
    }

    /// Appends a text: in a string of JSON, or the value of a form's field.
    private func append<Row: DeclaredRow>(
        plain node: DeclaredNode, _ first: Row, _ rows: [Row], _ escape: Escape = .none,
        to out: inout ByteBuffer
    ) throws(DeclaredRowProblem) {
        switch node {
        case .text(let text): try append(text, first, escape, to: &out)
        case .optional(let node, _): try append(plain: node, first, rows, escape, to: &out)
        case .requestID: Self.append(requestID, escape, to: &out)
        case .tokens:
            for (index, row) in rows.enumerated() {
                if index > 0 { out.append(",") }
                appendToken(of: row, escape, to: &out)
            }
        case .constant, .json, .array, .object, .messages:
            preconditionFailure("BUG: this is no text")
        }
    }

    /// True if a value is left out for a row: one whose value it lacks, and an object or an array that
    /// would have nothing but such ones in it.
    private func isAbsent(_ node: DeclaredNode, _ row: some DeclaredRow) -> Bool {
        switch node {
        case .optional(_, let columns): columns.contains { !has($0, row) }
        case .object(let members):
            !members.isEmpty && members.allSatisfy { isAbsent($0.value, row) }
        case .array(let nodes): !nodes.isEmpty && nodes.allSatisfy { isAbsent($0, row) }
        case .constant, .text, .json, .tokens, .messages, .requestID: false
        }
    }

    private func has(_ column: Int, _ row: some DeclaredRow) -> Bool {
        let isCell = !row.hasJSONStrings
        return unsafe row.lend(column) { kind, bytes in
            switch kind {
            case .missing, .null: false
            case .text: !isCell || !bytes.isEmpty
            case .json: true
            }
        }
    }

    private func appendToken(of row: some DeclaredRow, _ escape: Escape, to out: inout ByteBuffer) {
        let hasEscapes = escape != .json || !row.hasPlainToken
        unsafe row.lend(tokenColumn) { _, bytes in
            unsafe Self.append(bytes, hasEscapes ? escape : .none, to: &out)
        }
    }

    /// Returns a list of members with the values of settings, as JSON.
    package func json(of members: [DeclaredMember]) throws(DeclaredRowProblem) -> [UInt8] {
        var out = ByteBuffer()
        try append(.object(members), NoRow(), [], to: &out)
        return unsafe Array(out.bytes)
    }
}
