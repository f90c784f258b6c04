/// The options of all commands, in the order in which help lists them.
///
/// An option is declared here, put into its list, and read as `arguments[Options.name]`; CONTRIBUTING.md lists
/// what else may belong to it. Completions, the manual page, files of options and environment variables have it
/// by themselves. `common` puts it into the short help, which has one line for each option: `brief` is that line
/// where the summary is too long.
package enum Options {
    static let help = Option(
        "help", short: "h", .flag, .general,
        "Print all options by topic and end; -h prints the everyday ones",
        brief: "Print this; --help prints all options by topic", common: true,
        commandLineOnly: "it only prints")
    static let version = Option(
        "version", short: "V", .flag, .general, "Print the version and end",
        commandLineOnly: "it only prints")

    /// The options that may stand in the place of a command.
    static let ofTool = [help, version].map(\.spec)
}
