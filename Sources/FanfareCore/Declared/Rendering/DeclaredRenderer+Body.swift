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
        switch provider.request.body {
        case .none: break
        case .json(let node): try append(node, first, rows, to: &out)
        case .text(let text): try append(text, first, .none, to: &out)
        case .form(let fields):
            for (index, field) in fields.enumerated() {
                if index > 0 { out.append("&") }
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
        return unsafe Array(out.bytes)
    }

    private func append<Row: DeclaredRow>(
        _ node: DeclaredNode, _ first: Row, _ rows: [Row], to out: inout ByteBuffer
    ) throws(DeclaredRowProblem) {
        switch node {
        case .constant(let json): Self.append(json, .none, to: &out)
        case .json(let column, let fallback):
            try append(jsonOf: column, fallback, first, to: &out)
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
            for (index, node) in nodes.enumerated() {
                if index > 0 { out.append(",") }
                try append(node, first, rows, to: &out)
            }
            out.append("]")
        case .messages(let message):
            out.append("[")
            for (index, row) in rows.enumerated() {
                if index > 0 { out.append(",") }
                try append(message, row, [row], to: &out)
            }
            out.append("]")
        case .object(let members):
            out.append("{")
            for (index, member) in members.enumerated() {
                if index > 0 { out.append(",") }
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

    private func appendToken(of row: some DeclaredRow, _ escape: Escape, to out: inout ByteBuffer) {
        unsafe row.lend(provider.token.column) { _, bytes in
            unsafe Self.append(bytes, escape, to: &out)
        }
    }

    /// Returns a list of members with the values of settings, as JSON.
    package func json(of members: [DeclaredMember]) throws(DeclaredRowProblem) -> [UInt8] {
        var out = ByteBuffer()
        try append(.object(members), NoRow(), [], to: &out)
        return unsafe Array(out.bytes)
    }
}
