extension Options {
    /// Options from elsewhere: every command that sends or serves has these, without naming them.
    static let configuration: [any AnyOption] = [config, profile, printConfig]

    static let config = Option(
        "config", .value(.file), .general, "Read options from this JSON file, by their long names",
        detail: "The command line wins, then environment variables such as FANFARE_RATE, then the "
            + "profile, then the rest of the file. Paths in it are relative to its folder.",
        example: "fanfare.json", brief: "Read options from this JSON file", common: true,
        commandLineOnly: "a file cannot lead to another; FANFARE_CONFIG can")
    static let profile = Option(
        "profile", .value(.identifier("NAME")), .general,
        "Let this one of the file's profiles win over the rest of the file", example: "staging",
        needs: ["config"], commandLineOnly: "it chooses among the profiles; FANFARE_PROFILE can")
    static let printConfig = Option(
        "print-config", .flag, .general, "Print the options in force as JSON for --config, and end",
        commandLineOnly: "it only prints")
}
