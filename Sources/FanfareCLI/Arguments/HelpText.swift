/// The texts of `--help` and `--help-all`, made from the tables.
///
/// No line is longer than 80 columns. The text is ASCII, apart from what color adds, so that a
/// column is a byte.
package struct HelpText: Sendable {
    private static let width = 80
    /// Where summaries begin; a longer label has its summary on the next line.
    private static let summaryColumn = 30

    private let color: Bool
    private var text = ""

    /// The help of the whole tool.
    package static func tool(_ commands: [CommandSpec] = Commands.all, color: Bool) -> String {
        var help = HelpText(color: color)
        help.addParagraph(
            "Fanfare sends push notifications: rows of tokens in, one outcome per row out.")
        help.addHeading("Usage")
        help.text += "  fanfare COMMAND [OPTIONS] [ARGUMENTS]\n"
        help.text += "  fanfare help COMMAND\n"
        help.addHeading("Commands")
        for command in commands {
            help.addEntry("  ", command.name, "", command.summary)
        }
        help.addHeading("Options")
        for option in Options.ofTool {
            help.addOption(option)
        }
        help.addExamples(Array(commands.flatMap(\.examples).prefix(1)))
        return help.text
    }

    /// The help of the whole tool, and then that of each command with all options.
    package static func everything(
        _ commands: [CommandSpec] = Commands.all, color: Bool
    ) -> String {
        var text = tool(commands, color: color)
        for command in commands {
            let title = "fanfare \(command.name)"
            text += "\n\n" + HelpText(color: color).bold(title) + "\n"
            text += String(repeating: "-", count: title.utf8.count) + "\n"
            text += Self.command(command, color: color)
        }
        return text
    }

    /// The help of one command with the options that most people need.
    package static func brief(_ command: CommandSpec, color: Bool) -> String {
        let options = command.commonOptions
        var text = self.command(command, options: options, color: color)
        let count = command.options.count - options.count
        if count > 0 {
            text += "\n\(count) more option\(count == 1 ? "" : "s"): "
            text += "fanfare \(command.name) --help-all\n"
        }
        return text
    }

    /// The help of one command with all its options.
    package static func command(_ command: CommandSpec, color: Bool) -> String {
        self.command(command, options: command.options, color: color)
    }

    private static func command(
        _ command: CommandSpec, options: [OptionSpec], color: Bool
    ) -> String {
        var help = HelpText(color: color)
        help.addParagraph("\(command.summary).")
        help.addHeading("Usage")
        for usage in command.usage {
            help.text += "  fanfare \(command.name) \(usage)\n"
        }
        if let positional = command.positional {
            help.addHeading("Arguments")
            help.addEntry("  ", positional.placeholder, "", positional.summary)
        }
        for group in OptionGroup.allCases {
            let options = options.filter { $0.group == group }
            guard !options.isEmpty else { continue }
            help.addHeading(group.rawValue)
            options.forEach { help.addOption($0) }
        }
        help.addExamples(command.examples)
        return help.text
    }

    private init(color: Bool) {
        self.color = color
    }

    private mutating func addParagraph(_ words: String) {
        for line in Self.fill(Self.words(words), width: Self.width) {
            text += line + "\n"
        }
    }

    private mutating func addHeading(_ heading: String) {
        text += "\n" + bold("\(heading):") + "\n"
    }

    private mutating func addOption(_ option: OptionSpec) {
        let short = option.short.map { "  -\($0), " } ?? "      "
        let placeholder = option.placeholder.map { " \($0)" } ?? ""
        var words = option.summary
        if let detail = option.detail { words += ". \(detail)" }
        var notes: [String] = []
        if option.arity.isList { notes.append("[may be repeated]") }
        if let defaultText = option.defaultText { notes.append("[default: \(defaultText)]") }
        if let negation = option.negation { notes.append("[undone by --\(negation)]") }
        addEntry(short, "--\(option.name)", placeholder, words, notes)
    }

    /// Adds a label, and beside or below it the words that explain it.
    private mutating func addEntry(
        _ indent: String, _ name: String, _ placeholder: String, _ words: String,
        _ notes: [String] = []
    ) {
        let length = indent.utf8.count + name.utf8.count + placeholder.utf8.count
        text += indent + bold(name) + placeholder
        let margin = String(repeating: " ", count: Self.summaryColumn)
        var isFirst = true
        let phrases = Self.words(words) + notes
        for line in Self.fill(phrases, width: Self.width - Self.summaryColumn) {
            if isFirst && length + 2 <= Self.summaryColumn {
                text += String(repeating: " ", count: Self.summaryColumn - length)
            } else {
                text += "\n" + margin
            }
            text += line
            isFirst = false
        }
        text += "\n"
    }

    private mutating func addExamples(_ examples: [ExampleSpec]) {
        guard !examples.isEmpty else { return }
        addHeading(examples.count == 1 ? "Example" : "Examples")
        for example in examples {
            for line in Self.fill(Self.words(example.purpose + ":"), width: Self.width - 2) {
                text += "  " + line + "\n"
            }
            text += Self.lines(of: example).map { "    \($0)\n" }.joined()
        }
    }

    /// An example as it is typed.
    ///
    /// An option stays with its value on a line, and a line that goes on ends in " \\".
    static func lines(of example: ExampleSpec) -> [String] {
        var phrases = ["fanfare"]
        for word in example.words {
            let isValue = phrases.last?.hasPrefix("--") == true && !word.hasPrefix("--")
            let joins = isValue || phrases == ["fanfare"]
            if joins, let last = phrases.popLast() {
                phrases.append("\(last) \(word.quotedForShell)")
            } else {
                phrases.append(word.quotedForShell)
            }
        }
        let lines = fill(phrases, width: width - 8)
        return lines.enumerated().map { index, line in
            (index == 0 ? "" : "    ") + line + (index == lines.count - 1 ? "" : " \\")
        }
    }

    private func bold(_ words: String) -> String {
        color ? "\u{1B}[1m\(words)\u{1B}[0m" : words
    }

    private static func words(_ text: String) -> [String] {
        text.split(separator: " ").map(String.init)
    }

    /// Puts phrases on lines, and breaks a phrase only if it is longer than a line.
    ///
    /// A word that is longer than the width has a line of its own.
    static func fill(_ phrases: [String], width: Int) -> [String] {
        var lines: [String] = []
        for word in phrases.flatMap({ $0.utf8.count > width ? words($0) : [$0] }) {
            if let last = lines.last, last.utf8.count + 1 + word.utf8.count <= width {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append(word)
            }
        }
        return lines
    }
}
