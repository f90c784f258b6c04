extension Options {
    /// Being steered while it runs: `send`.
    static let control = OptionSpec(
        "control", .required(placeholder: "PATH", .file), .engine,
        "A socket to make, at which fanfare control finds the job",
        detail: "Only for the user that runs the job. It is removed at the end.",
        example: "job.sock")

    /// Being watched while it runs: `send`.
    static let metrics = OptionSpec(
        "metrics", .required(placeholder: "HOST:PORT", .listenAddress), .engine,
        "Address at which the job shows its metrics to Prometheus, at /metrics",
        detail: "Any client that reaches it may read them; there are no tokens among them. Port 0 "
            + "lets the system choose, and standard error says what it chose.",
        example: "127.0.0.1:9464")

    /// What a request is answered as: `control`.
    static let controlJSON = OptionSpec(
        "json", .flag, .output, "Answer status with a JSON object, for scripts")
}
