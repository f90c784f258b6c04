import Fanfare

extension Options {
    /// Rows for tests and benchmarks: `generate`.
    enum Generate {
        static let all: [any AnyOption] = [count, seed, mix, format, output, overwrite]

        static let count = Option(
            "count", short: "n", .value(.count(0...1_000_000_000_000), or: 1000), .generated,
            "Number of rows; k is a thousand, m a million", default: "1000", example: "10k")
        static let seed = Option(
            "seed", .value(.count(0...Int.max), or: 1), .generated,
            "The same seed gives the same rows, on every machine", default: "1", example: "7",
            brief: "The same seed gives the same rows anywhere")
        static let mix = Option(
            "mix", .value("PROVIDER=N,...", ValueReader.mix), .generated,
            "Write a column provider, and tokens of each",
            detail: "Of apns and fcm; N is a part against the others, and may be left out where "
                + "there are none.",
            default: "tokens for APNs, no such column", example: "apns=50,fcm=50")
        static let format = Option(
            "format", .value(.choice(RowFormat.self)), .generated, "Format of the rows",
            default: "by the name of --output, else csv", example: "ndjson")
        static let output = Option(
            "output", short: "o", .value(.output, or: "-"), .output,
            "Where the rows go; - is standard output",
            default: "-", example: "rows.csv", endings: [".csv", ".ndjson"])
        static let overwrite = Option(
            "overwrite", .negatableFlag, .output,
            "Replace the file of --output if it exists",
            needs: ["output"])
    }
}
