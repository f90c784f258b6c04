/// The phrases in comments that do not say plainly what a declaration is, or who acts.
struct DocPhrases: Equatable {
    /// Comments, of both kinds, whose first sentence begins with a question word.
    var openings = 0
    /// Parameters, results and errors whose description begins with a question word.
    var fields = 0
    /// Pronouns that hide who acts, such as "nobody".
    var pronouns = 0

    /// The phrases that each folder of `Sources` and `Tests` still has.
    ///
    /// The numbers only fall.
    static let allowed: [String: DocPhrases] = [
        // The examples that PhraseTests count, and the words below.
        "FanfareRepositoryTests": DocPhrases(openings: 3, fields: 2, pronouns: 2)
    ]

    private static let questions: Set<Substring> = [
        "What", "Whether", "How", "Who", "When", "Where", "Why", "Which",
    ]

    private static let vague: Set<String> = [
        "whoever", "nobody", "somebody", "whatever", "whichever",
    ]

    /// Adds the phrases of a file.
    mutating func count(_ lines: [(number: Int, text: String)]) {
        var isInside = false
        for (_, line) in lines {
            let text = line.trimmed
            guard text.hasPrefix("//") else {
                isInside = false
                continue
            }
            let isDoc = text.hasPrefix("///")
            let words = text.split { !$0.isLetter }
            // A heading may begin so: "What to know before you change this:".
            if !isInside, let first = words.first, Self.questions.contains(first),
                isDoc || first != "When" && first != "Where" && !text.hasSuffix(":")
            {
                openings += 1
            }
            isInside = true
            if isDoc, Self.field(text).map(Self.questions.contains) == true { fields += 1 }
            pronouns += words.count { Self.vague.contains($0.lowercased()) }
        }
    }

    /// The first word of a field's description, as "The" in `- Returns: The row.`.
    private static func field(_ text: Substring) -> Substring? {
        let item = text.dropFirst(3).drop { $0 == " " }
        guard item.hasPrefix("- "), let colon = item.firstIndex(of: ":") else { return nil }
        return item[colon...].dropFirst().drop { $0 == " " }.prefix { $0.isLetter }
    }
}
