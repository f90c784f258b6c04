/// Numbers as people read them.
package enum NumberText {
    /// Returns a number with a comma between groups of three digits.
    package static func grouped(_ number: UInt64) -> String {
        var text = ""
        let digits = String(number)
        for (index, digit) in digits.enumerated() {
            if index > 0 && (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// Returns a share in per cent with one digit behind the point.
    ///
    /// A share above nothing is never shown as 0.0 %, and a share below all never as 100.0 %.
    package static func share(_ part: UInt64, of whole: UInt64) -> String {
        guard whole > 0 else { return "" }
        let tenths = (Double(part) * 1000 / Double(whole)).rounded()
        if part > 0 && tenths < 1 { return "< 0.1 %" }
        if part < whole && tenths >= 1000 { return "> 99.9 %" }
        return "\(decimal(tenths: UInt64(tenths))) %"
    }

    /// Returns a duration in the two units that matter: `45.3 s`, `3 min 12 s`, `2 h 05 min`.
    package static func duration(milliseconds: Int64) -> String {
        let milliseconds = UInt64(max(milliseconds, 0))
        if milliseconds < 1000 { return "\(milliseconds) ms" }
        if milliseconds < 59_950 { return "\(decimal(tenths: (milliseconds + 50) / 100)) s" }
        let seconds = (milliseconds + 500) / 1000
        if seconds < 3600 { return "\(seconds / 60) min \(twoDigits(seconds % 60)) s" }
        let minutes = (seconds + 30) / 60
        return "\(minutes / 60) h \(twoDigits(minutes % 60)) min"
    }

    /// Returns a latency with three digits or so: `850 µs`, `12.3 ms`, `4.5 s`.
    package static func latency(nanoseconds: Int64) -> String {
        let nanoseconds = UInt64(max(nanoseconds, 0))
        switch nanoseconds {
        case ..<999_500: return "\((nanoseconds + 500) / 1000) µs"
        case ..<99_950_000: return "\(decimal(tenths: (nanoseconds + 50_000) / 100_000)) ms"
        case ..<999_500_000: return "\((nanoseconds + 500_000) / 1_000_000) ms"
        default: return "\(decimal(tenths: (nanoseconds + 50_000_000) / 100_000_000)) s"
        }
    }

    /// Returns a number of bytes with a binary unit: `512 B`, `1.5 MiB`.
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

    /// Returns a rate with three digits or more.
    package static func perSecond(_ rate: Double) -> String {
        if rate > 0 && rate < 0.01 { return "< 0.01" }
        if rate >= 100 { return grouped(UInt64(rate.rounded())) }
        let hundredths = UInt64((rate * 100).rounded())
        if hundredths.isMultiple(of: 100) { return "\(hundredths / 100)" }
        return "\(hundredths / 100).\(twoDigits(hundredths % 100))"
    }

    /// Returns a percentage, with one digit behind the point if the digit is of use.
    package static func percent(_ value: Double) -> String {
        let tenths = UInt64((min(value, 1e9) * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
    }

    private static func decimal(tenths: UInt64) -> String { "\(tenths / 10).\(tenths % 10)" }

    /// Returns a number of one or two digits with a zero in front of one: `05`.
    package static func twoDigits(_ number: some BinaryInteger) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
