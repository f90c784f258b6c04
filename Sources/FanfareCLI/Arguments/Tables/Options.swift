/// The options of all commands, in the order in which help lists them.
///
/// An option that is added here also needs its place in the command that reads it and, in the same
/// change, new help snapshots (see `HelpSnapshotTests`). Completions, the manual page, files of options
/// and environment variables have it by themselves; `common` puts it into the short help.
package enum Options {
    static let help = OptionSpec(
        "help", short: "h", .flag, .general, "Print the short help and end", common: true,
        commandLineOnly: "it only prints")

    /// Every command has it, without naming it.
    static let helpAll = OptionSpec(
        "help-all", .flag, .general, "Print the help with all options and end", common: true,
        commandLineOnly: "it only prints")

    static let version = OptionSpec(
        "version", short: "V", .flag, .general, "Print the version and end",
        commandLineOnly: "it only prints")
}
