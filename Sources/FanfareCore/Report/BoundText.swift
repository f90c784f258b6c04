/// Shares and whole numbers, as all bounds that a user gives have them.
enum BoundText {
    /// The reason why a text is no share.
    enum ShareFault: Error {
        case noShare
        /// More digits behind the point than millionths have room for.
        case tooManyDigits
        /// More than 100 %.
        case aboveWhole
    }

    /// All of it, in millionths.
    static let whole: UInt64 = 1_000_000

    /// Reads a share: `50%`, `0.5 %`.
    /// - Parameter text: The share, with its sign at the end.
    /// - Returns: The share in millionths, at most `whole`.
    /// - Throws: `ShareFault`.
    static func share(_ text: String) throws(ShareFault) -> UInt64 {
        guard text.utf8.last == UInt8(ascii: "%") else { throw .noShare }
        let parts = trimmed(text.dropLast())
            .split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : "0"
        guard parts.count <= 2, let percent = parts.first.flatMap(wholeNumber),
            let rest = wholeNumber(fraction)
        else { throw .noShare }
        guard fraction.utf8.count <= 4 else { throw .tooManyDigits }
        guard percent <= 100 else { throw .aboveWhole }
        let scale = [0, 1000, 100, 10, 1][fraction.utf8.count]
        let share = percent * 10_000 + rest * UInt64(scale)
        guard share <= whole else { throw .aboveWhole }
        return share
    }

    /// Returns a whole number of up to 18 digits, so that nothing overflows.
    static func wholeNumber(_ text: Substring) -> UInt64? {
        let isNumber =
            (1...18).contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return isNumber ? UInt64(text) : nil
    }

    /// Returns a text without the blanks at its ends.
    static func trimmed(_ text: some StringProtocol) -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let start = text.firstIndex(where: { !isBlank($0) }),
            let end = text.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(text[start...end])
    }
}
