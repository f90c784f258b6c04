extension Options {
    /// How rows are read: `send`, `check`.
    static let rows: [OptionSpec] = [
        OptionSpec(
            "format", .choice("csv", "ndjson"), .rows, "Format of the rows",
            default: "by the file's name, else by its first bytes", example: "ndjson", common: true),
        OptionSpec(
            "encoding",
            .choice("utf-8", "utf-16", "utf-16le", "utf-16be", "latin-1", "windows-1252"), .rows,
            "Encoding of the rows' text",
            default: "UTF-8, or UTF-16 that begins with a byte order mark",
            example: "windows-1252"),
        OptionSpec(
            "delimiter", .required(placeholder: "CHAR", .delimiter), .rows,
            "What separates the fields of CSV",
            detail: "A comma, a semicolon, a vertical bar, the word tab, or any other single byte "
                + "of ASCII.",
            default: "detected among , ; tab |", example: ";", excludes: ["format=ndjson"]),
        OptionSpec(
            "quotes", .choice("checked", "trusted", "ignored"), .rows,
            "What a quote at the beginning of a CSV field means",
            detail:
                "It opens a field that may have several lines. checked: where those look like rows, "
                + "or nothing closes the field, it was left open, and nothing behind it is sent. "
                + "trusted: in every case. ignored: quotes are ordinary bytes, and every line is a "
                + "row.",
            default: "checked", example: "ignored", excludes: ["format=ndjson"]),
        OptionSpec(
            "no-header", .negatableFlag, .rows, "The first line of CSV is a row, not a header",
            detail: "Then --columns names the fields.", needs: ["columns"],
            excludes: ["format=ndjson"]),
        OptionSpec(
            "columns", .required(placeholder: "LIST", .list), .rows,
            "Names of the fields of CSV without a header, in their order",
            example: "token,name,badge", needs: ["no-header"]),
        OptionSpec(
            "map", .repeated(placeholder: "OUR=THEIRS", .pair(allowsEmptyValue: false)), .rows,
            "Read our column OUR from the input's column THEIRS",
            detail: "Our columns are token, payload, topic, push_type, priority, expiration, "
                + "collapse_id, apns_id and id; all others are values for the payload's template.",
            example: "token=device_token", common: true),
        OptionSpec(
            "from-sqlite", .required(placeholder: "FILE", .file), .rows,
            "Read the rows from a SQLite database, which is not changed",
            detail: "--query or --table says which. Columns go by their names, NULL is a missing "
                + "value, and a BLOB is taken for its bytes in hexadecimal.",
            example: "app.db", endings: [".db", ".sqlite", ".sqlite3"],
            excludes: ["format", "encoding", "delimiter", "quotes", "no-header", "columns"]),
        OptionSpec(
            "query", .required(placeholder: "SQL", .identifier), .rows,
            "One SELECT whose rows are sent to, numbered in its order",
            detail: "Without an ORDER BY the order is SQLite's own choice.",
            example: "SELECT token, name FROM devices ORDER BY id", needs: ["from-sqlite"],
            excludes: ["table"]),
        OptionSpec(
            "table", .required(placeholder: "NAME", .identifier), .rows,
            "A table or view all of whose rows are sent to", example: "devices",
            needs: ["from-sqlite"]),
        OptionSpec(
            "deduplicate",
            .optional(
                placeholder: "[first|last]", .choice(["first", "last"]), bare: "first"), .rows,
            "Send to each token once: its first row, or its last one",
            detail: "Alone it means first. The other rows are skipped. last reads the rows twice, "
                + "so it needs files.",
            default: "every row is sent", example: "first", common: true),
        OptionSpec(
            "suppress", .repeated(placeholder: "FILE", .file), .rows,
            "Never send to the tokens in FILE",
            detail: "Rows with a column token, such as what --unregistered has written, or one "
                + "token a line; also compressed.",
            example: "unregistered.csv", endings: []),
        OptionSpec(
            "seed-list", .required(placeholder: "FILE", .file), .rows,
            "Rows that are sent before all others, for a person to look at",
            detail: "They are the first rows of the job. On a terminal send asks then whether to "
                + "go on; elsewhere it does after --seed-wait if all of them were accepted.",
            example: "colleagues.csv", excludes: ["deduplicate=last"]),
    ]

    /// What happens behind a seed list: `send`.
    static let seeds: [OptionSpec] = [
        OptionSpec(
            "seed-wait", .required(placeholder: "DURATION", .duration(allowsZero: true)), .rows,
            "How long to wait behind the seed list, instead of asking",
            detail: "Ctrl-C meanwhile stops the job.", example: "10m", needs: ["seed-list"]),
        OptionSpec(
            "seed-failures", .choice("stop", "continue"), .rows,
            "What happens after --seed-wait if not all rows of the seed list were accepted",
            default: "stop", example: "continue", needs: ["seed-wait"]),
    ]
}
