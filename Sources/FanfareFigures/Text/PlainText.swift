import FanfareCore

/// Text in columns for a terminal, with or without colors.
package enum PlainText {
    /// The columns that a terminal has at least.
    package static let width = 80

    /// ANSI colors and weights.
    enum Style: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    /// Returns a text in a style, where there are styles.
    static func styled(_ text: String, _ styles: [Style], usesColor: Bool) -> String {
        guard usesColor else { return text }
        let codes = styles.map(\.rawValue).joined(separator: ";")
        return "\u{1B}[\(codes)m\(text)\u{1B}[0m"
    }

    static func color(of outcome: Outcome) -> Style {
        switch outcome {
        case .accepted: .green
        case .unregistered, .suspect, .throttled, .skipped: .yellow
        case .rejected, .failed, .unknown, .invalid: .red
        }
    }

    /// Returns a text in lines of at most `width` characters, broken at blanks; a longer word stays
    /// whole.
    package static func wrapped(_ text: String, _ width: Int) -> String {
        var lines: [String] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines.joined(separator: "\n")
    }

    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }

    static func leftPadded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 0)) + text
    }

    /// Returns text without control characters, cut to a width.
    static func fitted(_ text: String, _ width: Int) -> String {
        let text = printable(text)
        return text.count <= width ? text : text.prefix(width - 1) + "…"
    }

    /// Returns text without control characters: a provider's words must not steer a terminal.
    static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                result.unicodeScalars.append("?")
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
