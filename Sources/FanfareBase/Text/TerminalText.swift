/// Text that is safe to show on a terminal.
///
/// Words of a provider, a file or a database may have escape sequences in them, which move the
/// cursor, paint over other text, or set the window's title; and marks that turn the order of
/// letters around.
package enum TerminalText {
    /// Returns a text with `?` in place of the characters that a terminal would obey: C0, DEL and
    /// C1 controls but the line end, and the controls of direction and of lines.
    /// - Parameters:
    ///   - text: The text.
    ///   - keepsStyles: True if our own sequences for color and weight stay.
    /// - Returns: The text as a terminal may have it.
    package static func printable(_ text: String, keepsStyles: Bool = false) -> String {
        guard !text.utf8.allSatisfy(isPlain) else { return text }
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if keepsStyles, scalar.value == escape, let style = style(rest) {
                result.append(scalar)
                result.append(contentsOf: style)
                rest = rest[style.endIndex...]
            } else {
                result.append(isObeyed(scalar) ? "?" : scalar)
            }
        }
        return String(result)
    }

    /// True if a terminal does something for a character other than show it.
    package static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A: false
        case 0x00...0x1F, 0x7F...0x9F: true
        // Unicode's marks and embeddings of direction, and its separators of lines and paragraphs.
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// True if a character in a line of a terminal is shown, and ends no line.
    package static func staysInLine(_ scalar: Unicode.Scalar) -> Bool {
        !isObeyed(scalar) && scalar != "\n"
    }

    /// Returns the first characters of a text, with `…` behind them if there are more, and U+FFFD
    /// in place of controls.
    package static func shown(_ text: String, max shownMax: Int) -> String {
        let scalars = text.unicodeScalars.prefix(shownMax).map { scalar in
            scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) ? "\u{FFFD}" : scalar
        }
        let shown = String(String.UnicodeScalarView(scalars))
        return text.unicodeScalars.count > shownMax ? shown + "…" : shown
    }

    /// Returns the beginning of a peer's words as they may stand in a report: with U+FFFD in place of
    /// what a terminal would obey and of line ends, and cut off at a character.
    package static func reported(_ text: String, bytesMax: Int) -> String {
        var shown = ""
        for scalar in text.unicodeScalars {
            shown.unicodeScalars.append(staysInLine(scalar) ? scalar : "\u{FFFD}")
            guard shown.utf8.count <= bytesMax else {
                shown.unicodeScalars.removeLast()
                break
            }
        }
        return shown
    }

    private static let escape: UInt32 = 0x1B

    private static func isPlain(_ byte: UInt8) -> Bool {
        (byte >= 0x20 && byte < 0x7F) || byte == 0x0A
    }

    /// Returns the rest of a sequence that `PlainText.Style` has, behind its ESC: `[1;31m`.
    private static func style(
        _ rest: Substring.UnicodeScalarView
    ) -> Substring.UnicodeScalarView? {
        guard rest.first == "[" else { return nil }
        let digits = rest.dropFirst().prefix { $0 == ";" || ("0"..."9").contains($0) }
        guard digits.endIndex < rest.endIndex, rest[digits.endIndex] == "m" else { return nil }
        let known = ["0", "1", "2", "31", "32", "33"]
        let codes = String(Substring(digits)).split(
            separator: ";", omittingEmptySubsequences: false)
        guard codes.count <= 2, codes.allSatisfy({ known.contains(String($0)) }) else { return nil }
        return rest[...digits.endIndex]
    }
}
