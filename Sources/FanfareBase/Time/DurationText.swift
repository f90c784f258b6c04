/// Lengths of time as people write them: `20ms`, `1.5s`, `0`.
package enum DurationText {
    /// The reason why a text is no duration.
    package enum Fault: Error, Equatable {
        case noNumber
        /// A number alone, which only 0 may be.
        case noUnit(isZero: Bool)
        case unknownUnit(String)
        /// No whole number of nanoseconds, or more of them than 64 bits count.
        case notWhole
    }

    /// Reads a length of time.
    /// - Parameter text: A number and its unit, or `0`.
    /// - Returns: The length, to the nanosecond.
    /// - Throws: `Fault`.
    package static func read(_ text: String) throws(Fault) -> Duration {
        if text == "0" { return .zero }
        var rest = text[...].utf8
        guard let number = DecimalText(&rest) else { throw .noNumber }
        let unit = String(Substring(rest))
        guard !unit.isEmpty else { throw .noUnit(isZero: number.digits == 0) }
        guard let nanoseconds = nanoseconds(unit: unit) else { throw .unknownUnit(unit) }
        guard let value = number.multiplied(by: nanoseconds) else { throw .notWhole }
        return .nanoseconds(value)
    }

    /// Returns the length of a unit.
    /// - Parameter unit: Its name.
    /// - Returns: Nanoseconds, or nil if there is no such unit.
    package static func nanoseconds(unit: String) -> Int64? {
        switch unit {
        case "ns": 1
        // With the micro sign, and with the Greek letter, which looks the same.
        case "us", "\u{B5}s", "\u{3BC}s": 1_000
        case "ms": 1_000_000
        case "s": 1_000_000_000
        case "m": 60_000_000_000
        case "h": 3_600_000_000_000
        case "d": 86_400_000_000_000
        default: nil
        }
    }
}
