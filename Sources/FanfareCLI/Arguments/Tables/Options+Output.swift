import Fanfare
import FanfareBase
import FanfareCore

extension Options {
    /// The options for output files: `send`, `check`.
    static let outputOptions: [any AnyOption] = outputOptions(report: report)

    /// The same with a report that has something else in its help.
    static func outputOptions(report: any AnyOption) -> [any AnyOption] {
        [
            report, reportSplit, overwrite, ordered, carry, reportToken, summary, strict, quiet,
            details,
            progress,
        ]
    }

    /// The options for the log, which operators read: `send`.
    static let logOptions: [any AnyOption] = [log, logLevel, logFrames]

    /// Carrying on with an unfinished job: `send`.
    static let resumeOptions: [any AnyOption] = [resume, durability]

    /// The options for files beside the report: `send`.
    static let besideReport: [any AnyOption] = [html, unregistered, retryRows]

    /// The suffixes of reports' names.
    private static let reports = [".csv", ".ndjson"].flatMap { [$0, "\($0).gz", "\($0).zst"] }

    static let report = Option(
        "report", short: "o", .value(.output), .report,
        "Where each row's outcome goes, as .csv, .ndjson or .sqlite; - is standard output",
        detail: "With .gz or .zst behind .csv or .ndjson the file is compressed, as are those "
            + "beside it. A database (.sqlite, .sqlite3, .db) is made at the end, of a log beside "
            + "it.",
        default: "fanfare-report.csv", example: "outcomes.ndjson",
        endings: reports + [".sqlite", ".sqlite3", ".db"],
        brief: "Outcome of each row: .csv, .ndjson or .sqlite", common: true)
    static let reportSplit = Option(
        "report-split", .value("SIZE", ValueReader.size), .report,
        "Let the report go on in another file when it is this long",
        detail: "report.csv, then report-2.csv, report-3.csv and so on: each with its own "
            + "header and whole lines, and a file in its own right if compressed. "
            + "\(Limits.reportSplitBytesMin / 1000)KB at least.",
        default: "one file", example: "1GB")
    static let overwrite = Option(
        "overwrite", .negatableFlag, .report,
        "Replace a report, and files beside it, that are already there",
        brief: "Replace a report that is already there", common: true)
    static let ordered = Option(
        "ordered", .negatableFlag, .report,
        "Put the lines of the report in the order of the rows, at the end",
        detail: "Takes as much room on the disk once more, and no more memory than without.")
    static let carry = Option(
        "carry", .value(.list, or: []), .report, "Columns of the input to copy into the report",
        example: "name,segment")
    static let reportToken = Option(
        "report-token", .value(.choice(ReportToken.self), or: .full), .report,
        "How much of a token the report shows", default: "full", example: "prefix")
    static let summary = Option(
        "summary", .value(.output), .report, "Where the totals go, as JSON; - is standard output",
        example: "summary.json", brief: "Where the totals go, as JSON")
    static let strict = Option(
        "strict", .negatableFlag, .safety, "End with code 1 unless every row was accepted")
    static let progress = Option(
        "progress", .value(.choice(ProgressChoice.self), or: .auto), .watching,
        "What standard error shows meanwhile",
        detail: "A live line on a terminal (bar), a line every 10 seconds (plain), or, for "
            + "programs, an object of JSON on a line every second (json).",
        default: "auto", example: "plain")
    static let quiet = Option(
        "quiet", short: "q", .flag, .watching, "Say only what went wrong",
        detail: "No progress, and no table at the end unless the job was stopped.",
        excludes: ["progress"], common: true)
    static let details = Option(
        "verbose", short: "v", .negatableFlag, .watching,
        "Tell at the end what the engine did, too",
        detail: "Requests, retries, connections, latencies, and what limited the job.",
        excludes: ["quiet"], common: true)
    static let verbose = Option(
        "verbose", short: "v", .negatableFlag, .watching,
        "Show each request and its answer on standard error, and what the answer means",
        detail: "Header fields, payload, body and times; of provider tokens nothing, and of device "
            + "tokens the first eight digits.", brief: "Show each request and its answer",
        common: true)
    static let log = Option(
        "log", .value(.output), .watching,
        "A file to append events to, as JSON objects on lines; - is standard output",
        detail: "Connections, GOAWAY, stream limits, provider tokens, throttling, pauses, "
            + "stops: never a device token, a payload or a secret.",
        example: "fanfare.log")
    static let logLevel = Option(
        "log-level", .value(.choice(LogOptions.Level.self)), .watching,
        "Which events the log is for",
        default: "info", example: "debug", needs: ["log"])
    static let logFrames = Option(
        "log-frames", .value(.count(1...Limits.logDialsMax)), .watching,
        "Log the headers of all HTTP/2 frames of the N-th connection, too",
        detail: "Type, flags, stream and length, and never their content.", example: "1",
        needs: ["log"])
    static let resume = Option(
        "resume", .negatableFlag, .report, "Carry on with the unfinished job of the report",
        detail: "Rows with an outcome stay as they are, rows that were never sent are sent. "
            + "Inputs, payload and headers must be those of then. Without an earlier run the "
            + "job begins.",
        excludes: ["overwrite"], common: true)
    static let durability = Option(
        "durability", .value(.choice(Durability.self)), .report,
        "What report and checkpoint survive: the end of the process, or loss of power too",
        default: "process", example: "full")

    /// The page: `send`, `report`.
    static let html = Option(
        "html", .value(.output), .report, "Where a page about the job goes; - is standard output",
        detail: "One file that needs no network: totals, plots over time, the latencies.",
        example: "job.html", brief: "Where a page about the job goes")
    static let unregistered = Option(
        "unregistered", .value(.file), .report,
        "Where the dead tokens go, with the time since when, as .csv or .ndjson",
        detail: "A token that your app has registered after that time is alive again.",
        example: "delete.csv", endings: reports, brief: "Where the dead tokens go, to be deleted",
        common: true)
    static let retryRows = Option(
        "retry-rows", .value(.file), .report,
        "Where the rows go that ended throttled, failed or unknown, as they were read",
        detail: "Under the header of the input, so that send takes them with the same options. "
            + "All inputs must have the same format and columns then.",
        example: "again.csv", brief: "Where rows go that are worth sending again", common: true)
}

extension ParsedArguments {
    /// The progress that standard error shows while the command runs.
    var progress: ProgressChoice { self[Options.quiet] ? .none : self[Options.progress] }
}

/// The progress that standard error shows while a job runs.
enum ProgressChoice: String, CaseIterable {
    case auto, bar, plain, json, none
}

extension Limits {
    /// The highest number of a connection whose frames may be asked for: no user looks for a later
    /// one.
    static let logDialsMax = 1_000_000
}
