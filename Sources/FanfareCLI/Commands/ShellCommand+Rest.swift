/// The command that sends to the rows that a job has left out.
extension ShellCommand {
    /// Options that choose rows.
    static let choosing =
        ([
            Options.whereRows, Options.limit, Options.sampleShare, Options.sampleSeed,
        ] as [any AnyOption]).map(\.name)

    /// The command that carries on with a job for the rows that it was told to leave out.
    /// - Parameters:
    ///   - words: The command that was given.
    ///   - arguments: The command's options, parsed.
    /// - Returns: Nothing if rows were chosen elsewhere than on the command line, where this would not end.
    static func sendingRest(_ words: [String], _ arguments: ParsedArguments) -> String? {
        let isElsewhere = arguments.command.options.contains { option in
            choosing.contains(option.name) && arguments.has(option)
                && arguments.origin(of: option) != .commandLine
        }
        guard !isElsewhere else { return nil }
        let end = words.firstIndex(of: "--") ?? words.endIndex
        var kept: [String] = []
        var skipsValue = false
        for word in words[..<end] {
            if skipsValue {
                skipsValue = false
            } else if choosing.contains(where: { word == "--" + $0 }) {
                skipsValue = true
            } else if !choosing.contains(where: { word.hasPrefix("--\($0)=") }) {
                kept.append(word)
            }
        }
        return resuming(kept + words[end...])
    }
}
