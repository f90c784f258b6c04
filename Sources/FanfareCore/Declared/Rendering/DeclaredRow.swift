package import FanfareBase

/// A row, as far as a description asks for its values.
package protocol DeclaredRow {
    /// True if texts are strings of JSON, and not cells of CSV.
    var hasJSONStrings: Bool { get }

    /// True if its token is known to follow `TextScan.isPlainToken`.
    var hasPlainToken: Bool { get }

    /// The message that requests of several rows have for it, if that was made before.
    var message: UnsafeBufferPointer<UInt8>? { get }

    /// Lends the value of a column.
    /// - Parameters:
    ///   - column: The index in `DeclaredProvider.columns`.
    ///   - body: Takes the value and its kind; an empty one for a missing value.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    func lend<R, E>(
        _ column: Int, _ body: (Field.Kind, UnsafeBufferPointer<UInt8>) throws(E) -> R
    ) throws(E) -> R
}

extension DeclaredRow {
    package var hasPlainToken: Bool { false }

    package var message: UnsafeBufferPointer<UInt8>? { nil }
}

/// The values that a job has for a description's settings.
package protocol DeclaredSettings {
    /// Lends the value of a setting.
    /// - Parameters:
    ///   - setting: The index in `DeclaredProvider.settings`.
    ///   - body: Takes the value.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    func lend<R, E>(
        _ setting: Int, _ body: (UnsafeBufferPointer<UInt8>) throws(E) -> R
    ) throws(E) -> R
}

/// A row without values, for texts that have settings alone.
package struct NoRow: DeclaredRow {
    package var hasJSONStrings: Bool { true }

    package init() {}

    package func lend<R, E>(
        _ column: Int, _ body: (Field.Kind, UnsafeBufferPointer<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try unsafe body(.missing, .empty)
    }
}

/// The reason why a row does not become a request.
package enum DeclaredRowProblem: Error, Equatable, Sendable {
    case tokenMissing
    case tokenTooLong
    /// Tokens have no blanks, control characters and nothing beyond ASCII.
    case tokenInvalid
    case tokenShape(String)
    case valueMissing(column: String)
    case valueNotJSON(column: String)
    /// The file has a rule for the column's values.
    case valueRefused(column: String, problem: String)
    /// A line break or another control character, which would end the field.
    case fieldValue(name: String)
    case url(DeclaredURL.Fault)
    /// A value in the path would lead to another one.
    case path(PathFault)
    case bodyTooLarge(bytes: Int, most: Int)
    /// It differs from the first row of the request in more than its token.
    case notOfTheBatch
    case tooManyRows(Int)

    /// The problem, for people.
    package var text: String {
        switch self {
        case .tokenMissing: "token is missing"
        case .tokenTooLong: "token is too long"
        case .tokenInvalid: "token has characters that no token has"
        case .tokenShape(let shape): "token does not look like \(shape)"
        case .valueMissing(let column): "the value \(column) is missing"
        case .valueNotJSON(let column): "the value \(column) is not JSON"
        case .valueRefused(let column, let problem): "the value \(column) \(problem)"
        case .fieldValue(let name):
            "the header field \(name) would have control characters or be empty"
        case .url(let fault): "the URL \(fault.text)"
        case .path(let fault): "the path \(fault.text)"
        case .bodyTooLarge(let bytes, let most): "the body has \(bytes) bytes; \(most) are the most"
        case .notOfTheBatch:
            "differs from the first row in more than the token, so it has a request of its own"
        case .tooManyRows(let most): "a request has \(most) rows at most"
        }
    }
}
