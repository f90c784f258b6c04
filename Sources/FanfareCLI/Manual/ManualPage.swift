import FanfareCore

/// The manual page fanfare(1), made from the tables, in the language mdoc.
///
/// An option that means the same in several commands is described with the first of them.
///
/// Source: mdoc(7)
package struct ManualPage {
    private var roff = RoffText()
    /// The options that are described already, each with the command where they are.
    private var described: [(option: OptionSpec, command: String)] = []

    /// The page's source.
    package static func text(_ commands: [CommandSpec] = Commands.all) -> String {
        var page = ManualPage()
        page.addBeginning(commands)
        page.roff.macro("Sh COMMANDS")
        page.roff.paragraph(
            "Options may stand anywhere behind the command, as --option value or --option=value. "
                + "-- ends them. Of an option that takes one value the last one counts.")
        commands.forEach { page.addCommand($0) }
        page.addEnvironment()
        page.addFiles()
        page.addExitStatus()
        page.addExamples(commands)
        return page.roff.text
    }

    private mutating func addBeginning(_ commands: [CommandSpec]) {
        roff.macro("Dd \(FanfareCommand.versionDate)")
        roff.macro("Dt FANFARE 1")
        roff.macro("Os")
        roff.macro("Sh NAME")
        roff.macro("Nm fanfare")
        roff.macro("Nd send push notifications in bulk")
        roff.macro("Sh SYNOPSIS")
        for command in commands {
            for usage in command.usage {
                roff.macro("Nm", "fanfare")
                roff.macro("Cm", command.name)
                roff.paragraph(usage)
            }
        }
        for option in Options.ofTool {
            roff.macro("Nm", "fanfare")
            roff.macro("Fl", "-\(option.name)")
        }
        roff.macro("Sh DESCRIPTION")
        roff.macro("Nm")
        roff.paragraph("sends push notifications: rows of tokens in, one outcome per row out.")
    }

    private mutating func addCommand(_ command: CommandSpec) {
        roff.macro("Ss", "fanfare", command.name)
        roff.paragraph("\(command.summary).")
        if let positional = command.positional {
            roff.beginList()
            roff.item([("Ar", positional.placeholder)])
            roff.paragraph("\(positional.summary).")
            roff.endList()
        }
        let known = command.options.filter { option in
            described.contains { $0.option == option }
        }
        let new = command.options.filter { !known.contains($0) }
        for group in OptionGroup.allCases {
            let options = new.filter { $0.group == group }
            guard !options.isEmpty else { continue }
            roff.macro("Pp")
            roff.macro("Em", group.rawValue)
            roff.beginList()
            options.forEach { addOption($0) }
            roff.endList()
        }
        addReferences(known)
        described += new.map { ($0, command.name) }
    }

    private mutating func addOption(_ option: OptionSpec) {
        var label = option.short.map { [("Fl", "\($0)"), ("", ",")] } ?? []
        label.append(("Fl", "-\(option.name)"))
        if let placeholder = option.placeholder { label.append(("Ar", placeholder)) }
        roff.item(label)
        var sentences = ["\(option.summary)."]
        if let detail = option.detail { sentences.append(detail) }
        if option.arity.isList { sentences.append("May be repeated.") }
        if let defaultText = option.defaultText { sentences.append("Default: \(defaultText).") }
        if let negation = option.negation { sentences.append("Undone by --\(negation).") }
        roff.paragraph(sentences.joined(separator: " "))
    }

    /// Names the options that are described with an earlier command.
    private mutating func addReferences(_ options: [OptionSpec]) {
        var owners: [String] = []
        for option in options {
            let owner = described.first { $0.option == option }?.command ?? ""
            if !owners.contains(owner) { owners.append(owner) }
        }
        for owner in owners {
            let shared = options.filter { option in
                described.contains { $0.option == option && $0.command == owner }
            }
            roff.macro("Pp")
            roff.paragraph("And, as with fanfare \(owner):")
            for (index, option) in shared.enumerated() {
                let label = "-\(option.name)"
                if index == shared.count - 1 {
                    roff.macro("Fl", label, mark: ".")
                } else {
                    roff.macro("Fl", label, mark: ",")
                }
            }
        }
    }

    private mutating func addEnvironment() {
        roff.macro("Sh ENVIRONMENT")
        roff.beginList()
        for (name, meaning) in Self.environment {
            roff.item([("Ev", name)])
            roff.paragraph(meaning)
        }
        roff.endList()
    }

    private static let environment = [
        (
            "FANFARE_CONFIG, FANFARE_PROFILE",
            "What --config and --profile name, for the commands that have these."
        ),
        (
            "FANFARE_OPTION_NAME",
            "The value of --option-name for these commands, unless the command line gives one: "
                + "FANFARE_STOP_IF for --stop-if. Flags are true or false, 1 or 0; several values "
                + "stand on lines of their own. An empty variable is none."
        ),
        (
            "FANFARE_CORE_DUMPS",
            "With 1 a crash may leave a core file and, where Swift is installed, a backtrace, and a "
                + "debugger may look at the process. All show keys and tokens, so that none is "
                + "allowed otherwise."
        ),
        ("NO_COLOR", "With any value but the empty one nothing is colored."),
        ("TERM", "Without one, or with dumb, nothing is colored."),
    ]

    private mutating func addFiles() {
        roff.macro("Sh FILES")
        roff.paragraph(
            "The file of --config is a JSON object with the names of long options: numbers or text "
                + "for values, true or false for flags, arrays for options that may be repeated. "
                + "Its key profiles holds an object for each profile, whose values win over the "
                + "others with --profile. Relative paths are relative to the file's folder. Options "
                + "of other commands are ignored; a key that is not an option is an error.")
    }

    private mutating func addExitStatus() {
        roff.macro("Sh EXIT STATUS")
        roff.beginList()
        for status in ExitStatus.allCases {
            roff.item([("", "\(status.rawValue)")])
            roff.paragraph("\(status.meaning).")
        }
        roff.endList()
    }

    private mutating func addExamples(_ commands: [CommandSpec]) {
        roff.macro("Sh EXAMPLES")
        for (index, example) in commands.flatMap(\.examples).enumerated() {
            if index > 0 { roff.macro("Pp") }
            roff.paragraph("\(example.purpose):")
            roff.literal(HelpText.lines(of: example))
        }
    }
}

extension ExitStatus {
    /// The status's meaning, in the words of the table in `docs/outcomes.md`.
    package var meaning: String {
        switch self {
        case .success:
            "finished, and every row has a definite outcome, at least one accepted (with --strict: "
                + "every row was accepted)"
        case .incomplete:
            "finished, but some rows are throttled, failed or unknown, or none was accepted (with "
                + "--strict: not all were accepted)"
        case .usage: "wrong usage or configuration; nothing was sent"
        case .refused:
            "stopped: the provider refuses the whole job, or cannot be reached, or a bound of "
                + "--stop-if was crossed"
        case .inputOutput:
            "an input or output failed: before the start (any file that cannot be read), or later, "
                + "which stops the job"
        case .thresholdCrossed:
            "finished, but a bound of --fail-if was crossed; with bench: worse than the --baseline"
        case .bug: "a bug in Fanfare"
        case .interrupted: "interrupted (SIGINT)"
        case .terminated: "terminated (SIGTERM)"
        case .hungUp: "the terminal was closed (SIGHUP)"
        }
    }
}
