package import FanfareBase

/// The body of a request of one row as a list of texts with values between them.
///
/// ```
///  {"to":" ‹token› ","text":"Hello ‹name› "}
///  text 0          text 1               end
/// ```
/// It is made once for a job. A body of another form, in which something is left out, or that has the moment
/// or the id of its request in it, is made by the tree of its parts.
package final class FlatBody {
    private struct Value {
        /// The text before it.
        var lead: ByteRange
        var column: Int
        var escape: DeclaredRenderer.Escape
        /// The escaped text in its place for a row that lacks it; `nil` if a row needs it.
        var fallback: ByteRange?
    }

    /// All fixed texts.
    private let text: [UInt8]
    private let values: [Value]
    /// The text behind the last value.
    private let end: ByteRange
    private let rowRule: DeclaredRowRule
    /// The names of the columns.
    private let columns: [String]
    /// The most bytes that it may have, if there is a bound.
    private let bytesMax: Int?

    /// Returns the body of a description; nil if it has another form.
    convenience init?(_ provider: DeclaredProvider, _ settings: any DeclaredSettings) {
        switch provider.request.body {
        case .json(let node):
            self.init(node, provider, settings, bytesMax: provider.request.bodyBytesMax)
        case .text(let text):
            self.init(
                .text(text), provider, settings, isText: true,
                bytesMax: provider.request.bodyBytesMax)
        case .none, .form: return nil
        }
    }

    /// Returns the message that a description's requests have for each row; nil if it has another form.
    convenience init?(
        messageOf provider: DeclaredProvider, _ settings: any DeclaredSettings
    ) {
        guard case .json(let node) = provider.request.body, let message = node.message else {
            return nil
        }
        self.init(message, provider, settings)
    }

    private init?(
        _ node: DeclaredNode, _ provider: DeclaredProvider, _ settings: any DeclaredSettings,
        isText: Bool = false, bytesMax: Int? = nil
    ) {
        var maker = Maker(settings: settings, tokenColumn: provider.token.column)
        if case .text(let text) = node, isText {
            guard maker.add(text, .none) else { return nil }
        } else {
            guard maker.add(node) else { return nil }
        }
        text = unsafe Array(maker.text.bytes)
        values = maker.values
        end = ByteRange(start: maker.start, count: maker.text.count - maker.start)
        rowRule = DeclaredRowRule(provider)
        columns = provider.columns
        self.bytesMax = bytesMax
    }

    /// Appends the body of a row's request, or its message.
    /// - Parameters:
    ///   - row: The row.
    ///   - out: Gets the body, or a part of it if the row has none.
    /// - Throws: The reason why the row has none.
    package func append(
        _ row: LentRow, to out: inout ByteBuffer
    ) throws(DeclaredRowProblem) {
        try rowRule.check(row)
        let start = out.count
        try appendChecked(row, to: &out)
        let count = out.count - start
        if let bytesMax, count > bytesMax {
            throw .bodyTooLarge(bytes: count, most: bytesMax)
        }
    }

    /// The same for a row whose token has been checked, and without the bound.
    @_specialize(where Row == LentRow)
    func appendChecked<Row: DeclaredRow>(
        _ row: Row, to out: inout ByteBuffer
    ) throws(DeclaredRowProblem) {
        guard let column = appendValues(of: row, to: &out) else { return }
        throw .valueMissing(column: columns[column])
    }

    /// - Returns: The column whose value the row lacks; nil if it lacks none.
    @inline(__always)
    private func appendValues(of row: some DeclaredRow, to out: inout ByteBuffer) -> Int? {
        unsafe text.withUnsafeBufferPointer { text in
            let isCell = !row.hasJSONStrings
            for index in values.indices {
                let value = values[index]
                unsafe Self.append(text, value.lead, to: &out)
                let isThere = unsafe row.lend(value.column) { kind, bytes in
                    if kind == .missing || kind == .null { return false }
                    // As in payload templates, an empty cell takes the default, too.
                    if isCell, kind == .text, bytes.isEmpty, value.fallback != nil { return false }
                    unsafe DeclaredRenderer.append(bytes, value.escape, to: &out)
                    return true
                }
                guard !isThere else { continue }
                guard let fallback = value.fallback else { return value.column }
                unsafe Self.append(text, fallback, to: &out)
            }
            unsafe Self.append(text, end, to: &out)
            return nil
        }
    }

    private static func append(
        _ text: UnsafeBufferPointer<UInt8>, _ range: ByteRange, to out: inout ByteBuffer
    ) {
        unsafe out.append(
            UnsafeBufferPointer(
                rebasing: text[Int(range.start)..<Int(range.start + range.count)]))
    }

    /// Makes the texts and the values of a body.
    private struct Maker: ~Copyable {
        let settings: any DeclaredSettings
        let tokenColumn: Int
        var text = ByteBuffer(capacity: 256)
        var values: [Value] = []
        /// The beginning of the text behind the last value.
        var start = 0

        init(settings: any DeclaredSettings, tokenColumn: Int) {
            self.settings = settings
            self.tokenColumn = tokenColumn
        }

        mutating func add(_ node: DeclaredNode) -> Bool {
            switch node {
            case .constant(let json):
                DeclaredRenderer.append(json, .none, to: &text)
            case .text(let part):
                text.append("\"")
                guard add(part, .json) else { return false }
                text.append("\"")
            case .tokens(let join):
                text.append(join == .array ? "[\"" : "\"")
                add(tokenColumn, .json, fallback: nil)
                text.append(join == .array ? "\"]" : "\"")
            case .array(let nodes):
                text.append("[")
                for (index, node) in nodes.enumerated() {
                    if index > 0 { text.append(",") }
                    guard add(node) else { return false }
                }
                text.append("]")
            case .messages(let message):
                text.append("[")
                guard add(message) else { return false }
                text.append("]")
            case .object(let members):
                text.append("{")
                for (index, member) in members.enumerated() {
                    if index > 0 { text.append(",") }
                    text.appendJSONString(member.key)
                    text.append(":")
                    guard add(member.value) else { return false }
                }
                text.append("}")
            case .json, .optional, .requestID:
                return false
            }
            return true
        }

        mutating func add(
            _ part: DeclaredText, _ escape: DeclaredRenderer.Escape
        ) -> Bool {
            for piece in part.pieces {
                switch piece {
                case .literal(let bytes):
                    DeclaredRenderer.append(bytes, escape, to: &text)
                case .value(.setting(let setting), _):
                    var value: [UInt8] = []
                    unsafe settings.lend(setting) { unsafe value = Array($0) }
                    DeclaredRenderer.append(value, escape, to: &text)
                case .value(.column(let column), let fallback):
                    add(column, escape, fallback: fallback)
                case .value:
                    return false
                }
            }
            return true
        }

        mutating func add(
            _ column: Int, _ escape: DeclaredRenderer.Escape, fallback: [UInt8]?
        ) {
            let lead = ByteRange(start: start, count: text.count - start)
            var place: ByteRange?
            if let fallback {
                let before = text.count
                DeclaredRenderer.append(fallback, escape, to: &text)
                place = ByteRange(start: before, count: text.count - before)
            }
            values.append(Value(lead: lead, column: column, escape: escape, fallback: place))
            start = text.count
        }
    }
}

extension DeclaredNode {
    /// The message in it that a request has for each of its rows.
    fileprivate var message: DeclaredNode? {
        switch self {
        case .messages(let message): return message
        case .array(let nodes):
            for node in nodes { if let message = node.message { return message } }
        case .object(let members):
            for member in members { if let message = member.value.message { return message } }
        case .constant, .text, .json, .optional, .tokens, .requestID: break
        }
        return nil
    }
}
