extension Options {
    /// Being steered while it runs: `send`.
    static let control = OptionSpec(
        "control", .required(placeholder: "PATH", .file), .engine,
        "A socket to make, at which fanfare control finds the job",
        detail: "Only for the user that runs the job. It is removed at the end.",
        example: "job.sock")

    /// What a request is answered as: `control`.
    static let controlJSON = OptionSpec(
        "json", .flag, .output, "Answer status with a JSON object, for scripts")
}
