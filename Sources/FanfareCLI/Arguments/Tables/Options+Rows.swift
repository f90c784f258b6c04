import Fanfare
import FanfareBase

extension Options {
    /// The options for reading rows: `send`, `check`.
    static let rowOptions: [any AnyOption] = [
        format, encoding, delimiter, quotes, noHeader, columns, map, route, fromSQLite, query,
        table,
        deduplicate, suppress, seedList, whereRows, limit,
    ]

    /// A share of the rows: `send`, and `check` with a `--sample` of its own.
    static let sampleOptions: [any AnyOption] = [sampleShare, sampleSeed]

    /// The options for the wait after a seed list: `send`.
    static let seedOptions: [any AnyOption] = [seedWait, seedFailures]

    static let format = Option(
        "format", .value(.choice(RowFormat.self)), .rows, "Format of the rows",
        default: "by the file's name, else by its first bytes", example: "ndjson")
    static let encoding = Option(
        "encoding", .value(.encoding), .rows, "Encoding of the rows' text",
        default: "UTF-8, or UTF-16 that begins with a byte order mark", example: "windows-1252")
    static let delimiter = Option(
        "delimiter", .value("CHAR", ValueReader.delimiter), .rows,
        "What separates the fields of CSV",
        detail: "A comma, a semicolon, a vertical bar, the word tab, or any other single byte "
            + "of ASCII.",
        default: "detected among , ; tab |", example: ";", excludes: ["format=ndjson"])
    static let quotes = Option(
        "quotes", .value(.choice(RowQuotes.self), or: .checked), .rows,
        "What a quote at the beginning of a CSV field means",
        detail:
            "It opens a field that may have several lines. checked: where those look like rows, "
            + "or nothing closes the field, it was left open, and nothing behind it is sent. "
            + "trusted: in every case. ignored: quotes are ordinary bytes, and every line is a "
            + "row.",
        default: "checked", example: "ignored", excludes: ["format=ndjson"])
    static let noHeader = Option(
        "no-header", .negatableFlag, .rows, "The first line of CSV is a row, not a header",
        detail: "Then --columns names the fields.", needs: ["columns"], excludes: ["format=ndjson"])
    static let columns = Option(
        "columns", .value(.list, or: []), .rows,
        "Names of the fields of CSV without a header, in their order", example: "token,name,badge",
        needs: ["no-header"])
    static let map = Option(
        "map", .values(.pair("OUR=THEIRS", allowsEmptyValue: false)), .rows,
        "Read our column OUR from the input's column THEIRS",
        detail: "Our columns are token, payload, topic, push_type, priority, expiration, "
            + "collapse_id, apns_id and id, and with several providers provider; all others are values for "
            + "the payload's template.",
        example: "token=device_token", brief: "Columns by other names: token='Device Token'",
        common: true)
    static let fromSQLite = Option(
        "from-sqlite", .value(.file), .rows,
        "Read the rows from a SQLite database, which is not changed",
        detail: "--query or --table says which. Columns go by their names, NULL is a missing "
            + "value, and a BLOB is taken for its bytes in hexadecimal.",
        example: "app.db", endings: [".db", ".sqlite", ".sqlite3"],
        excludes: ["format", "encoding", "delimiter", "quotes", "no-header", "columns"])
    static let query = Option(
        "query", .value(.identifier("SQL")), .rows,
        "One SELECT whose rows are sent to, numbered in its order",
        detail: "Without an ORDER BY the order is SQLite's own choice.",
        example: "SELECT token, name FROM devices ORDER BY id", needs: ["from-sqlite"],
        excludes: ["table"])
    static let table = Option(
        "table", .value(.identifier("NAME")), .rows,
        "A table or view all of whose rows are sent to", example: "devices", needs: ["from-sqlite"])
    static let deduplicate = Option(
        "deduplicate",
        .value(.choice(Deduplication.self, placeholder: "[first|last]"), bare: "first"), .rows,
        "Send to each token once: its first row, or its last one",
        detail: "Alone it means first. The other rows are skipped. last reads the rows twice, "
            + "so it needs files.",
        default: "every row is sent", example: "first", brief: "Send to each token once",
        common: true)
    static let suppress = Option(
        "suppress", .values(.file), .rows, "Never send to the tokens in FILE",
        detail: "Rows with a column token, such as what --unregistered has written, or one "
            + "token a line; also compressed.",
        example: "unregistered.csv", endings: [], common: true)
    static let seedList = Option(
        "seed-list", .value(.file), .safety,
        "Rows that are sent before all others, for a person to look at",
        detail: "They are the first rows of the job. On a terminal send asks then whether to "
            + "go on; elsewhere it does after --seed-wait if all of them were accepted.",
        example: "colleagues.csv", excludes: ["deduplicate=last"],
        brief: "Rows to send first, for you to look at", common: true)
    static let whereRows = Option(
        "where", .values("WHAT", ValueReader.condition), .rows,
        "Send to the rows whose columns have these values",
        detail: "Such as platform=ios, country!=DE,AT, age>=18 or last_seen<2026-01-01. Commas are "
            + "alternatives, and a row has to fit every --where. * stands for any text, and a "
            + "value in double quotes is taken as it stands. It says whom the job is for, so --resume needs "
            + "the same.",
        example: "platform=ios", brief: "Send to the rows with these values: platform=ios",
        common: true)
    static let limit = Option(
        "limit", .value(.count(1...Limits.rowLimitMax)), .rows,
        "Send to the first N rows, of those that --where and --sample choose",
        detail: "Rows that an earlier run has sent count as well. --resume without it, or with a "
            + "larger one, sends the others.",
        default: "all rows", example: "1000", brief: "Send to the first N rows, as a canary",
        common: true)
    static let sampleShare = Option(
        "sample", .value("PERCENT", ValueReader.sample), .rows,
        "Send to a share of the rows, chosen by their tokens",
        detail: "The same ones in every run, and all of a smaller share are in a larger one. "
            + "--resume without it sends the others.",
        default: "all rows", example: "1%")
    static let sampleSeed = Option(
        "sample-seed", .value(.count(0...Int.max), or: 0), .rows,
        "Another number has --sample choose other rows", default: "0", example: "7",
        needs: ["sample"])
    static let seedWait = Option(
        "seed-wait", .value(.duration(allowsZero: true)), .safety,
        "How long to wait behind the seed list, instead of asking",
        detail: "Ctrl-C meanwhile stops the job.", example: "10m", needs: ["seed-list"])
    static let seedFailures = Option(
        "seed-failures", .value(.choice(SeedFailures.self), or: .stop), .safety,
        "What happens after --seed-wait if not all rows of the seed list were accepted",
        default: "stop", example: "continue", needs: ["seed-wait"])
}

extension Limits {
    /// More rows than any list has.
    static let rowLimitMax = 1_000_000_000_000
}

/// The action if some rows of a seed list were not accepted, and no user is asked.
enum SeedFailures: String, CaseIterable {
    case stop, `continue`
}
