/// Reads the text of values: one function for each type, which throws a `ValueFault` for a bad
/// text.
package enum ValueReader {
    package static func identifier(_ text: String) throws(ValueFault) -> String {
        guard !text.isEmpty else { throw ValueFault("is empty") }
        return text
    }

    /// Text that starts like a JSON object; the library's parser looks at the rest.
    package static func jsonObject(_ text: String) throws(ValueFault) -> String {
        let first = text.utf8.first { !" \t\r\n".utf8.contains($0) }
        guard first == UInt8(ascii: "{") else { throw ValueFault("is not a JSON object") }
        return text
    }

    /// A path to write to; `-` is standard output.
    static func output(_ text: String) throws(ValueFault) -> String {
        outputFile(try identifier(text))
    }

    /// The same path, with `-` for standard output by its own.
    ///
    /// Opened once more, a file that it was led into would be written over from its beginning.
    static func outputFile(_ path: String) -> String {
        ["/dev/stdout", "/dev/fd/1"].contains(path) ? "-" : path
    }

    package static func choice(_ text: String, of words: [String]) throws(ValueFault) -> String {
        guard !words.contains(text) else { return text }
        throw fault(text, noneOf: words)
    }

    static func fault(_ text: String, noneOf words: [String]) -> ValueFault {
        let near = Suggestion.nearest(to: text, among: words)
        return ValueFault("is none of \(words.joined(last: " and "))", example: near.first)
    }

    /// A single byte of ASCII, or `tab`.
    package static func delimiter(_ text: String) throws(ValueFault) -> UInt8 {
        if text == "tab" || text == "\\t" { return UInt8(ascii: "\t") }
        guard text.utf8.count == 1, let byte = text.utf8.first, byte < 0x80 else {
            throw ValueFault("is not a single byte of ASCII, nor the word tab", example: ";")
        }
        // These have a meaning of their own in CSV, so a field could never be told from its end.
        guard byte != 0, !"\"\r\n".utf8.contains(byte) else {
            throw ValueFault("cannot separate fields", example: ";")
        }
        return byte
    }

    /// Words between commas, without the spaces around them.
    package static func list(_ text: String) throws(ValueFault) -> [String] {
        var words: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let word = part.trimmed
            guard !word.isEmpty else {
                throw ValueFault(
                    text.trimmed.isEmpty ? "is empty" : "has an empty name between its commas")
            }
            guard !words.contains(word) else {
                throw ValueFault("names \(word.quotedForMessage) twice")
            }
            words.append(word)
        }
        return words
    }

    /// A key and a value with the first equals sign between them.
    package static func pair(
        _ text: String, allowsEmptyValue: Bool
    ) throws(ValueFault) -> (key: String, value: String) {
        guard let equals = text.firstIndex(of: "=") else {
            throw ValueFault("has no equals sign")
        }
        let key = String(text[..<equals])
        let value = String(text[text.index(after: equals)...])
        guard !key.isEmpty else { throw ValueFault("has nothing before its equals sign") }
        guard allowsEmptyValue || !value.isEmpty else {
            throw ValueFault("has nothing behind its equals sign")
        }
        return (key, value)
    }
}

extension StringProtocol {
    /// The text without the spaces and tabs at its ends.
    var trimmed: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let start = firstIndex(where: { !isSpace($0) }),
            let end = lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(self[start...end])
    }
}
