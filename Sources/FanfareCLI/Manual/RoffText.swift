import FanfareBase

/// Lines of roff, in which no text is taken for a request.
///
/// Source: roff(7), mandoc_char(7)
struct RoffText {
    private static let width = 72

    private(set) var text = ""

    /// Adds a macro that is written out; no text from outside.
    mutating func macro(_ line: StaticString) {
        text += ".\(line)\n"
    }

    mutating func macro(_ name: String) {
        text += ".\(name)\n"
    }

    /// Adds a macro with one argument for each word.
    mutating func macro(_ name: String, _ words: String..., mark: String? = nil) {
        let words = words.flatMap(Self.words).map(Self.argument)
        text += ".\(name) \(words.joined(separator: " "))"
        if let mark { text += " \(mark)" }
        text += "\n"
    }

    mutating func beginList() { text += ".Bl -tag -width Ds\n" }

    mutating func endList() { text += ".El\n" }

    /// Begins an item of a list, with a macro for each part of its label; without one it is text.
    mutating func item(_ label: [(macro: String, word: String)]) {
        text += ".It"
        for (macro, word) in label {
            let isMark = macro.isEmpty && word == ","
            let word = Self.words(word).map(Self.argument).joined(separator: " ")
            text += macro.isEmpty ? " \(isMark ? "," : word)" : " \(macro) \(word)"
        }
        text += "\n"
    }

    /// Adds running text: a line for each sentence, and more where it is long.
    mutating func paragraph(_ words: String) {
        var line = ""
        for word in Self.words(words) {
            let word = Self.escaped(word, isLiteral: word.hasPrefix("-"))
            if line.isEmpty {
                line = word
            } else if line.utf8.count + 1 + word.utf8.count > Self.width || Self.ends(line) {
                addLine(line)
                line = word
            } else {
                line += " \(word)"
            }
        }
        if !line.isEmpty { addLine(line) }
    }

    /// Adds lines that stay as they are.
    mutating func literal(_ lines: [String]) {
        text += ".Bd -literal -offset indent\n"
        lines.forEach { addLine(Self.escaped($0.onOneLine, isLiteral: true)) }
        text += ".Ed\n"
    }

    private mutating func addLine(_ line: String) {
        let isRequest = line.first == "." || line.first == "'"
        text += (isRequest ? "\\&" : "") + line + "\n"
    }

    /// The words between blanks; to Swift's texts a blank with a mark on it is none.
    private static func words(_ text: String) -> [String] {
        text.onOneLine.unicodeScalars.split(separator: " ").map { String(Substring($0)) }
    }

    private static func ends(_ line: String) -> Bool {
        line.hasSuffix(".") || line.hasSuffix("?") || line.hasSuffix("!") || line.hasSuffix(".)")
    }

    /// A word of a macro's line: neither the name of another macro nor punctuation.
    private static func argument(_ word: String) -> String {
        "\\&" + escaped(word, isLiteral: true).escaping(["\"": "\\(dq"])
    }

    /// The characters of roff that mean something else, or that a typesetter would make nicer.
    private static func escaped(_ text: String, isLiteral: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\e"
            case "-" where isLiteral: escaped += "\\-"
            case "'" where isLiteral: escaped += "\\(aq"
            case "`": escaped += "\\(ga"
            case "^": escaped += "\\(ha"
            case "~": escaped += "\\(ti"
            default:
                if scalar.isASCII {
                    escaped.unicodeScalars.append(scalar)
                } else {
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    let zeros = String(repeating: "0", count: max(0, 4 - digits.count))
                    escaped += "\\[u\(zeros)\(digits)]"
                }
            }
        }
        return escaped
    }
}
