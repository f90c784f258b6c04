/// The command that sends to the rows that a canary has left out.
extension ShellCommand {
    /// Options of a canary: they choose which rows of the job are sent to first.
    ///
    /// Conditions are none of them. They say whom the job is for, so every command for it has them.
    static let canary =
        ([Options.limit, Options.sampleShare, Options.sampleSeed] as [any AnyOption]).map(\.name)

    /// The command that carries on with a job for the rows that its canary has left out.
    /// - Parameters:
    ///   - words: The command that was given.
    ///   - arguments: The command's options, parsed.
    /// - Returns: Nothing if the canary was chosen elsewhere than on the command line, where this would not end.
    static func sendingRest(_ words: [String], _ arguments: ParsedArguments) -> String? {
        let isElsewhere = arguments.command.options.contains { option in
            canary.contains(option.name) && arguments.has(option)
                && arguments.origin(of: option) != .commandLine
        }
        guard !isElsewhere else { return nil }
        let end = words.firstIndex(of: "--") ?? words.endIndex
        var kept: [String] = []
        var skipsValue = false
        for word in words[..<end] {
            if skipsValue {
                skipsValue = false
            } else if canary.contains(where: { word == "--" + $0 }) {
                skipsValue = true
            } else if !canary.contains(where: { word.hasPrefix("--\($0)=") }) {
                kept.append(word)
            }
        }
        return resuming(kept + words[end...], arguments)
    }
}
