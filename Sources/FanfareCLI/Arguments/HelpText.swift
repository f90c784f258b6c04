/// The texts of `-h` and `--help`, made from the tables.
///
/// No line is longer than the width, unless a single word is. Without color the text is ASCII, so
/// that a column is a byte.
package struct HelpText: Sendable {
    /// The width of text that is not printed on a terminal.
    package static let usualWidth = 80
    /// The column where summaries begin; a longer label has its summary on the next line.
    private static let summaryColumn = 30
    /// The short help shows so many examples.
    private static let briefExamplesMax = 2

    private let color: Bool
    private let width: Int
    private var text = ""

    /// The width of the help on a terminal: longer lines are hard to read, and narrower ones hold nothing.
    package static func width(ofTerminal columns: Int?) -> Int {
        min(max(columns ?? usualWidth, 50), 100)
    }

    /// The help of the whole tool.
    package static func tool(
        _ commands: [CommandSpec] = Commands.all, color: Bool, width: Int = usualWidth
    ) -> String {
        var help = HelpText(color: color, width: width)
        help.addParagraph(
            "Fanfare sends push notifications: rows of tokens in, one outcome per row out.")
        help.addExamples(Array(commands.flatMap(\.examples).prefix(1)))
        help.addHeading("Usage")
        help.text += "  fanfare COMMAND [OPTIONS] [ARGUMENTS]\n"
        help.text += "  fanfare COMMAND -h          The everyday options of a command\n"
        help.text += "  fanfare COMMAND --help      All its options, by topic\n"
        help.addHeading("Commands")
        for command in commands {
            help.addEntry("  ", command.name, "", command.summary)
        }
        help.addHeading("Options")
        for option in Options.ofTool {
            help.addOption(option)
        }
        return help.text
    }

    /// The help of one command with the options that most people need, each on one line.
    package static func brief(
        _ command: CommandSpec, color: Bool, width: Int = usualWidth
    ) -> String {
        var help = HelpText(color: color, width: width)
        help.addParagraph("\(command.summary).")
        help.addExamples(Array(command.examples.prefix(briefExamplesMax)))
        help.text += "\n"
        for (index, usage) in command.usage.enumerated() {
            let lead = index == 0 ? help.bold("Usage:") : "      "
            help.text += "\(lead) fanfare \(command.name) \(usage)\n"
        }
        if let positional = command.positional {
            help.addEntry("  ", positional.placeholder, "", positional.summary)
        }
        let options = command.commonOptions
        for group in OptionGroup.allCases {
            options.filter { $0.group == group }.forEach { help.addLine($0) }
        }
        let count = command.options.count - options.count
        if count > 0 {
            help.text += "\n\(count) more option\(count == 1 ? "" : "s"): "
            help.text += "fanfare \(command.name) --help\n"
        }
        return help.text
    }

    /// The help of one command with all its options, by topic.
    package static func command(
        _ command: CommandSpec, color: Bool, width: Int = usualWidth
    ) -> String {
        var help = HelpText(color: color, width: width)
        help.addParagraph("\(command.summary).")
        help.addExamples(command.examples)
        help.addHeading("Usage")
        for usage in command.usage {
            help.text += "  fanfare \(command.name) \(usage)\n"
        }
        if let positional = command.positional {
            help.addHeading("Arguments")
            help.addEntry("  ", positional.placeholder, "", positional.summary)
        }
        for group in OptionGroup.allCases {
            let options = command.options.filter { $0.group == group }
            guard !options.isEmpty else { continue }
            help.addHeading(group.rawValue)
            options.forEach { help.addOption($0) }
        }
        return help.text
    }

    private init(color: Bool, width: Int) {
        self.color = color
        self.width = width
    }

    /// Adds an option as one line, without its value's form if that is too long.
    private mutating func addLine(_ option: OptionSpec) {
        let short = option.short.map { "  -\($0), " } ?? "      "
        let name = "--\(option.name)"
        let length = short.utf8.count + name.utf8.count
        // An option that each of several providers may have is for the long help.
        let form = option.placeholder.map { " \($0.replacing("[PROVIDER=]", with: ""))" } ?? ""
        let room = Self.summaryColumn - 2 - length
        if room < 0, length + 2 + option.line.utf8.count <= width {
            text += "\(short)\(bold(name))  \(option.line)\n"
        } else {
            addEntry(short, name, form.utf8.count <= room ? form : "", option.line)
        }
    }

    private mutating func addParagraph(_ words: String) {
        for line in Self.fill(Self.words(words), width: width) {
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
        for line in Self.fill(phrases, width: width - Self.summaryColumn) {
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
            for line in Self.fill(Self.words(example.purpose + ":"), width: width - 2) {
                text += "  " + line + "\n"
            }
            text += Self.lines(of: example, width: width).map { "    \($0)\n" }.joined()
        }
    }

    /// An example as it is typed.
    ///
    /// An option stays with its value on a line, and a line that goes on ends in " \\".
    static func lines(of example: ExampleSpec, width: Int = usualWidth) -> [String] {
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
