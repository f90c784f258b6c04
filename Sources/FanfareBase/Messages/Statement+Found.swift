extension Statement.StringInterpolation {
    /// Adds the name of a setting from keys to values, with a pair whose words may be out of a file.
    ///
    /// People paste it behind a command. A word that a shell could read otherwise is not in it: another
    /// word stands in its place.
    package mutating func appendInterpolation(
        _ setting: Setting, ofFound key: String, is value: String
    ) {
        let key = Self.canBePasted(key) ? key : "WORD"
        let value = Self.canBePasted(value) ? value : "NAME"
        let pair = "\(key)=\(value)"
        let isPlain = pair.utf8.allSatisfy { $0.isLetterOrDigit || "-_.=".utf8.contains($0) }
        appendInterpolation(
            setting, option: isPlain ? pair : pair.singleQuoted,
            member: "[\"\(key)\": \"\(value)\"]")
    }

    /// True for a word that a terminal shows as it is, all of it, and that is whole between quotes.
    private static func canBePasted(_ word: String) -> Bool {
        !word.isEmpty && TerminalText.reported(word, bytesMax: bytesMax) == word
            && word.unicodeScalars.allSatisfy { !"'\"\\=…\u{FFFD}".unicodeScalars.contains($0) }
            && word.utf8.first != UInt8(ascii: "-")
    }

    private static let bytesMax = 64
}
