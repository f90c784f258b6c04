/// `fanfare explain`: the meaning of a status, a reason or an outcome, with advice.
enum ExplainCommand {
    private static let width = 80
    private static let nameWidth = 10

    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        let words = arguments.positionals
        guard !words.isEmpty else {
            Terminal.print(list(Explanation.all))
            return 0
        }
        let answers = words.count == 1 ? Explanation.answers(of: words[0]) : []
        guard answers.isEmpty else {
            Terminal.print(list(answers))
            return 0
        }
        // A reason may have blanks, quoted or not.
        let whole = Explanation.find(words.joined(separator: " "))
        var found = whole
        if whole.isEmpty {
            for word in words {
                let some = Explanation.find(word)
                guard !some.isEmpty else { throw unknown(word, arguments) }
                found += some.filter { !found.contains($0) }
            }
        }
        let color = Terminal.usesColor(onError: false)
        Terminal.print(found.map { text($0, color: color) }.joined(separator: "\n"))
        return 0
    }

    private static func unknown(_ word: String, _ arguments: ParsedArguments) -> CommandError {
        let advice =
            Suggestion.question(Explanation.nearest(to: word))
            ?? "fanfare explain lists what there is of APNs and FCM; the answers of other providers are in their "
            + "files, which fanfare provider show prints"
        return arguments.fault(
            "\(word.quotedForMessage) is no status, reason, outcome or exit code; \(advice)")
    }

    /// All words, one on a line.
    static func list(_ explanations: [Explanation]) -> String {
        let longest = explanations.map(\.title.utf8.count).max() ?? 0
        return explanations.map { explanation in
            let gap = String(repeating: " ", count: longest - explanation.title.utf8.count + 2)
            return explanation.title + gap + explanation.summary + "\n"
        }.joined()
    }

    static func text(_ explanation: Explanation, color: Bool) -> String {
        var text =
            color ? "\u{1B}[1m\(explanation.title)\u{1B}[0m\n" : explanation.title + "\n"
        for fact in explanation.facts {
            let margin = String(repeating: " ", count: nameWidth - fact.name.utf8.count)
            let lines = HelpText.fill(
                fact.text.split(separator: " ").map(String.init), width: width - nameWidth - 2)
            text += "  " + fact.name + margin
            text += lines.joined(separator: "\n" + String(repeating: " ", count: nameWidth + 2))
            text += "\n"
        }
        return text
    }
}
