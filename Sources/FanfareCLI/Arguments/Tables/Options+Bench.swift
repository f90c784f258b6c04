import FanfareBase
import FanfareCore

extension Options {
    /// Load tests: `bench`.
    static let bench: [OptionSpec] =
        load + request + benchPayload + benchProvider
        + [benchConnections]
        + engine.filter { ["streams", "connect-timeout"].contains($0.name) }
        + [lanes, benchTimeout] + result

    private static let benchConnections = OptionSpec(
        "connections", .required(placeholder: "N", .count(1...Limits.connectionsMax)), .engine,
        "Connections to the service, over all lanes", default: "4", example: "16")

    /// When requests start, and for how long.
    private static let load: [OptionSpec] = [
        OptionSpec(
            "in-flight",
            .required(
                placeholder: "N", .count(1...Limits.connectionsMax * Limits.streamsMax)), .load,
            "Closed loop: keep so many requests in flight, over all connections",
            default: "100", example: "1000", excludes: ["rate"]),
        OptionSpec(
            "rate", .required(placeholder: "N/UNIT", .rateRange), .load,
            "Open loop: start so many requests, without waiting for those before",
            detail: "Such as 5000/s. With 1k..20k/s it rises in a line, or in --steps. Requests "
                + "count from when they were due, also if the server holds them up.",
            example: "5000/s"),
        OptionSpec(
            "steps", .required(placeholder: "N", .count(2...Limits.loadStepsMax)), .load,
            "Go from the first rate to the last in so many steps, each of --duration",
            default: "one line", example: "10", needs: ["rate"], excludes: ["count"]),
        OptionSpec(
            "duration", .required(placeholder: "DURATION", .duration(allowsZero: false)), .load,
            "How long to measure, each step by itself", default: "10s", example: "30s",
            excludes: ["count"]),
        OptionSpec(
            "warm-up", .required(placeholder: "DURATION", .duration(allowsZero: true)), .load,
            "How long to go on before measuring, each step by itself",
            default: "1s, none with --count", example: "5s", excludes: ["count"]),
        OptionSpec(
            "count", .required(placeholder: "N", .count(1...1_000_000_000_000)), .load,
            "Measure so many requests, however long they take", example: "100k"),
        OptionSpec(
            "find-knee", .negatableFlag, .load,
            "Look for the highest rate that keeps --p99 and --errors",
            detail: "Beginning with --rate, it doubles until it is too much, and then halves the "
                + "gap. Each rate is measured for --duration.",
            excludes: ["in-flight", "steps", "count"]),
        OptionSpec(
            "p99", .required(placeholder: "DURATION", .duration(allowsZero: false)), .load,
            "The 99th percentile of the response times that a rate must keep",
            default: "250ms", example: "250ms", needs: ["find-knee"]),
        OptionSpec(
            "errors", .required(placeholder: "PERCENT", .percent), .load,
            "The errors that a rate may have: answers of 400 and above, or none",
            default: "1%", example: "1%", needs: ["find-knee"]),
        OptionSpec(
            "precision", .required(placeholder: "PERCENT", .percent), .load,
            "How narrow the gap has to become", default: "2%", example: "2%",
            needs: ["find-knee"]),
    ]

    /// What is sent to services that are no push providers.
    private static let request: [OptionSpec] = [
        OptionSpec(
            "method", .required(placeholder: "METHOD", .identifier), .request,
            "Method of HTTP", default: "GET, or POST with a body", example: "PUT",
            excludes: notification),
        OptionSpec(
            "path", .required(placeholder: "PATH", .identifier), .request,
            "Path of the request, with its query", default: "/", example: "/index.html",
            excludes: notification),
        OptionSpec(
            "header", .repeated(placeholder: "FIELD", .headerField), .request,
            "Header field, as NAME: VALUE, or @FILE with one on each line",
            detail: "A secret is better kept in a file: command lines can be seen by others.",
            example: "accept: text/html", excludes: notification),
        OptionSpec(
            "body", .required(placeholder: "TEXT", .text), .request,
            "Body of the request", example: "{}", excludes: notification + ["body-file"]),
        OptionSpec(
            "body-file", .required(placeholder: "FILE", .file), .request,
            "File with the body of the request; - is standard input", example: "body.bin",
            excludes: notification),
    ]

    /// What only a notification has.
    private static let notification = benchPayload.map(\.name) + ["key"]

    /// Without the options that build a payload: `--body` is another thing here.
    private static let benchPayload: [OptionSpec] =
        [
            OptionSpec(
                "payload", .required(placeholder: "FILE", .file), .payload,
                "File with the payload, a template in JSON",
                detail: "Its placeholders may be token, name, segment, badge and id: the columns "
                    + "of 'fanfare generate'.",
                default: "a short greeting", example: "payload.json", excludes: ["payload-json"]),
            OptionSpec(
                "payload-json", .required(placeholder: "JSON", .jsonObject), .payload,
                "The same on the command line", example: #"{"aps":{"alert":"Hi {{name}}"}}"#),
        ] + payload(fromRows: true).filter { $0.name == "no-validate" }
        + headers(topic: "com.example.app, or the certificate's")

    /// Where it goes: never to a provider that was not named.
    private static let benchProvider: [OptionSpec] =
        [
            OptionSpec(
                "provider", .choice("simulator"), .provider,
                "Test the simulator, inside this process",
                detail: "It shares the machine's cores with the test.", example: "simulator",
                common: true)
        ]
        + provider.filter { !["provider", "environment", "port"].contains($0.name) }
        .map { ["endpoint", "ca-file", "insecure"].contains($0.name) ? $0.common : $0 }

    private static let benchTimeout = OptionSpec(
        "timeout", .required(placeholder: "DURATION", .duration(allowsZero: false)), .engine,
        "How long a request may wait for its answer", default: "10s", example: "2s")

    /// What comes out.
    private static let result: [OptionSpec] =
        [
            OptionSpec(
                "json", .required(placeholder: "FILE", .file), .output,
                "Where the result goes, as JSON; - is standard output", example: "bench.json"),
            OptionSpec(
                "html", .required(placeholder: "FILE", .file), .output,
                "Where the result goes as a page with plots, which needs no network",
                example: "bench.html"),
            OptionSpec(
                "baseline", .required(placeholder: "FILE", .file), .output,
                "Compare with this earlier result, and end with code 5 if it was better",
                detail: "Answers a second, response times, CPU time for a request, and errors. "
                    + "Both must have the same settings.",
                example: "last-night.json"),
            OptionSpec(
                "max-regression", .required(placeholder: "PERCENT", .percent), .output,
                "How much worse than the baseline a figure may be", default: "5%",
                example: "5%", needs: ["baseline"]),
        ] + output.filter { $0.name == "progress" }
}
