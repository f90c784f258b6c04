/// The options of all commands, in the order in which help lists them.
///
/// An option that is added here also needs its place in the command that reads it and, in the same
/// change, new help snapshots (see `HelpSnapshotTests`).
package enum Options {
    static let help = OptionSpec(
        "help", short: "h", .flag, .general, "Print this help and end")

    static let version = OptionSpec(
        "version", short: "V", .flag, .general, "Print the version and end")
}
