import FanfareBase
import FanfareCore

extension Options {
    /// How hard to work: `send`.
    static let engine: [OptionSpec] = [
        OptionSpec(
            "connections", .required(placeholder: "N", .count(1...Limits.connectionsMax)), .engine,
            "Connections to the provider, over all lanes",
            detail: "By default each lane begins with one, and opens more while stream limits or "
                + "flow-control windows hold it: up to \(Limits.connectionsChosenMax) in all.",
            default: "as many as are of use", example: "4", common: true),
        OptionSpec(
            "streams", .required(placeholder: "N", .count(1...Limits.streamsMax)), .engine,
            "Requests in flight on one connection, at most",
            default: "as many as the provider allows", example: "500"),
        OptionSpec(
            "adaptive", .negatableFlag, .engine,
            "Have as many requests in flight as the provider answers well; the default",
            detail: "More while it does, fewer when it refuses (429, 503) or its latency rises. "
                + "--no-adaptive has as many as connections and streams allow."),
        lanes,
        OptionSpec(
            "max-attempts", .required(placeholder: "N", .count(1...Limits.attemptsMax)), .engine,
            "Attempts for a row whose answer may change", default: "5", example: "3"),
        OptionSpec(
            "delivery", .choice("at-most-once", "at-least-once"), .engine,
            "What becomes of a row that may have got through, or not",
            detail: "at-most-once reports it as unknown. at-least-once sends it again, with the "
                + "same apns-id: the device may show it twice.",
            default: "at-most-once", example: "at-least-once"),
        OptionSpec(
            "until", .required(placeholder: "TIME", .moment), .engine,
            "When the last attempt may start; rows not started by then are skipped",
            detail: "A time such as 2026-12-01T09:00:00Z, UNIX seconds, or a length of time from "
                + "now, such as +2h.",
            default: "no such time", example: "+2h", common: true),
        timeout,
        OptionSpec(
            "connect-timeout", .required(placeholder: "DURATION", .duration(allowsZero: false)),
            .engine, "How long setting up a connection may take", default: "10s", example: "5s"),
        OptionSpec(
            "give-up-after", .required(placeholder: "DURATION", .duration(allowsZero: false)),
            .engine, "How long the provider may answer nothing before the job stops",
            detail:
                "Meanwhile it is tried with one request at a time. Before its first answer it has a "
                + "minute at most. What is left can be sent later, with --resume.",
            default: "15m", example: "1h"),
    ]

    /// What outcomes are not put up with: `send`.
    static let guards: [OptionSpec] = [
        OptionSpec(
            "stop-if", .repeated(placeholder: "BOUNDS", .thresholds), .engine,
            "Stop when more rows than this have an outcome; none switches it off",
            detail: "A share is watched over the first 1,000 outcomes, a number of rows all the "
                + "time. What is left can be sent later.",
            default: "suspect>50%,unknown>50%", example: "suspect>50%,failed>1000"),
        OptionSpec(
            "fail-if", .repeated(placeholder: "BOUNDS", .thresholds), .engine,
            "End with code 5 when more rows than this had an outcome",
            default: "none", example: "unregistered>5%"),
    ]

    /// The threads that work: `send`, `check`.
    static let lanes = OptionSpec(
        "lanes", .required(placeholder: "N", .count(1...Limits.lanesMax)), .engine,
        "Threads that work on rows", default: "one less than cores, at least 1",
        example: "2")

    /// The patience for an answer: `send`, `push`.
    static let timeout = OptionSpec(
        "timeout", .required(placeholder: "DURATION", .duration(allowsZero: false)), .engine,
        "How long one attempt may wait for its answer", default: "30s", example: "10s")

    static let verbose = OptionSpec(
        "verbose", short: "v", .negatableFlag, .output,
        "Show each request and its answer on standard error, and what the answer means",
        detail: "Header fields, payload, body and times; of provider tokens nothing, and of device "
            + "tokens the first eight digits.",
        common: true)

    /// What the names of reports end in.
    private static let reports = [".csv", ".ndjson"].flatMap { [$0, "\($0).gz", "\($0).zst"] }

    /// What is written: `send`, `check`.
    static let output: [OptionSpec] = [
        OptionSpec(
            "report", .required(placeholder: "FILE", .file), .output,
            "Where each row's outcome goes, as .csv, .ndjson or .sqlite; - is standard output",
            detail: "With .gz or .zst behind .csv or .ndjson the file is compressed, as are those "
                + "beside it. A database (.sqlite, .sqlite3, .db) is made at the end, of a log beside "
                + "it.",
            default: "fanfare-report.csv", example: "outcomes.ndjson",
            endings: reports + [".sqlite", ".sqlite3", ".db"],
            common: true),
        OptionSpec(
            "report-split", .required(placeholder: "SIZE", .size), .output,
            "Let the report go on in another file when it is this long",
            detail: "report.csv, then report-2.csv, report-3.csv and so on: each with its own "
                + "header and whole lines, and a file in its own right if compressed. "
                + "\(Limits.reportSplitBytesMin / 1000)KB at least.",
            default: "one file", example: "1GB"),
        OptionSpec(
            "overwrite", .negatableFlag, .output,
            "Replace a report, and files beside it, that are already there", common: true),
        OptionSpec(
            "ordered", .negatableFlag, .output,
            "Put the lines of the report in the order of the rows, at the end",
            detail: "Takes as much room on the disk once more, and no more memory than without."),
        OptionSpec(
            "carry", .required(placeholder: "LIST", .list), .output,
            "Columns of the input to copy into the report", example: "name,segment"),
        OptionSpec(
            "report-token", .choice("full", "prefix", "hash"), .output,
            "How much of a token the report shows", default: "full", example: "prefix"),
        OptionSpec(
            "summary", .required(placeholder: "FILE", .file), .output,
            "Where the totals go, as JSON; - is standard output", example: "summary.json",
            common: true),
        OptionSpec(
            "strict", .negatableFlag, .output, "End with code 1 unless every row was accepted"),
        OptionSpec(
            "progress", .choice("auto", "bar", "plain", "json", "none"), .output,
            "What standard error shows meanwhile",
            detail: "A live line on a terminal (bar), a line every 10 seconds (plain), or, for "
                + "programs, an object of JSON on a line every second (json).",
            default: "auto", example: "plain"),
    ]

    /// What is written for those who run jobs: `send`.
    static let log: [OptionSpec] = [
        OptionSpec(
            "log", .required(placeholder: "FILE", .file), .output,
            "A file to append events to, as JSON objects on lines; - is standard output",
            detail: "Connections, GOAWAY, stream limits, provider tokens, throttling, pauses, "
                + "stops: never a device token, a payload or a secret.",
            example: "fanfare.log"),
        OptionSpec(
            "log-level", .choice("error", "warning", "info", "debug"), .output,
            "Which events the log is for", default: "info", example: "debug", needs: ["log"]),
        OptionSpec(
            "log-frames", .required(placeholder: "N", .count(1...Limits.logDialsMax)), .output,
            "Log the headers of all HTTP/2 frames of the N-th connection, too",
            detail: "Type, flags, stream and length, and never what is in them.",
            example: "1", needs: ["log"]),
    ]

    /// Carrying on with an unfinished job: `send`.
    static let resuming: [OptionSpec] = [
        OptionSpec(
            "resume", .negatableFlag, .output,
            "Carry on with the unfinished job of the report",
            detail: "Rows with an outcome stay as they are, rows that were never sent are sent. "
                + "Inputs, payload and headers must be those of then. Without an earlier run the "
                + "job begins.",
            excludes: ["overwrite"], common: true),
        OptionSpec(
            "durability", .choice("process", "full"), .output,
            "What report and checkpoint survive: the end of the process, or loss of power too",
            default: "process", example: "full"),
    ]

    /// What is written beside the report: `send`.
    static let besideReport: [OptionSpec] = [
        html,
        OptionSpec(
            "unregistered", .required(placeholder: "FILE", .file), .output,
            "Where the dead tokens go, with the time since when, as .csv or .ndjson",
            detail: "A token that your app has registered after that time is alive again.",
            example: "delete.csv", endings: reports, common: true),
        OptionSpec(
            "retry-rows", .required(placeholder: "FILE", .file), .output,
            "Where the rows go that ended throttled, failed or unknown, as they were read",
            detail: "Under the header of the input, so that send takes them with the same options. "
                + "All inputs must have the same format and columns then.",
            example: "again.csv", common: true),
    ]
}

extension Limits {
    /// The highest number of a connection whose frames may be asked for: no user looks for a later
    /// one.
    static let logDialsMax = 1_000_000
}
