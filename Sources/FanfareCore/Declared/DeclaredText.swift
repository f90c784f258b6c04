import FanfareBase

/// A text of a description with places for values, compiled: `Bearer ${secret:key}`.
package struct DeclaredText: Equatable, Sendable {
    /// The value for a place.
    package enum Value: Equatable, Sendable {
        /// A value of the row: the index in `DeclaredProvider.columns`.
        case column(Int)
        /// A value that the user has set, secret or not: the index in `DeclaredProvider.settings`.
        case setting(Int)
        /// The time when the request is made, in seconds of UNIX time.
        case seconds
        /// The same in milliseconds.
        case milliseconds
        /// The id that tells the request from others, the same for all its attempts.
        case requestID
        /// The request's body.
        case body
        /// The signature, or the token that a service has given for the credentials.
        case token
    }

    package enum Piece: Equatable, Sendable {
        case literal([UInt8])
        /// A value, and the text in its place for a row that does not have it.
        case value(Value, fallback: [UInt8]?)
    }

    package var pieces: [Piece]

    package init(_ pieces: [Piece]) {
        self.pieces = pieces
    }

    /// The text, if it has no places.
    package var constant: [UInt8]? {
        var bytes: [UInt8] = []
        for piece in pieces {
            guard case .literal(let literal) = piece else { return nil }
            bytes += literal
        }
        return bytes
    }

    /// True if it has a place for a value of the row.
    package var hasColumns: Bool { !columns.isEmpty }

    /// The columns that it has places for.
    package var columns: [Int] {
        pieces.compactMap { piece in
            if case .value(.column(let column), _) = piece { column } else { nil }
        }
    }

    /// True if it has a place for a value.
    package func has(_ value: Value) -> Bool {
        pieces.contains { piece in
            if case .value(value, _) = piece { true } else { false }
        }
    }
}

/// A text of a description as it was written, taken apart.
///
/// ```
/// ${row:name}  ${row:name|default}  "${row:name:json}"  "${row:name:json|default}"
/// ${row:name?}  "${row:name:json?}"    without the value, what they stand in is left out
/// ${set:name}  ${secret:name}  ${time:s}  ${time:ms}  ${id}  ${body}  ${token}
/// $${          stands for ${
/// ```
struct DeclaredPlaceholders {
    struct Placeholder: Equatable {
        /// `row`, `set`, `secret`, `time`, `id`, `body` or `token`.
        var kind: String
        /// The text behind the colon; empty without one.
        var name: String
        var isJSON: Bool
        /// True if the member that it stands in is left out for a row without the value.
        var isOptional: Bool
        var fallback: String?
        /// The text as it was written, for messages.
        var written: String
    }

    enum Piece: Equatable {
        case literal(String)
        case placeholder(Placeholder)
    }

    private(set) var pieces: [Piece] = []

    /// Makes places whose value may be missing ordinary ones.
    /// - Returns: These places.
    mutating func takeOptional() -> [Placeholder] {
        var found: [Placeholder] = []
        pieces = pieces.map { piece in
            guard case .placeholder(var place) = piece, place.isOptional else { return piece }
            found.append(place)
            place.isOptional = false
            return .placeholder(place)
        }
        return found
    }

    /// The first place whose value may be missing.
    var firstOptional: Placeholder? {
        for case .placeholder(let placeholder) in pieces where placeholder.isOptional {
            return placeholder
        }
        return nil
    }

    /// The only piece, if it is a place for a value as JSON.
    var json: Placeholder? {
        guard pieces.count == 1, case .placeholder(let only) = pieces[0], only.isJSON else {
            return nil
        }
        return only
    }

    /// Takes a text apart.
    /// - Parameter text: The text.
    /// - Throws: The fault of the text, as a phrase that follows the place of the text.
    init(_ text: String) throws(DeclaredTextFault) {
        var literal: [UInt8] = []
        var rest = Array(text.utf8)[...]
        func keep(_ literal: inout [UInt8], _ pieces: inout [Piece]) {
            guard !literal.isEmpty else { return }
            pieces.append(.literal(String(decoding: literal, as: UTF8.self)))
            literal = []
        }
        while let byte = rest.first {
            if rest.starts(with: "$${".utf8) {
                literal += "${".utf8
                rest = rest.dropFirst(3)
            } else if rest.starts(with: "${".utf8) {
                keep(&literal, &pieces)
                pieces.append(.placeholder(try Self.placeholder(&rest)))
            } else {
                literal.append(byte)
                rest = rest.dropFirst()
            }
        }
        keep(&literal, &pieces)
        for case .placeholder(let placeholder) in pieces where placeholder.isJSON && json == nil {
            throw DeclaredTextFault(
                "has \(placeholder.written) with other text beside it; a value as JSON is the whole text"
            )
        }
    }

    /// Takes a placeholder off the front of a text.
    private static func placeholder(
        _ rest: inout ArraySlice<UInt8>
    ) throws(DeclaredTextFault) -> Placeholder {
        let inside = rest.dropFirst(2)
        guard let first = inside.firstIndex(of: UInt8(ascii: "}")) else {
            throw DeclaredTextFault(
                "has a ${ that is never closed with }; write $${ for the characters")
        }
        var end = first
        var words = inside[..<end].split(
            separator: UInt8(ascii: "|"), maxSplits: 1, omittingEmptySubsequences: false)
        let isOptional = words[0].last == UInt8(ascii: "?")
        if isOptional { words[0].removeLast() }
        // A column may be called json.
        let isJSON =
            words[0].suffix(5).elementsEqual(":json".utf8)
            && words[0].dropLast(5).contains(UInt8(ascii: ":"))
        if isJSON, words.count == 2, let last = inside.lastIndex(of: UInt8(ascii: "}")) {
            // JSON may have braces of its own, and nothing may follow.
            end = last
            words[1] = inside[words[1].startIndex..<end]
        }
        let written = String(decoding: rest[rest.startIndex...end], as: UTF8.self)
        let label = String(decoding: isJSON ? words[0].dropLast(5) : words[0], as: UTF8.self)
        let (kind, name) = label.parts(at: ":") ?? (label, "")
        guard name.utf8.allSatisfy(\.isNameByte) else {
            throw DeclaredTextFault(
                "has \(written), whose name has something else than letters, digits, _, - and .")
        }
        if isOptional, words.count == 2 {
            throw DeclaredTextFault(
                "has \(written) with a default and a ?, which leaves it out; write one of them")
        }
        rest = rest[(end + 1)...]
        return Placeholder(
            kind: kind, name: name, isJSON: isJSON, isOptional: isOptional,
            fallback: words.count == 2 ? String(decoding: words[1], as: UTF8.self) : nil,
            written: written)
    }
}

/// The reason why a text of a description cannot be used: a phrase that follows its place.
struct DeclaredTextFault: Error, Equatable {
    var text: String

    init(_ text: String) { self.text = text }
}
