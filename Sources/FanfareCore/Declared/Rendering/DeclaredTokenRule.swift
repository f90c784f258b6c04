import FanfareBase

/// The rule that the token of every row of a description has to keep.
struct DeclaredTokenRule {
    private let column: Int
    private let bytesMax: Int
    private let shape: TokenPattern?
    /// True if tokens stand in one text with commas between them.
    private let hasCommaLists: Bool

    init(_ provider: DeclaredProvider) {
        column = provider.token.column
        let isURL =
            if case .column(provider.token.column, _) = provider.origin { true } else { false }
        bytesMax = isURL ? DeclaredURL.bytesMax : Limits.declaredTokenBytesMax
        shape = provider.token.shape
        hasCommaLists = Self.hasCommas(provider)
    }

    /// Checks the token of a row.
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
    }

    private static func hasCommas(_ provider: DeclaredProvider) -> Bool {
        switch provider.request.body {
        case .json(let node): hasCommas(node)
        case .form(let fields): fields.contains { hasCommas($0.value) }
        case .none, .text: false
        }
    }

    private static func hasCommas(_ node: DeclaredNode) -> Bool {
        switch node {
        case .tokens(let join): join == .comma
        case .array(let nodes): nodes.contains { hasCommas($0) }
        case .object(let members): members.contains { hasCommas($0.value) }
        case .messages(let node): hasCommas(node)
        case .constant, .text, .json, .optional, .requestID: false
        }
    }
}

extension Limits {
    /// The longest token of a provider that is described by a file; those of HMS have some 180 bytes, those of
    /// others up to 400, and a topic or a key of one's own may be anything.
    static let declaredTokenBytesMax = 1024
}
