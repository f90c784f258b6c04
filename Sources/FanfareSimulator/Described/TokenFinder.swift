import FanfareCore
import FanfareJSON

/// Finds the tokens of a request that was made by a description.
struct TokenFinder: Sendable {
    private let request: DeclaredRequestForm
    private let column: Int
    private let path: TextPattern
    /// True if rows have URLs of their own: their tokens are what a server sees of them, the paths.
    private let isOfRows: Bool

    init(_ provider: DeclaredProvider) {
        request = provider.request
        isOfRows = provider.origin.isOfRows
        let column = provider.token.column
        self.column = column
        path = TextPattern(provider.request.path) { $0 == .column(column) }
    }

    /// The tokens of a request.
    /// - Parameter received: The request.
    /// - Returns: One for each row; without a token where it stands in a header field that was not kept;
    ///   `nil` if the request is none of the description's.
    func tokens(of received: DescribedDesk.Received) -> [String]? {
        if isOfRows { return received.method == request.method ? [received.path] : nil }
        guard received.method == request.method, let inPath = path.find(in: received.path.utf8)
        else { return nil }
        if path.hasWanted {
            return [FormText.decoded(String(decoding: inPath, as: UTF8.self))]
        }
        if let found = tokens(in: received.body) { return found.isEmpty ? nil : found }
        for field in request.fields {
            let pattern = pattern(field.value)
            guard pattern.hasWanted, let value = received.field(field.name),
                let token = pattern.find(in: value.utf8)
            else { continue }
            return [String(decoding: token, as: UTF8.self)]
        }
        return [""]
    }

    private func pattern(_ text: DeclaredText) -> TextPattern {
        TextPattern(text) { $0 == .column(column) }
    }

    /// Those of a body; none if it is not what the description makes, `nil` if it has no place for them.
    private func tokens(in body: [UInt8]) -> [String]? {
        switch request.body {
        case .none: return nil
        case .text(let text):
            let pattern = pattern(text)
            guard pattern.hasWanted else { return nil }
            return pattern.find(in: body).map { [String(decoding: $0, as: UTF8.self)] } ?? []
        case .json(let node):
            guard let json = Self.json(body) else { return [] }
            return find(node, in: json)
        case .form(let fields):
            let form = FormText(String(decoding: body, as: UTF8.self))
            var found: [String]?
            for field in fields {
                let text = form[field.name] ?? ""
                let json = field.isJSON ? Self.json(Array(text.utf8)) : PlacedJSON(.text(text))
                guard let tokens = find(field.value, in: json) else { continue }
                found = (found ?? []) + tokens
            }
            return found
        }
    }

    private static func json(_ bytes: [UInt8]) -> PlacedJSON? {
        unsafe bytes.withUnsafeBufferPointer { unsafe PlacedJSONParser().answer($0) }
    }

    /// The tokens at the places of a body; `nil` if it has no place for them.
    private func find(_ node: DeclaredNode, in json: PlacedJSON?) -> [String]? {
        switch node {
        case .constant, .requestID: return nil
        case .tokens(.array): return json?.elements?.compactMap(\.text) ?? []
        case .tokens(.comma): return json?.text?.split(separator: ",").map(String.init) ?? []
        case .optional(let node, _): return find(node, in: json)
        case .messages(let message):
            return json?.elements?.map { find(message, in: $0)?.first ?? "" } ?? []
        case .json(let column, _):
            return column == self.column ? [json?.word].compactMap(\.self) : nil
        case .text(let text):
            let pattern = pattern(text)
            guard pattern.hasWanted else { return nil }
            guard let word = json?.word, let token = pattern.find(in: word.utf8) else { return [] }
            return [String(decoding: token, as: UTF8.self)]
        case .array(let nodes):
            let elements = json?.elements ?? []
            return first(
                nodes.enumerated().lazy.map { index, node in
                    find(node, in: index < elements.count ? elements[index] : nil)
                })
        case .object(let members):
            return first(members.lazy.map { find($0.value, in: json?[$0.key]) })
        }
    }

    private func first(_ found: some Sequence<[String]?>) -> [String]? {
        for tokens in found { if let tokens { return tokens } }
        return nil
    }
}
