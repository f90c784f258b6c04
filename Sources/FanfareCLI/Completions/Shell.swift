/// The shells that `fanfare completions` knows.
package enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    /// Returns the script that makes this shell complete the words behind `fanfare`.
    ///
    /// It is made from the tables, and runs no program while it completes.
    package func script(for commands: [CommandSpec] = Commands.all) -> String {
        let commands = commands + [Self.help(commands)]
        return switch self {
        case .bash: BashCompletions(commands).text
        case .zsh: ZshCompletions(commands).text
        case .fish: FishCompletions(commands).text
        }
    }

    /// `fanfare help`, which the parser knows without a table.
    private static func help(_ commands: [CommandSpec]) -> CommandSpec {
        CommandSpec(
            "help", "Print the help of a command", usage: ["COMMAND"],
            positional: PositionalSpec(
                "COMMAND", noun: "a command", countMin: 0, candidates: .words(commands.map(\.name)),
                "The command to explain"),
            options: [], examples: [], run: { _ in FanfareCommand.printHelp(nil, isBrief: false) })
    }
}

extension String {
    /// The text on one line and without control characters, which no description needs.
    var onOneLine: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }

    /// The text with a backslash before each of these characters.
    func escaping(_ characters: String) -> String {
        var text = ""
        for scalar in unicodeScalars {
            if characters.unicodeScalars.contains(scalar) { text += "\\" }
            text.unicodeScalars.append(scalar)
        }
        return text
    }
}
