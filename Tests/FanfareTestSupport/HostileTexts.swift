/// Texts that try to get out of the quotes of any language: a batch for each seed.
package enum HostileTexts {
    private static let count = 25

    /// All characters that end something, or mean something, in a language that we write.
    private static let marks = Array("'\"\\`&<>;,$%{}()[]#=/|*~!?@:- \t\n\r".unicodeScalars)

    /// Scalars that make one grapheme with what stands behind them, or before them; or that are a quote to those who
    /// compare texts as Unicode does.
    ///
    /// The first ones have Grapheme_Cluster_Break=Prepend, then come Extend, SpacingMark, ZWJ and two that are
    /// canonically equivalent to a semicolon and to a grave accent.
    private static let joiners = Array(
        "\u{600}\u{6DD}\u{70F}\u{8E2}\u{D4E}\u{110BD}\u{111C2}\u{1193F}\u{301}\u{327}\u{20E3}\u{FE0F}\u{1F3FD}\u{903}\u{200D}\u{37E}\u{1FEF}"
            .unicodeScalars)

    /// Pieces of what attackers write.
    private static let pieces = [
        "'; touch PWNED; echo '", "\"); ATTACH 'x.db' AS p; --", "\\'; DROP TABLE t; --",
        "<!channel>", "</code><script>", "\"} 1\nother{a=\"", "$(id)", "`id`", "\r\n", "\\N", "''",
        "\"\"",
        "\\\\", "&amp;", "&#60;", "*/", "--", "%s", "%00", "\u{1F468}\u{200D}\u{1F469}", "e\u{301}",
    ]

    package static func batch(seed: UInt64) -> [String] {
        var dice = Dice(seed: seed)
        return (0..<count).map { _ in text(&dice) }
    }

    private static func text(_ dice: inout Dice) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<dice.number(0...8) {
            switch dice.number(0...9) {
            case 0...3: text.append(dice.pick(marks))
            case 4...6: text.append(dice.pick(joiners))
            case 7: text.append(contentsOf: dice.pick(pieces).unicodeScalars)
            case 8: text.append(Unicode.Scalar(UInt8(dice.number(1...0x7F))))
            default:
                // Half of them are in the first plane, where scripts with signs of their own are.
                let value = dice.number(1...(dice.chance(0.5) ? 0xFFFF : 0x10FFFF))
                text.append(Unicode.Scalar(UInt32(value)) ?? "\u{600}")
            }
        }
        return String(text)
    }
}
