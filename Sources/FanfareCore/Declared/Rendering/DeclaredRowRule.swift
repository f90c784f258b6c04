import FanfareBase

/// The rules that every row of a description has to keep: for its token, and for the values of columns.
struct DeclaredRowRule {
    private struct Column {
        let index: Int
        let name: String
        let rule: DeclaredValueRule
        /// True if an empty cell is a value, because nothing takes its place.
        let takesEmptyCells: Bool
    }

    private let column: Int
    private let bytesMax: Int
    private let shape: TokenPattern?
    /// True if tokens stand in one text with commas between them.
    private let hasCommaLists: Bool
    private let columns: [Column]

    init(_ provider: DeclaredProvider) {
        column = provider.token.column
        let isURL =
            if case .column(provider.token.column, _) = provider.origin { true } else { false }
        bytesMax = isURL ? DeclaredURL.bytesMax : Limits.declaredTokenBytesMax
        shape = provider.token.shape
        hasCommaLists = provider.request.body.nodes.contains(.tokens(.comma))
        let required = provider.requiredColumns
        columns = provider.columnRules.sorted { $0.key < $1.key }.map { index, rule in
            Column(
                index: index, name: provider.columns[index], rule: rule,
                takesEmptyCells: required.contains(provider.columns[index]))
        }
    }

    /// Checks the values of a row.
    func check(_ row: some DeclaredRow) throws(DeclaredRowProblem) {
        try unsafe row.lend(column) { (_, bytes) throws(DeclaredRowProblem) in
            if bytes.isEmpty { throw .tokenMissing }
            if bytes.count > bytesMax { throw .tokenTooLong }
            let isPlain = row.hasPlainToken
            guard unsafe isPlain || HeaderRules.isVisibleASCII(bytes) else { throw .tokenInvalid }
            if let shape, unsafe !shape.fits(bytes) { throw .tokenShape(shape.text) }
            // It would be two of them.
            if hasCommaLists, !isPlain, unsafe bytes.contains(UInt8(ascii: ",")) {
                throw .tokenInvalid
            }
        }
        if !columns.isEmpty { try checkColumns(of: row) }
    }

    /// Checks the values that have rules; one that is missing is told of where it would stand.
    private func checkColumns(of row: some DeclaredRow) throws(DeclaredRowProblem) {
        for column in columns {
            try unsafe row.lend(column.index) { (kind, bytes) throws(DeclaredRowProblem) in
                switch kind {
                case .missing, .null: return
                case .text where bytes.isEmpty && !row.hasJSONStrings && !column.takesEmptyCells:
                    return
                case .text, .json: break
                }
                let isString = kind == .text && row.hasJSONStrings
                guard let problem = unsafe column.rule.problem(bytes, isString: isString) else {
                    return
                }
                throw .valueRefused(column: column.name, problem: problem)
            }
        }
    }
}

extension Limits {
    /// The longest token of a provider that is described by a file; those of HMS have some 180 bytes, those of
    /// others up to 400, and a topic or a key of one's own may be anything.
    static let declaredTokenBytesMax = 1024
}
