extension DeclaredProvider {
    /// The columns that rows have to have, in the order of the file: all that stand somewhere without a
    /// default, but for the token's.
    package var requiredColumns: [String] {
        var found = Set<Int>()
        forEachColumn { column, hasDefault in if !hasDefault { found.insert(column) } }
        found.remove(token.column)
        return found.sorted().map { columns[$0] }
    }

    /// True if the token stands in no place but the one where tokens are joined: rows that differ in the
    /// token alone have the rest of their requests in common.
    package var isTokenApart: Bool {
        var isApart = true
        forEachColumn { column, _ in if column == token.column { isApart = false } }
        return isApart
    }

    /// True if requests of several rows have nothing of a row in them but its token or its message: any of the
    /// rows may go together.
    package var hasFixedCommonPart: Bool {
        guard batch != nil, case .fixed = origin else { return false }
        if case .hmac = authorization { return false }
        var isFixed = true
        forEachColumn(inMessages: false) { _, _ in isFixed = false }
        return isFixed
    }

    /// Visits the columns that texts and values stand for.
    /// - Parameters:
    ///   - inMessages: True to visit those of messages, of which a request has one for each row.
    ///   - body: Takes a column, as often as it stands somewhere, and true if it has a default there.
    private func forEachColumn(
        inMessages: Bool = true, _ body: (Int, _ hasDefault: Bool) -> Void
    ) {
        func look(_ text: DeclaredText, hasOther: Bool = false) {
            for case .value(.column(let column), let fallback) in text.pieces {
                body(column, hasOther || fallback != nil)
            }
        }
        func look(_ node: DeclaredNode) {
            switch node {
            case .constant, .tokens, .requestID: break
            case .text(let text): look(text)
            case .json(let column, let fallback): body(column, fallback != nil)
            case .optional(let node, let optional):
                for column in node.columns {
                    body(column.index, column.hasDefault || optional.contains(column.index))
                }
            case .array(let nodes): nodes.forEach(look)
            case .object(let members): members.forEach { look($0.value) }
            case .messages(let node): if inMessages { look(node) }
            }
        }
        look(request.path)
        request.fields.forEach { look($0.value) }
        switch request.body {
        case .none: break
        case .json(let node): look(node)
        case .form(let fields): fields.forEach { look($0.value) }
        case .text(let text): look(text)
        }
        if case .hmac(let hmac) = authorization {
            look(hmac.key, hasOther: hmac.usualKey != nil)
            hmac.over.forEach { look($0) }
            hmac.also.forEach { look($0.value) }
        }
        if case .column(let column, _) = origin { body(column, false) }
    }

    /// True if a setting has a use in the place of a row's own value alone, so that a job does without it.
    package func isOptional(setting: Int) -> Bool {
        guard case .hmac(let hmac) = authorization else { return false }
        return hmac.usualKey?.has(.setting(setting)) == true
    }

    /// The name of the column that tokens are in.
    package var tokenColumn: String {
        columns.indices.contains(token.column) ? columns[token.column] : RowSchema.Known.token.name
    }
}

extension DeclaredText {
    /// True if it differs from request to request: by the row, by the time, or by the content sent.
    package var varies: Bool {
        pieces.contains { piece in
            switch piece {
            case .value(.column, _), .value(.seconds, _), .value(.milliseconds, _),
                .value(.requestID, _), .value(.body, _):
                true
            case .literal, .value(.setting, _), .value(.token, _): false
            }
        }
    }
}

extension DeclaredNode {
    /// The columns of a single text or value, as often as they stand there.
    fileprivate var columns: [(index: Int, hasDefault: Bool)] {
        switch self {
        case .text(let text):
            text.pieces.compactMap { piece in
                guard case .value(.column(let column), let fallback) = piece else { return nil }
                return (column, fallback != nil)
            }
        case .json(let column, let fallback): [(column, fallback != nil)]
        case .constant, .array, .object, .optional, .tokens, .messages, .requestID: []
        }
    }
}
