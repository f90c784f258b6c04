/// Command lines as people type them.
enum ShellCommand {
    /// Options that decide to whom a command sends, and by which report it knows who has been sent to.
    ///
    /// The person who types a printed command may have another environment: without these it would send to others, or again.
    private static let deciding =
        ([
            Options.config, Options.profile, Options.whereRows, Options.limit,
            Options.sampleShare, Options.sampleSeed, Options.suppress, Options.provider,
            Options.environment, Options.endpoint, Options.report,
        ] as [any AnyOption]).map(\.name)

    /// The command that carries on with the job that another one has begun.
    /// - Parameters:
    ///   - words: The command that was given.
    ///   - arguments: The command's options, parsed.
    /// - Returns: The command.
    static func resuming(_ words: [String], _ arguments: ParsedArguments) -> String {
        let end = words.firstIndex(of: "--") ?? words.endIndex
        var kept = words[..<end].filter { $0 != "--overwrite" && $0 != "--resume" }
        for option in arguments.command.options where isToBeSaid(option, arguments) {
            append(option, arguments.setting(option), to: &kept)
        }
        // Behind `--` it would be a file.
        return withoutAddresses(kept + ["--resume"] + words[end...]).map(\.quotedForShell)
            .joined(separator: " ")
    }

    /// True if the environment has set an option that a printed command must not be without.
    static func isToBeSaid(_ option: OptionSpec, _ arguments: ParsedArguments) -> Bool {
        deciding.contains(option.name) && arguments.origin(of: option) == .environment
    }

    /// The command that lists the dead tokens of reports.
    static func listingDeadTokens(_ program: String, of report: String) -> String {
        listing(
            program, of: [report], "outcome=unregistered", columns: ["token", "unregistered_at"])
    }

    /// The command that lists lines of reports.
    /// - Parameters:
    ///   - program: The name that the program was called by.
    ///   - reports: The reports' paths.
    ///   - selection: The lines that are listed.
    ///   - columns: Their columns; none for all.
    /// - Returns: The command.
    static func listing(
        _ program: String, of reports: [String], _ selection: String, columns: [String]
    ) -> String {
        var words = [program, "report"] + reports.map(withoutDash)
        append("select", selection, to: &words)
        if !columns.isEmpty { append("fields", columns.joined(separator: ","), to: &words) }
        return words.map(\.quotedForShell).joined(separator: " ")
    }

    /// A path that is not taken for an option.
    static func withoutDash(_ path: String) -> String {
        path.hasPrefix("-") && path != "-" ? "./" + path : path
    }

    /// Returns the words with `@FILE` in place of an address that notices are posted to.
    ///
    /// Such an address may be a secret, and these commands stand on pages and in summaries. Typed in
    /// again, `@FILE` is refused by its name.
    static func withoutAddresses(_ words: [String]) -> [String] {
        let option = "--" + Options.notify.name
        let end = words.firstIndex(of: "--") ?? words.endIndex
        return words.enumerated().map { index, word in
            guard index < end else { return word }
            if word.hasPrefix(option + "=") {
                return word.hasPrefix(option + "=@") ? word : option + "=@FILE"
            }
            guard index > 0, words[index - 1] == option, !word.hasPrefix("@") else { return word }
            return "@FILE"
        }
    }
}
