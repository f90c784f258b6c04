import FanfareBase

/// A text with placeholders, taken apart: for the rules about it, and for making header values.
package struct TemplateText {
    /// A part of the text.
    package enum Piece: Equatable {
        case literal(String)
        case placeholder(name: String, isJSON: Bool, defaultText: String?)
    }

    /// Its parts in order; no two literals stand side by side, and none is empty.
    package let pieces: [Piece]

    /// Takes a text apart.
    /// - Parameter text: The text as people write it, without the escapes of JSON.
    /// - Throws: `PayloadTemplateError` if a placeholder is malformed.
    package init(_ text: String) throws(PayloadTemplateError) {
        // The scanner works on JSON, where a default is a part of a string.
        let json = Array(AlertFlags.quoted(text).utf8)
        var pieces: [Piece] = []
        var start = 1
        func keep(_ range: Range<Int>) {
            guard !range.isEmpty else { return }
            pieces.append(.literal(String(decoding: jsonUnescaped(json[range]), as: UTF8.self)))
        }
        var scanner = PlaceholderScanner(json)
        while let placeholder = try scanner.next() {
            keep(start..<placeholder.written.lowerBound)
            pieces.append(
                .placeholder(
                    name: placeholder.name, isJSON: placeholder.isJSON,
                    defaultText: placeholder.defaultText.map {
                        String(decoding: jsonUnescaped(json[$0]), as: UTF8.self)
                    }))
            start = placeholder.written.upperBound
        }
        keep(start..<json.count - 1)
        self.pieces = pieces
    }

    /// The parts that are the same for every row.
    package var literals: [String] {
        pieces.compactMap { piece in
            if case .literal(let text) = piece { text } else { nil }
        }
    }

    /// True if there is a placeholder in it.
    package var isTemplate: Bool { literals.count < pieces.count }

    /// True if the row's value decides what kind of JSON value it is.
    package var isJSON: Bool {
        pieces.contains { piece in
            if case .placeholder(_, isJSON: true, _) = piece { true } else { false }
        }
    }

    /// The name in its first placeholder.
    package var firstName: String? {
        for case .placeholder(let name, _, _) in pieces { return name }
        return nil
    }

    /// The text at its beginning, up to the first placeholder; nil if it begins with a placeholder.
    package var beginning: String? {
        switch pieces.first {
        case .literal(let text): text
        case .placeholder: nil
        case nil: ""
        }
    }
}
