import Fanfare

/// The commands of the tool, in the order of its help.
package enum Commands {
    package static let all = [
        send, check, push, jobs, control, cluster, bench, simulate, provider, report, generate,
        explain, completions, man,
    ]

    package static let send = CommandSpec(
        "send", "Send one notification for each row, and report each row's outcome",
        usage: ["[OPTIONS] [ROWS...]"], positional: rows,
        options: Options.rowOptions + Options.sampleOptions + Options.seedOptions
            + Options.payloadOptions
            + Options.headerOptions + Options.providerOptions + Options.Declared.settings
            + Options.paceOptions
            + [
                Options.control, Options.metrics, Options.metricsFile, Options.page,
                Options.pageHost, Options.pageControl,
            ]
            + Options.hoursOptions + [Options.outsideWindow]
            + Options.engineOptions + Options.guardOptions + Options.outputOptions
            + Options.nameOptions + Options.logOptions + Options.endingOptions
            + Options.clusterOptions
            + Options.resumeOptions + Options.besideReport + [Options.help],
        examples: [
            ExampleSpec(
                "Try it out, without an account or a network",
                "send", "rows.csv", "--provider", "simulator", "--title", "Hi {{name|there}}"),
            ExampleSpec(
                "Send to an app's devices",
                "send", "rows.csv", "--payload", "payload.json", "--topic", "com.example.app",
                "--key", "AuthKey_ABC123DEFG.p8", "--team-id", "DEF123GHIJ"),
        ],
        run: SendCommand.run)

    package static let check = CommandSpec(
        "check", "Do all that send does up to the network, and report it the same way",
        usage: ["[OPTIONS] [ROWS...]"], positional: rows,
        options: Options.rowOptions + Options.payloadOptions + Options.headerOptions
            + Options.planOptions + Options.Declared.settings + Options.checkedCredentials
            + Options.onlineOptions + [
                Options.lanes, Options.sample, Options.sampleSeed, Options.checkHTML,
            ]
            + Options.hoursOptions + [Options.outsideWindow, Options.until]
            + Options.outputOptions(report: Options.report.with { $0.defaultText = "none" })
            + Options.nameOptions
            + [Options.help],
        examples: [
            ExampleSpec(
                "Find the rows that cannot be sent",
                "check", "rows.csv", "--payload", "payload.json", "--report", "check.csv"),
            ExampleSpec(
                "Find the tokens that are dead at FCM, without a message",
                "check", "rows.csv", "--online", "--service-account", "firebase.json",
                "--unregistered", "dead.csv"),
        ],
        run: CheckCommand.run)

    package static let push = CommandSpec(
        "push", "Send one notification to a few tokens, by hand",
        usage: ["[OPTIONS] TOKEN..."],
        positional: PositionalSpec(
            "TOKEN...", noun: "a token", countMin: 1, candidates: .none,
            "Device tokens, in hexadecimal"),
        options: Options.pushPayloadOptions + Options.headerOptions(topic: "the certificate's")
            + Options.providerOptions + [Options.Declared.pushRow] + Options.Declared.settings
            + [Options.timeout, Options.verbose, Options.help],
        examples: [
            ExampleSpec(
                "See request and answer, without an account or a network",
                "push", "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",
                "--alert", "Hi", "--provider", "simulator", "--verbose"),
            ExampleSpec(
                "Send to one device of the sandbox",
                "push", "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",
                "--alert", "Hi", "--topic", "com.example.app", "--environment", "sandbox",
                "--certificate", "push.p12"),
        ],
        run: PushCommand.run)

    package static let jobs = CommandSpec(
        "jobs", "List the jobs of this user that run, and those that can be carried on",
        usage: ["[--json]"],
        options: [Options.Jobs.json, Options.help],
        examples: [ExampleSpec("What runs here, and how far it is", "jobs")],
        run: JobsCommand.run)

    package static let control = CommandSpec(
        "control", "Ask a running job how far it is, pause it, or change its rate",
        usage: [
            "[JOB] status|watch [--json]", "JOB rate [PROVIDER=]N/UNIT|unlimited",
            "JOB pause|resume|stop",
        ],
        positional: PositionalSpec(
            "JOB REQUEST...", noun: "a job's name or its socket's path", countMin: 1,
            "The job's name or id in fanfare jobs, or its --control; and the request"),
        options: [Options.Control.json, Options.help],
        examples: [
            ExampleSpec("See where the one job stands that runs", "control", "status"),
            ExampleSpec("Slow a job down", "control", "Black Friday", "rate", "500/s"),
            ExampleSpec("Pause the job at a socket", "control", "job.sock", "pause"),
        ],
        run: ControlCommand.run)

    package static let cluster = CommandSpec(
        "cluster", "Set up, watch and steer a job that several machines share",
        usage: [
            "init SERVER [--print]", "list SERVER [--json]", "status SERVER --job NAME [--json]",
            "pause|stop SERVER --job NAME", "resume SERVER --job NAME [--new-settings]",
            "rate SERVER N/UNIT --job NAME", "write-off SERVER WORKER --job NAME",
            "remove SERVER --job NAME [--unfinished] [--free-name]",
        ],
        positional: PositionalSpec(
            "ACTION SERVER...", noun: "an action", countMin: 1, candidates: .none,
            "What to do, and the PostgreSQL server, as in send --cluster"),
        options: [
            Options.Cluster.job, Options.Cluster.json, Options.Cluster.newSettings,
            Options.Cluster.unfinished, Options.Cluster.freeName,
            Options.Cluster.print, Options.help,
        ],
        examples: [
            ExampleSpec(
                "Make the tables, once", "cluster", "init", "postgresql://db.example/push"),
            ExampleSpec(
                "See what the workers do", "cluster", "status", "postgresql://db.example/push",
                "--job", "july"),
        ],
        run: ClusterCommand.run)

    package static let bench = CommandSpec(
        "bench", "Test a service under load: throughput, latencies, errors",
        usage: ["[OPTIONS] URL", "[OPTIONS] --provider simulator"],
        positional: PositionalSpec(
            "[URL]", noun: "a server", countMin: 0, candidates: .none, isServer: true,
            "The server to test: https://host:port for notifications, with a path for requests of it"
        ),
        options: Options.Bench.all + [Options.help],
        examples: [
            ExampleSpec(
                "What the simulator answers with 200 requests in flight",
                "bench", "--provider", "simulator", "--in-flight", "200", "--duration", "5s"),
            ExampleSpec(
                "Latencies of a gateway at 5,000 notifications a second",
                "bench", "https://127.0.0.1:8443", "--ca-file", "ca.pem", "--rate", "5000",
                "--duration", "30s", "--warm-up", "5s", "--summary", "bench.json"),
            ExampleSpec(
                "Any HTTP/2 server", "bench", "https://127.0.0.1:8443/index.html", "--insecure",
                "-n", "100k"),
        ],
        run: BenchCommand.run)

    package static let simulate = CommandSpec(
        "simulate", "Run the provider simulator as a server", usage: ["[OPTIONS]"],
        options: Options.Simulate.all + [Options.help],
        examples: [
            ExampleSpec(
                "A server to send to, with --endpoint https://127.0.0.1:8443 --ca-file ca.pem",
                "simulate", "--write-ca", "ca.pem", "--latency", "lognormal:p50=40ms,p99=250ms")
        ],
        run: SimulateCommand.run)

    package static let provider = CommandSpec(
        "provider", "List, show, check and try out providers that files describe",
        usage: ["list", "show NAME", "check FILE...", "try NAME|FILE --row JSON [OPTIONS]"],
        positional: PositionalSpec(
            "ACTION [NAME...]", noun: "list, show, check or try", countMin: 1,
            candidates: .words(
                ProviderCommand.Subcommand.allCases.map(\.rawValue)
                    + ShippedProvider.all.map(\.name)),
            "What is done, and with which provider: a file, or the name of one that comes with "
                + "fanfare"),
        options: Options.Declared.all + [Options.help],
        examples: [
            ExampleSpec("Which there are", "provider", "list"),
            ExampleSpec("Begin one of your own with another one", "provider", "show", "ntfy"),
            ExampleSpec(
                "See the request that a row becomes", "provider", "try", "ntfy", "--row",
                #"{"token":"doors","title":"Doors open","body":"at eight"}"#),
        ],
        run: ProviderCommand.run)

    package static let report = CommandSpec(
        "report", "Read reports back: totals, single lines, what has changed",
        usage: ["[OPTIONS] FILE...", "--compare [OPTIONS] FILE FILE"],
        positional: PositionalSpec(
            "FILE...", noun: "a report", countMin: 1,
            "Reports of one job, also compressed or databases; - is standard input"),
        options: Options.Report.all + [Options.help],
        examples: [
            ExampleSpec("What became of the rows", "report", "fanfare-report.csv"),
            ExampleSpec(
                "The dead tokens, as a list to delete", "report", "fanfare-report.csv", "--select",
                "outcome=unregistered", "--fields", "token,unregistered_at"),
            ExampleSpec(
                "What has changed since last week", "report", "--compare", "last-week.csv",
                "fanfare-report.csv", "--match", "token"),
        ],
        run: ReportCommand.run)

    package static let generate = CommandSpec(
        "generate", "Write rows for tests and benchmarks, the same for the same seed",
        usage: ["[OPTIONS]"], options: Options.Generate.all + [Options.help],
        examples: [
            ExampleSpec(
                "A million rows", "generate", "--count", "1m", "--seed", "7", "--output",
                "rows.csv"),
            ExampleSpec(
                "As many for Android as for iPhones", "generate", "--mix", "apns=50,fcm=50",
                "--output", "everyone.csv"),
        ],
        run: GenerateCommand.run)

    package static let explain = CommandSpec(
        "explain", "Say what a status, reason or outcome means, and what to do",
        usage: ["[WORD...]"],
        positional: PositionalSpec(
            "[WORD...]", noun: "a reason", countMin: 0, candidates: .words(explainable),
            "As in the report; none lists them all"),
        options: [Options.help],
        examples: [
            ExampleSpec("What an answer means", "explain", "BadDeviceToken"),
            ExampleSpec("All reasons that come with a status", "explain", "403"),
        ],
        run: ExplainCommand.run)

    /// The words that a shell may offer: the names of a single word.
    private static let explainable = Explanation.words
        .filter { !$0.contains(" ") && $0.first?.isNumber == false }

    package static let completions = CommandSpec(
        "completions", "Print a script that makes a shell complete command lines",
        usage: ["bash|zsh|fish"],
        positional: PositionalSpec(
            "SHELL", noun: "a shell", countMin: 1,
            candidates: .words(Shell.allCases.map(\.rawValue)), "bash, zsh or fish"),
        options: [Options.help],
        examples: [
            ExampleSpec(
                "For bash, put it into ~/.local/share/bash-completion/completions/fanfare",
                "completions", "bash"),
            ExampleSpec(
                "For zsh, put it into a folder of $fpath, as _fanfare", "completions", "zsh"),
            ExampleSpec(
                "For fish, put it into ~/.config/fish/completions/fanfare.fish",
                "completions", "fish"),
        ],
        run: CompletionsCommand.run)

    package static let man = CommandSpec(
        "man", "Print the manual page, fanfare(1)", usage: ["[OPTIONS]"], options: [Options.help],
        examples: [ExampleSpec("To read it, put '| man -l -' behind it", "man")],
        run: ManCommand.run)

    private static let rows = PositionalSpec(
        "[ROWS...]", noun: "a file of rows", countMin: 0, candidates: .rows,
        "Files of rows, read in this order; - or none is standard input")
}
