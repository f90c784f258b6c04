extension Options {
    /// Being steered while it runs: `send`.
    static let control = Option(
        "control", .value(.file("PATH")), .watching,
        "A socket to make, at which fanfare control finds the job",
        detail: "Only for the user that runs the job. It is removed at the end.",
        example: "job.sock")

    /// Being watched while it runs: `send`.
    static let metrics = Option(
        "metrics", .value(.listenAddress), .watching,
        "Address at which the job shows its metrics to Prometheus, at /metrics",
        detail: "Any client that reaches it may read them; there are no tokens among them. Port 0 "
            + "lets the system choose, and standard error says what it chose.",
        example: "127.0.0.1:9464")

    /// What a job is asked for: `control`.
    enum Control {
        static let json = Option(
            "json", .flag, .output, "Answer status with a JSON object, for scripts")
    }
}
