extension Options {
    /// Being steered while it runs: `send`.
    static let control = Option(
        "control", .value(.file("PATH")), .watching,
        "A socket to make, at which fanfare control finds the job; none for no socket",
        detail:
            "Only for the user that runs the job. It is removed at the end. Without this option "
            + "the socket is in the runtime folder of the user, where fanfare jobs finds it.",
        default: "in the runtime folder", example: "job.sock")

    /// Being watched while it runs: `send`.
    static let metrics = Option(
        "metrics", .value(.listenAddress), .watching,
        "Address at which the job shows its metrics to Prometheus, at /metrics",
        detail: "Any client that reaches it may read them; there are no tokens among them. Port 0 "
            + "lets the system choose, and standard error says what it chose.",
        example: "127.0.0.1:9464")

    /// Being looked at while it runs: `send`.
    static let page = Option(
        "page", .value(.listenAddress), .watching,
        "Address at which a browser shows the job while it runs",
        detail:
            "Standard error says where. It may be the address of --metrics: one server has both "
            + "then. Any client that reaches it may look; there are no tokens on the page, but file "
            + "names and settings. When the job ends the page becomes the one of --html.",
        example: "127.0.0.1:9464")

    /// Being looked at under other names: `send`.
    static let pageHost = Option(
        "page-host", .values("NAME", ValueReader.serverName), .watching,
        "A further name under which --page and --metrics answer requests",
        detail:
            "Without it they answer requests to an address, to localhost and to the machine's host "
            + "name, so that no page of another site can read them by a name of its own (DNS "
            + "rebinding). Behind a proxy, or where Prometheus knows the job by the name of a "
            + "service, give that name.",
        example: "jobs.example.org")

    /// Being steered from there: `send`.
    static let pageControl = Option(
        "page-control", .flag, .watching,
        "Let the page pause, resume, slow down and stop the job",
        detail:
            "Only on a loopback address, and only for the link that standard error shows: it has "
            + "a key that is made anew for each job and is written nowhere else.",
        needs: ["page"])

    /// The requests to a job: `control`.
    enum Control {
        static let json = Option(
            "json", .flag, .output, "Answer status and watch in JSON, for scripts")
    }

    /// The list of jobs: `jobs`.
    enum Jobs {
        static let json = Option("json", .flag, .output, "List them as JSON, for scripts")
    }
}
