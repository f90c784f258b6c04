import FanfareBase
import FanfareCore

/// A text of a description, to find a value in what was made of it.
struct TextPattern: Sendable {
    private enum Piece: Sendable {
        case literal([UInt8])
        /// Something, which may be what is looked for.
        case value(isWanted: Bool)
    }

    private var pieces: [Piece] = []

    /// - Parameters:
    ///   - text: The text.
    ///   - isWanted: Returns true if a value of the text is the one.
    init(_ text: DeclaredText, isWanted: (DeclaredText.Value) -> Bool) {
        for piece in text.pieces {
            switch piece {
            case .literal(let bytes): pieces.append(.literal(bytes))
            case .value(let value, _): pieces.append(.value(isWanted: isWanted(value)))
            }
        }
    }

    /// The path of a URL: without scheme and host, as far as they are written out.
    /// - Parameter text: The URL.
    init(pathOf text: DeclaredText) {
        self.init(text) { _ in false }
        guard case .literal(let bytes)? = pieces.first,
            let (_, rest) = String(decoding: bytes, as: UTF8.self).parts(at: "://")
        else { return }
        guard let slash = rest.firstIndex(of: "/") else {
            // The host goes on with a value, which the path begins behind.
            pieces[0] = .literal([])
            return
        }
        pieces[0] = .literal(Array(rest[slash...].utf8))
    }

    /// True if the pattern has a place for the value.
    var hasWanted: Bool {
        pieces.contains { if case .value(true) = $0 { true } else { false } }
    }

    /// Holds bytes against the text.
    /// - Parameter bytes: A text that may have been made from the pattern.
    /// - Returns: The value in that place, nothing if there is none; `nil` if it was not
    ///   made of this text.
    func find(in bytes: some Collection<UInt8>) -> [UInt8]? {
        var rest = Array(bytes)[...]
        var found: [UInt8] = []
        /// A value that has begun, and whether it is wanted.
        var open: Bool?
        for (index, piece) in pieces.enumerated() {
            switch piece {
            case .value(let isWanted): open = open ?? false || isWanted
            case .literal(let literal):
                let start =
                    open == nil
                    ? (rest.starts(with: literal) ? rest.startIndex : nil)
                    : Self.place(of: literal, in: rest, isLast: index == pieces.count - 1)
                guard let start else { return nil }
                if open == true { found = Array(rest[..<start]) }
                rest = rest[(start + literal.count)...]
                open = nil
            }
        }
        guard let open else { return rest.isEmpty ? found : nil }
        return open ? Array(rest) : found
    }

    private static func place(
        of literal: [UInt8], in rest: ArraySlice<UInt8>, isLast: Bool
    ) -> Int? {
        guard rest.count >= literal.count else { return nil }
        let last = rest.endIndex - literal.count
        if isLast { return rest[last...].elementsEqual(literal) ? last : nil }
        return (rest.startIndex...last).first { rest[$0...].starts(with: literal) }
    }
}
