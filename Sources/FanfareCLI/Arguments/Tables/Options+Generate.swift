extension Options {
    /// Rows for tests and benchmarks: `generate`.
    static let generate: [OptionSpec] = [
        OptionSpec(
            "count", .required(placeholder: "N", .count(0...1_000_000_000_000)), .generated,
            "Number of rows; k is a thousand, m a million", default: "1000", example: "10k"),
        OptionSpec(
            "seed", .required(placeholder: "N", .count(0...Int.max)), .generated,
            "The same seed gives the same rows, on every machine", default: "1", example: "7"),
        OptionSpec(
            "format", .choice("csv", "ndjson"), .generated, "Format of the rows",
            default: "by the name of --output, else csv", example: "ndjson"),
        OptionSpec(
            "output", .required(placeholder: "FILE", .file), .output,
            "Where the rows go; - is standard output", default: "-", example: "rows.csv",
            endings: [".csv", ".ndjson"]),
        OptionSpec(
            "overwrite", .negatableFlag, .output,
            "Replace what is in the file of --output already", needs: ["output"]),
    ]
}
