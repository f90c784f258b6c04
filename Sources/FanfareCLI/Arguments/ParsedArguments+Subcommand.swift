import FanfareBase

extension ParsedArguments {
    /// The subcommand that a word names.
    /// - Parameters:
    ///   - word: The word as it was given.
    ///   - type: The subcommands that the command has.
    /// - Returns: The one of that name.
    /// - Throws: A usage error that lists them, or proposes the nearest.
    func subcommand<Subcommand: CaseIterable & RawRepresentable>(
        _ word: String, as type: Subcommand.Type
    ) throws(CommandError) -> Subcommand where Subcommand.RawValue == String {
        if let subcommand = Subcommand(rawValue: word) { return subcommand }
        let names = Subcommand.allCases.map(\.rawValue)
        let advice = Suggestion.question(word, among: names) ?? "write one of them"
        throw fault("\(word.quotedForMessage) is none of \(names.joined(last: " and ")); \(advice)")
    }
}
