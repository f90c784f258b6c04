/// The action that a command line requests.
package enum Invocation: Sendable, Equatable {
    /// The short help of one command, or the help of the tool: `-h`.
    case brief(CommandSpec?)
    /// The help of one command with all options, or that of the tool: `--help`.
    case help(CommandSpec?)
    case version
    case run(ParsedArguments)
    /// Prints the options that the command would run with.
    case printConfiguration(ParsedArguments)
}

/// Turns the words of a command line into names and checked values.
///
/// `--option value`, `--option=value`, `--flag`, `--no-flag` where the flag has it, and `-o value`, `-h`
/// where there is a letter.
/// `--` ends the options, and `-` is never one. Options and other arguments mix freely. Long names
/// are never abbreviated, so that a new option breaks no script. Of an option that takes one
/// value the last one counts, so that a script can append one to its arguments (as in ripgrep).
/// A word that is itself an option is not taken as a value: `--topic --strict` is a forgotten
/// value, and `--topic=--strict` says that it is not.
package struct ArgumentParser: Sendable {
    private let commands: [CommandSpec]
    private let surroundings: Surroundings

    package init(
        commands: [CommandSpec] = Commands.all, surroundings: Surroundings = .none
    ) {
        self.commands = commands
        self.surroundings = surroundings
    }

    /// Parses the words after the program's name.
    /// - Throws: `UsageError` for the first thing that is wrong.
    package func parse(_ words: [String]) throws(UsageError) -> Invocation {
        guard let first = words.first else {
            throw UsageError(command: nil, "no command given; \(commandList)")
        }
        switch first {
        case "-h": return .brief(nil)
        case "--help": return .help(nil)
        case "--version", "-V", "version": return .version
        case "help":
            guard words.count > 1 else { return .help(nil) }
            let command = try command(named: words[1])
            guard words.count == 2 || words.count == 3 && command.hasAction(words[2]) else {
                throw UsageError(
                    command: "help", "takes one command, and an action of it; \(commandList)")
            }
            return .help(command)
        default: break
        }
        let command = try command(named: first)
        let rest = words.dropFirst()
        // Help wins over every mistake on the same line: the reader wants help then.
        // No value can look like this, see `LineParser.value`.
        let labels = rest.prefix { $0 != "--" }
        if labels.contains("--help") { return .help(command) }
        if labels.contains("-h") { return .brief(command) }
        var line = LineParser(command: command, commands: commands, words: rest)
        var arguments = try line.parse()
        try arguments.takeServer()
        try arguments.fill(from: surroundings, commands: commands)
        let prints = arguments[ifOffered: Options.printConfig]
        if !prints { try arguments.checkPositionals() }
        try arguments.checkCombinations()
        return prints ? .printConfiguration(arguments) : .run(arguments)
    }

    private func command(named name: String) throws(UsageError) -> CommandSpec {
        if let command = commands.first(where: { $0.name == name }) { return command }
        if name.hasPrefix("-") {
            throw UsageError(
                command: nil, "\(name.quotedForMessage) before the command; \(commandList)")
        }
        let names = commands.map(\.name) + ["help"]
        let advice = Suggestion.question(name, among: names) ?? commandList
        throw UsageError(command: nil, "unknown command \(name.quotedForMessage); \(advice)")
    }

    private var commandList: String {
        "the commands are \(commands.map(\.name).joined(last: " and ")), and fanfare --help "
            + "explains them"
    }
}

/// The words after a command, while they are read from left to right.
private struct LineParser {
    private let command: CommandSpec
    private let commands: [CommandSpec]
    private var words: ArraySlice<String>
    private var arguments: ParsedArguments

    init(command: CommandSpec, commands: [CommandSpec], words: ArraySlice<String>) {
        self.command = command
        self.commands = commands
        self.words = words
        arguments = ParsedArguments(command: command)
    }

    mutating func parse() throws(UsageError) -> ParsedArguments {
        while let word = words.popFirst() {
            if word == "--" {
                arguments.positionals += words
                break
            } else if word.hasPrefix("-") && word != "-" {
                try readOption(word)
            } else {
                arguments.positionals.append(word)
            }
        }
        return arguments
    }

    private mutating func readOption(_ word: String) throws(UsageError) {
        let (label, attached) = Self.split(word)
        guard let (option, isNegated) = option(labeled: label) else {
            throw unknownOption(label)
        }
        guard let type = option.type else {
            guard attached == nil else {
                throw error("\(label) takes no value; write \(label) alone")
            }
            arguments.set(flag: option, to: !isNegated)
            return
        }
        let text = if let attached { attached } else { try value(for: option) }
        do throws(ValueFault) {
            arguments.append(try GivenValue(text, type), to: option)
        } catch {
            throw .faultyValue(text, of: option, in: command, error)
        }
    }

    /// Takes the next word as an option's value, unless it is an option itself.
    private mutating func value(for option: OptionSpec) throws(UsageError) -> String {
        if case .optional(let bare) = option.arity {
            guard let next = words.first, (try? option.type?.read(next)) != nil else { return bare }
            words.removeFirst()
            return next
        }
        let example = "--\(option.name) \((option.example ?? "").quotedForShell)"
        guard let next = words.first else {
            throw error("--\(option.name) needs a value; write for example \(example)")
        }
        guard next != "--", self.option(labeled: Self.split(next).label) == nil else {
            throw error(
                "--\(option.name) needs a value before \(next.quotedForMessage); "
                    + "write for example \(example), or --\(option.name)=\(next.quotedForShell) "
                    + "if that is the value")
        }
        words.removeFirst()
        return next
    }

    /// The option that a label with its dashes stands for, and whether it is taken back.
    private func option(labeled label: String) -> (OptionSpec, isNegated: Bool)? {
        if label.hasPrefix("--") {
            let name = String(label.dropFirst(2))
            for option in command.options {
                if option.name == name { return (option, false) }
                if option.negation == name { return (option, true) }
            }
        } else if label.hasPrefix("-"), label.count == 2 {
            let short = label.last
            return command.options.first { $0.short == short }.map { ($0, false) }
        }
        return nil
    }

    private func unknownOption(_ label: String) -> UsageError {
        let name = String(label.drop { $0 == "-" })
        let quoted = label.quotedForMessage
        if let advice = ForeignWords.advice(on: name, for: command) {
            return error("unknown option \(quoted); \(advice)")
        }
        let others = commands.filter { $0.option(named: name) != nil }.map(\.name)
        if !others.isEmpty && !others.contains(command.name) {
            return error("--\(name) is an option of \(others.joined(last: " and ")) only")
        }
        if let (option, owners) = letterElsewhere(label) {
            return error(
                "unknown option \(quoted); it is --\(option.name) of "
                    + owners.joined(last: " and "))
        }
        // One dash is too few for a long name, and the same guess helps there.
        let names = command.options.map(\.name) + command.options.compactMap(\.negation)
        let near = name.count > 1 ? Suggestion.nearest(to: name, among: names) : []
        if !near.isEmpty {
            let list = near.map { "--\($0)" }.joined(last: " or ")
            return error("unknown option \(quoted); did you mean \(list)?")
        }
        if let attached = attachedValue(label) { return error(attached) }
        if let (near, owners) = nearestElsewhere(to: name) {
            return error(
                "unknown option \(quoted); --\(near) is an option of "
                    + "\(owners.joined(last: " and ")) only")
        }
        return error(
            "unknown option \(quoted); fanfare \(command.name) --help lists them all")
    }

    /// Returns the advice about a letter with its value attached, such as `-n100`.
    ///
    /// This form is not accepted, because `-output` would have it, too.
    private func attachedValue(_ label: String) -> String? {
        guard !label.hasPrefix("--"), let letter = label.dropFirst().first,
            command.options.contains(where: { $0.short == letter && $0.type != nil })
        else { return nil }
        let value = String(label.dropFirst(2)).shownInMessage
        return "\(label.quotedForMessage): a value stands behind a blank; write -\(letter) \(value)"
    }

    /// The option that a letter stands for in other commands.
    private func letterElsewhere(_ label: String) -> (option: OptionSpec, owners: [String])? {
        guard label.count == 2, label.hasPrefix("-"), let letter = label.last else { return nil }
        let options = commands.compactMap { command in
            command.options.first { $0.short == letter }.map { (command.name, $0) }
        }
        guard let first = options.first?.1 else { return nil }
        return (first, options.filter { $0.1.name == first.name }.map(\.0))
    }

    /// The option of other commands that a name may have been meant to be.
    private func nearestElsewhere(to name: String) -> (name: String, owners: [String])? {
        guard name.count > 1 else { return nil }
        let names = commands.flatMap(\.options).map(\.name)
        guard let near = Suggestion.nearest(to: name, among: names).first else { return nil }
        return (near, commands.filter { $0.option(named: near) != nil }.map(\.name))
    }

    private func error(_ message: String) -> UsageError {
        UsageError(command: command.name, message)
    }

    /// Splits `--option=value`; a value may contain further equals signs.
    private static func split(_ word: String) -> (label: String, value: String?) {
        guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else {
            return (word, nil)
        }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }
}
