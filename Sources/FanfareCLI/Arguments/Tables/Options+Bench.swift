import Fanfare
import FanfareBase
import FanfareCore

extension Options {
    /// Load tests: `bench`.
    enum Bench {
        static let all: [any AnyOption] =
            load + request + notification + service + result + nameOptions
            + endingOptions

        private static let load: [any AnyOption] = [
            inFlight, rate, steps, duration, warmUp, count, findKnee, p99, errors, precision,
        ]
        private static let request: [any AnyOption] = [method, path, header, body, bodyFile]
        private static let service: [any AnyOption] = [
            provider, key, keyID, teamID, certificate, certificateKey, passphraseFile,
            serviceAccount, accessTokenFile, metadataServer, project, endpoint,
            caFile.common, insecure.common, proxy, proxyCredentialsFile, noProxy,
            simulatorLatency, simulatorScenario, connections, streams, connectTimeout, lanes,
            timeout, http,
        ]
        private static let result: [any AnyOption] = [
            summary, html, out, failIf, baseline, history, historyRuns, maxRegression, quiet,
            progress,
            page, pageHost,
        ]

        /// The options of notifications alone, without those that set single fields: here `--body`
        /// is another option.
        private static let notification: [any AnyOption] =
            [payload, payloadJSON, message, noValidate]
            + headerOptions(topic: "com.example.app, or the certificate's", priority: priority)

        private static let ofNotification = notification.map(\.name) + ["key"]

        /// Being looked at while it runs.
        static let page = Options.page.with { option in
            option.summary = "Address at which a browser shows the test while it runs"
            option.detail =
                "Standard error says where. Any client that reaches it may look. When the test ends "
                + "the page becomes the one of --html."
        }

        static let pageHost = Options.pageHost.with { option in
            option.summary = "A further name under which --page answers requests"
            option.detail =
                "Without it the page answers requests to an address, to localhost and to the "
                + "machine's host name. Behind a proxy, give the name that the proxy has."
            option.needs = ["page"]
        }

        // The start times of requests, and the duration.

        static let inFlight = Option(
            "in-flight", .value(.count(1...Limits.connectionsMax * Limits.streamsMax)), .load,
            "Closed loop: keep so many requests in flight, over all connections", default: "100",
            example: "1000", excludes: ["rate"],
            brief: "Keep so many requests in flight (closed loop)", common: true)
        static let rate = Option(
            "rate", .value("N/UNIT", ValueReader.rateRange), .load,
            "Open loop: start so many requests, without waiting for those before",
            detail:
                "Such as 5000/s, or 5000 for that. With 1k..20k/s it rises in a line, or in --steps. Requests "
                + "count from when they were due, also if the server holds them up.",
            example: "5000/s", brief: "Start so many a second: 5000, 1k..20k (open loop)",
            common: true)
        static let steps = Option(
            "steps", .value(.count(2...Limits.loadStepsMax)), .load,
            "Go from the first rate to the last in so many steps, each of --duration",
            default: "one line", example: "10", needs: ["rate"], excludes: ["count"],
            brief: "Go from the first rate to the last in N steps", common: true)
        static let duration = Option(
            "duration", short: "z", .value(.duration), .load,
            "How long to measure, each step by itself",
            default: "10s", example: "30s", excludes: ["count"], common: true)
        static let warmUp = Option(
            "warm-up", .value(.duration(allowsZero: true)), .load,
            "How long to go on before measuring, each step by itself",
            default: "1s, none with --count", example: "5s", excludes: ["count"],
            brief: "How long to go on before measuring", common: true)
        static let count = Option(
            "count", short: "n", .value(.count(1...1_000_000_000_000)), .load,
            "Measure so many requests, however long they take", example: "100k", common: true)
        static let findKnee = Option(
            "find-knee", .negatableFlag, .load,
            "Look for the highest rate that keeps --p99 and --errors",
            detail: "Beginning with --rate, it doubles until it is too much, and then halves the "
                + "gap. Each rate is measured for --duration.",
            excludes: ["in-flight", "steps", "count"],
            brief: "Look for the highest rate that keeps --p99", common: true)
        static let p99 = Option(
            "p99", .value(.duration), .load,
            "The 99th percentile of the response times that a rate must keep", default: "250ms",
            example: "250ms", needs: ["find-knee"], brief: "99th percentile that a rate must keep",
            common: true)
        static let errors = Option(
            "errors", .value(.percent), .load,
            "The errors that a rate may have: answers of 400 and above, or none", default: "1%",
            example: "1%", needs: ["find-knee"])
        static let precision = Option(
            "precision", .value(.percent), .load, "How narrow the gap has to become", default: "2%",
            example: "2%", needs: ["find-knee"])

        // The requests to services that are no push providers.

        static let method = Option(
            "method", short: "X", .value(.identifier("METHOD")), .request, "Method of HTTP",
            default: "GET, or POST with a body", example: "PUT", excludes: ofNotification,
            common: true)
        static let path = Option(
            "path", .value(.identifier("PATH")), .request, "Path of the request, with its query",
            default: "/", example: "/index.html", excludes: ofNotification)
        static let header = Option(
            "header", short: "H", .values("FIELD", form: .textOrFile, ValueReader.headerField),
            .request,
            "Header field, as NAME: VALUE, or @FILE with one on each line",
            detail: "A secret is better kept in a file: command lines can be seen by others.",
            example: "accept: text/html", excludes: ofNotification,
            brief: "Header field, as NAME: VALUE, or @FILE", common: true)
        static let body = Option(
            "body", short: "d", .value(.requestBody), .request, "Body of the request",
            example: "{}", excludes: ofNotification + ["body-file"], common: true)
        static let bodyFile = Option(
            "body-file", .value(.file), .request,
            "File with the body of the request; - is standard input", example: "body.bin",
            excludes: ofNotification)
        static let payload = Option(
            "payload", .value(.file), .payload, "File with the payload, a template in JSON",
            detail: "Its placeholders may be token, name, segment, badge and id: the columns "
                + "of 'fanfare generate'.",
            default: "a short greeting", example: "payload.json",
            excludes: ["payload-json", "message"], common: true)
        static let payloadJSON = Option(
            "payload-json", .value(.jsonObject), .payload, "The same on the command line",
            example: #"{"aps":{"alert":"Hi {{name}}"}}"#, excludes: ["message"])
        static let message = Options.message.with {
            $0.summary = "File with the message, JSON, in place of a payload"
            $0.detail = "Its keys are title, body, data and others, of docs/messages.md."
        }
        static let priority = Option(
            "priority", .value(.choice("10", "5", "1")), .headers,
            "10 at once, 5 when it costs little power, 1 without ever waking",
            default: "the provider's, 10", example: "5")

        // The destination: never a provider that was not named.

        static let provider = Options.provider.with {
            $0.summary = "Test the simulator, inside this process; or whose requests to send"
            $0.detail =
                "The simulator shares the machine's cores with the test. fcm sends messages of "
                + "FCM to --endpoint, and fcm,simulator to the simulator."
            $0.defaultText = "apns"
            $0.brief = "simulator, or whose requests to send"
        }
        static let connections = Option(
            "connections", short: "c", .value(.count(1...Limits.connectionsMax)), .engine,
            "Connections to the service, over all lanes", default: "4", example: "16", common: true)
        static let timeout = Option(
            "timeout", .value(.duration, or: .seconds(10)), .engine,
            "How long a request may wait for its answer", default: "10s", example: "2s")

        static let http = Option(
            "http", .value(.choice(HTTPVersions.self), or: .http2), .engine,
            "Version of HTTP to speak",
            detail: "With 1.1 a connection has one request in flight, so give as many "
                + "--connections. auto is what the server chooses over TLS, and 1.1 without.",
            default: "2", example: "1.1", excludes: ["provider"])

        // The results.

        static let summary = Option(
            "summary", short: "o", .value(.output), .output,
            "Where the result goes, as JSON; - is standard output", example: "bench.json",
            brief: "Where the result goes, as JSON", common: true)
        static let html = Option(
            "html", .value(.output), .output,
            "Where the result goes as a page with plots, which needs no network",
            example: "bench.html", brief: "Where the result goes, as a page with plots",
            common: true)
        static let out = Option(
            "out", .value(.output), .output,
            "Where each measured request goes, as a line of JSON; - is standard output",
            detail: "For other tools: step, sent_at, wait_ms, service_ms, response_ms, status, and "
                + "failure for a request without an answer.",
            example: "requests.ndjson")
        static let failIf = Option(
            "fail-if", .values("BOUNDS", ValueReader.loadConditions), .output,
            "End with code 5 when a figure is beyond such a bound",
            detail: "The figures are p50, p90, p99, p99.9, p99.99 and max of the response times, "
                + "errors (requests, or a share in %), rate (answers a second, or a share of the "
                + "--rate) and regression, which stands for --max-regression. The signs are < > <= "
                + "and >=.",
            default: "none", example: "p99>250ms,errors>1%",
            brief: "End with code 5 if so: 'p99>250ms,errors>1%'", common: true)
        static let baseline = Option(
            "baseline", .value(.file), .output,
            "Compare with this earlier result, and end with code 5 if it was better",
            detail: "Answers a second, response times, CPU time for a request, and errors. "
                + "Both must have the same settings.",
            example: "last-night.json", brief: "Compare with this earlier result", common: true)
        static let history = Option(
            "history", .value(.file("DIR")), .output,
            "Compare with the runs in this folder, and keep the result there",
            detail:
                "The median of the last runs with the same settings, and their spread, decide what "
                + "is worse; it takes five of them. The folder gets a page about them, index.html.",
            example: "runs", excludes: ["baseline"])
        static let historyRuns = Option(
            "history-runs", .value(.count(5...Limits.historyRunsMax), or: 20), .output,
            "How many earlier runs are compared and shown", default: "20", example: "30",
            needs: ["history"])
        static let maxRegression = Option(
            "max-regression", .value(.percent, or: 0.05), .output,
            "How much worse than before a figure may be, with --baseline or --history",
            default: "5%", example: "5%")
    }
}

extension Limits {
    /// The runs of a history that are read at most: each may have some megabytes.
    static let historyRunsMax = 200
}
