/// Command lines as people type them.
enum ShellCommand {
    /// The command that carries on with the job that another one has begun.
    static func resuming(_ words: [String]) -> String {
        var words = withoutAddresses(words).filter { $0 != "--overwrite" && $0 != "--resume" }
        // Behind `--` it would be a file.
        let place = words.firstIndex(of: "--") ?? words.endIndex
        words.insert("--resume", at: place)
        return words.map(\.quotedForShell).joined(separator: " ")
    }

    /// The command that lists the dead tokens of reports.
    static func listingDeadTokens(of reports: [String]) -> String {
        listing(of: reports, "outcome=unregistered", columns: ["token", "unregistered_at"])
    }

    /// The command that lists lines of reports.
    /// - Parameters:
    ///   - reports: The reports' paths.
    ///   - selection: The lines that are listed.
    ///   - columns: Their columns; none for all.
    /// - Returns: The command.
    static func listing(
        of reports: [String], _ selection: String, columns: [String]
    ) -> String {
        let words = ["fanfare", "report"] + reports.map(\.quotedForShell)
        let list = columns.isEmpty ? [] : ["--fields", columns.joined(separator: ",")]
        return (words + ["--select", selection] + list).joined(separator: " ")
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
