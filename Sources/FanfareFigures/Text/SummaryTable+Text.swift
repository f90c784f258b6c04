import FanfareCore

extension SummaryTable {
    /// ANSI colours and weights.
    enum Style: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    static func color(of outcome: Outcome) -> Style {
        switch outcome {
        case .accepted: .green
        case .unregistered, .suspect, .throttled, .skipped: .yellow
        case .rejected, .failed, .unknown, .invalid: .red
        }
    }

    /// A number with a comma between groups of three digits.
    package static func grouped(_ number: UInt64) -> String {
        var text = ""
        let digits = String(number)
        for (index, digit) in digits.enumerated() {
            if index > 0 && (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// A text in lines of at most `width` characters, broken at blanks; a longer word stays whole.
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

    /// A share in per cent with one digit behind the point.
    ///
    /// What is not nothing is never shown as 0.0 %, and what is not all never as 100.0 %.
    package static func share(_ part: UInt64, of whole: UInt64) -> String {
        guard whole > 0 else { return "" }
        let tenths = (Double(part) * 1000 / Double(whole)).rounded()
        if part > 0 && tenths < 1 { return "< 0.1 %" }
        if part < whole && tenths >= 1000 { return "> 99.9 %" }
        return "\(decimal(tenths: UInt64(tenths))) %"
    }

    /// A duration in the two units that matter: `45.3 s`, `3 min 12 s`, `2 h 05 min`.
    package static func duration(milliseconds: Int64) -> String {
        let milliseconds = UInt64(max(milliseconds, 0))
        if milliseconds < 1000 { return "\(milliseconds) ms" }
        if milliseconds < 59_950 { return "\(decimal(tenths: (milliseconds + 50) / 100)) s" }
        let seconds = (milliseconds + 500) / 1000
        if seconds < 3600 { return "\(seconds / 60) min \(twoDigits(seconds % 60)) s" }
        let minutes = (seconds + 30) / 60
        return "\(minutes / 60) h \(twoDigits(minutes % 60)) min"
    }

    /// A latency with three digits or so: `850 µs`, `12.3 ms`, `4.5 s`.
    package static func latency(nanoseconds: Int64) -> String {
        let nanoseconds = UInt64(max(nanoseconds, 0))
        switch nanoseconds {
        case ..<999_500: return "\((nanoseconds + 500) / 1000) µs"
        case ..<99_950_000: return "\(decimal(tenths: (nanoseconds + 50_000) / 100_000)) ms"
        case ..<999_500_000: return "\((nanoseconds + 500_000) / 1_000_000) ms"
        default: return "\(decimal(tenths: (nanoseconds + 50_000_000) / 100_000_000)) s"
        }
    }

    /// A number of bytes with a binary unit: `512 B`, `1.5 MiB`.
    package static func byteCount(_ bytes: UInt64) -> String {
        if bytes < 1024 { return "\(bytes) B" }
        var value = Double(bytes) / 1024
        var unit = 0
        let units = ["KiB", "MiB", "GiB", "TiB", "PiB"]
        while value >= 1023.95 && unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return "\(decimal(tenths: UInt64((value * 10).rounded()))) \(units[unit])"
    }

    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }

    static func leftPadded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 0)) + text
    }

    /// Text without control characters, cut to a width.
    static func fitted(_ text: String, _ width: Int) -> String {
        let text = printable(text)
        return text.count <= width ? text : text.prefix(width - 1) + "…"
    }

    /// Text without control characters: a provider's words must not steer a terminal.
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

    private static func decimal(tenths: UInt64) -> String { "\(tenths / 10).\(tenths % 10)" }

    private static func twoDigits(_ number: UInt64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
