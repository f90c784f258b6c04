@testable import FanfareCLI

/// The text of `docs/options.md`, made from the tables.
///
/// An option that means the same in several commands is described with the first of them.
struct OptionsPage {
    private var text = ""
    /// The rows that are there already, each with its command.
    private var rows: [String: String] = [:]

    /// The page, ending with a line end.
    static func text(_ commands: [CommandSpec] = Commands.all) -> String {
        var page = OptionsPage()
        page.text = introduction
        for command in commands {
            page.text += "- [`fanfare \(command.name)`](#\(anchor(command))): \(command.summary)\n"
        }
        commands.forEach { page.add($0) }
        return page.text
    }

    private static let introduction = """
        # Options

        This page lists every option of every command. A test generates it from the tables that the
        parser uses, so do not edit it: `FANFARE_WRITE_SNAPSHOTS=1 dev/test OptionsPageTests` writes it.

        - Options may stand anywhere after the command, as `--rate 500/s` or `--rate=500/s`.
          `--` ends the options.
        - If an option that takes one value is given more than once, the last one counts.
        - Commands that send or serve also read their options from a file and from the environment:
          `FANFARE_STOP_IF` stands for `--stop-if`. See [configuration](configuration.md).
        - `fanfare COMMAND -h` prints the options that most people need on one line each, `--help` prints all.
          `fanfare --version` prints the version.

        Commands:


        """

    /// The anchor of a command's heading.
    private static func anchor(_ command: CommandSpec) -> String { "fanfare-\(command.name)" }

    private mutating func add(_ command: CommandSpec) {
        text += "\n## `fanfare \(command.name)`\n\n\(command.summary).\n\n"
        let usage = command.usage.map { "`fanfare \(command.name) \($0)`" }
        text += "Usage: \(usage.joined(separator: " or ")).\n"
        if let positional = command.positional {
            text += "\n`\(positional.placeholder)`: \(positional.summary).\n"
        }
        let new = command.options.filter { rows[Self.row($0)] == nil }
        let known = command.options.filter { rows[Self.row($0)] != nil }
        for group in OptionGroup.allCases {
            let options = new.filter { $0.group == group }
            guard !options.isEmpty else { continue }
            text += "\n**\(group.rawValue)**\n\n"
            text += "| option | meaning | default |\n| --- | --- | --- |\n"
            for option in options { text += Self.row(option) }
        }
        addReferences(known)
        for option in new { rows[Self.row(option)] = command.name }
    }

    /// Longer lists of options that do not go together help no reader; a message names the one that matters.
    private static let excludesMax = 8

    private static func row(_ option: OptionSpec) -> String {
        var label = option.short.map { "`-\($0)`, " } ?? ""
        label += "`--\(option.name)" + (option.placeholder.map { " \($0)" } ?? "") + "`"
        var sentences = ["\(marked(option.summary))."]
        if let detail = option.detail { sentences.append(marked(detail)) }
        if option.arity.isList { sentences.append("May be repeated.") }
        if let negation = option.negation { sentences.append("`--\(negation)` undoes it.") }
        if !option.needs.isEmpty { sentences.append("Needs \(list(option.needs, "and")).") }
        if (1...excludesMax).contains(option.excludes.count) {
            sentences.append("Not with \(list(option.excludes, "or")).")
        }
        let cells = [label, sentences.joined(separator: " "), marked(option.defaultText ?? "")]
        return "|" + cells.map { " \(cell($0)) |" }.joined() + "\n"
    }

    /// A text with options as code.
    private static func marked(_ text: String) -> String {
        text.replacing(/--[a-z][a-z0-9-]*/) { "`\($0.output)`" }
    }

    /// A text in which a vertical bar ends no cell.
    private static func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }

    /// `needs` or `excludes` as a reader types them: `provider=simulator` is `--provider simulator`.
    private static func list(_ conditions: [String], _ word: String) -> String {
        let names = conditions.map { "`--\($0.replacing("=", with: " "))`" }
        guard let last = names.last, names.count > 1 else { return names.joined() }
        return names.dropLast().joined(separator: ", ") + " \(word) " + last
    }

    /// Names the options that are described with an earlier command.
    private mutating func addReferences(_ options: [OptionSpec]) {
        var owners: [String] = []
        for option in options {
            if let owner = rows[Self.row(option)], !owners.contains(owner) { owners.append(owner) }
        }
        for owner in owners {
            let shared = options.filter { rows[Self.row($0)] == owner }
            text += "\nAlso, as with [`fanfare \(owner)`](#fanfare-\(owner)): "
            text += shared.map { "`--\($0.name)`" }.joined(separator: ", ") + ".\n"
        }
    }
}
