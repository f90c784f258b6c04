import FanfareBase
import FanfareCore

extension Options {
    /// The page: `send`, `report`.
    static let html = OptionSpec(
        "html", .required(placeholder: "FILE", .file), .output,
        "Where a page about the job goes; - is standard output",
        detail: "One file that needs no network: totals, plots over time, the latencies.",
        example: "job.html")

    /// What is made of reports: `report`.
    static let report: [OptionSpec] = [
        OptionSpec(
            "json", .negatableFlag, .output, "Write the totals as JSON, not as a table"),
        html,
        OptionSpec(
            "compare", .negatableFlag, .comparison,
            "Say what became better or worse from the first report to the second",
            excludes: ["select", "columns", "output", "html", "ordered"]),
        OptionSpec(
            "match", .choice("row", "id", "token"), .comparison,
            "What tells which rows are the same one",
            detail: "Row numbers take a byte for each row, the others up to 32.",
            default: "row", example: "token", needs: ["compare"]),
        OptionSpec(
            "changed", .required(placeholder: "N", .count(0...Limits.comparedListedMax)),
            .comparison, "How many rows to list whose outcome changed", default: "20",
            example: "100", needs: ["compare"]),
        OptionSpec(
            "select", .repeated(placeholder: "WHAT", .filter), .selection,
            "Write the lines whose columns have these values",
            detail: "Such as outcome=failed,unknown or reason!=Unregistered. Commas are "
                + "alternatives, and a line has to fit every --select. * stands for any text, and "
                + "a value in double quotes is taken as it stands.",
            example: "outcome=failed,unknown"),
        OptionSpec(
            "columns", .required(placeholder: "LIST", .list), .selection,
            "Write these columns, in this order", default: "all of them",
            example: "token,unregistered_at"),
        OptionSpec(
            "ordered", .negatableFlag, .selection,
            "Write the lines in the order of their rows",
            detail: "Reads the reports twice, so it needs files."),
        OptionSpec(
            "output", .required(placeholder: "FILE", .file), .selection,
            "Where lines go; - is standard output",
            detail: "With .gz or .zst behind the name the file is compressed. .sqlite, .sqlite3 or "
                + ".db makes a database, with the lines in a table outcomes.",
            default: "-", example: "dead.csv"),
        OptionSpec(
            "format", .choice("csv", "ndjson"), .selection, "Format of the lines",
            default: "by the name of --output, else csv", example: "ndjson",
            excludes: ["compare"]),
        OptionSpec(
            "spreadsheet", .negatableFlag, .selection,
            "Write CSV in which a spreadsheet finds no formulas",
            detail: "Fields that begin with = + - @, a tab or a CR get an apostrophe before it.",
            excludes: ["compare"]),
        OptionSpec(
            "overwrite", .negatableFlag, .selection,
            "Replace what is in the file of --output already", needs: ["output"]),
    ]
}

extension Limits {
    /// The rows that a comparison lists at most.
    static let comparedListedMax = 10_000
}
