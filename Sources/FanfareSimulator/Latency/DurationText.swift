/// Durations and rates as people write them in options and scenarios.
enum DurationText {
    private static let units: [(suffix: String, nanoseconds: Double)] = [
        // Longest first, so that `ms` is not taken for `s`.
        ("ns", 1), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9),
    ]

    /// Reads `20ms`, `1.5s`, `0`.
    /// - Returns: Nanoseconds, or nil if the text is not a duration.
    static func nanoseconds(_ text: some StringProtocol) -> Int64? {
        if text == "0" { return 0 }
        for (suffix, factor) in units where text.hasSuffix(suffix) {
            guard let value = number(text.dropLast(suffix.count)) else { return nil }
            let nanoseconds = value * factor
            return nanoseconds < 9e18 ? Int64(nanoseconds.rounded()) : nil
        }
        return nil
    }

    /// Reads `100/s`, `90k/m`, `10/15s`.
    /// - Returns: The nanoseconds between two requests, or nil if the text is not a rate.
    static func interval(_ text: some StringProtocol) -> Double? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        var amount = parts[0]
        var factor = 1.0
        if amount.hasSuffix("k") { (amount, factor) = (amount.dropLast(), 1e3) }
        if amount.hasSuffix("M") { (amount, factor) = (amount.dropLast(), 1e6) }
        let unit = parts[1].first?.isNumber == true ? String(parts[1]) : "1" + parts[1]
        guard let count = number(amount), count > 0, let window = nanoseconds(unit), window > 0
        else { return nil }
        return Double(window) / (count * factor)
    }

    /// Plain decimal numbers only: `Double` would also take `inf`, `nan` and hexadecimal.
    private static func number(_ text: some StringProtocol) -> Double? {
        guard !text.isEmpty, text.utf8.allSatisfy({ ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2E })
        else { return nil }
        return Double(text)
    }
}
