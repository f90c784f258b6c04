import Fanfare
import FanfareBase
import FanfareCore

extension Options {
    /// The options for reading reports: `report`.
    enum Report {
        static let all: [any AnyOption] = [
            json, html, by, of, lost, rows, map, noHeader, columns, delimiter, quotes, compare,
            match, changed, select, fields, ordered,
            output,
            outputFormat,
            spreadsheet, overwrite,
        ]

        static let json = Option(
            "json", .negatableFlag, .output, "Write the totals as JSON, not as a table")
        static let compare = Option(
            "compare", .negatableFlag, .comparison,
            "Say what became better or worse from the first report to the second",
            excludes: ["select", "fields", "output", "html", "ordered"],
            brief: "What is better or worse in the second report")
        static let by = Option(
            "by", .value(.identifier("COLUMN")), .output,
            "Count the outcomes by the values of a column",
            detail:
                "Any column of the report: variant, provider, or one that --carry has copied. The "
                + "shares of accepted rows are compared with the largest group's by a two-proportion "
                + "test.",
            example: "variant",
            excludes: [
                "compare", "select", "fields", "output", "output-format", "ordered",
                "spreadsheet",
            ])
        static let of = Option(
            "of", .value("SERVER/JOB", ValueReader.clusterJob), .output,
            "Compare the reports of several machines with the job on their server",
            detail:
                "Each row of the job must have a line. If one has none, Fanfare names the workers whose reports "
                + "should have it, and ends with exit code 4.",
            example: "postgresql://db.example/push/july",
            excludes: [
                "compare", "select", "fields", "output-format", "ordered", "spreadsheet",
            ], brief: "Compare workers' reports with their job")
        static let lost = Option(
            "lost",
            .value(
                ValueReader.label(
                    "WORKER", bytesMax: Limits.clusterNameMax + Limits.workerNumberBytesMax)),
            .output,
            "Write lines for the rows of a worker whose report is lost",
            detail:
                "They are those of which it had told the server that its report has a line, as far as the reports that you "
                + "name have none. Their lines say unknown and report lost, and go to the file that --output names.",
            example: "web3", needs: ["of", "output"], excludes: ["json", "html", "by"],
            brief: "Write lines for a lost report's rows")
        static let rows = Option(
            "rows", .values(.file), .output,
            "The rows of the job, from which the lines of --lost take their tokens",
            detail: "The same files in the same order as in send.",
            example: "rows.csv", endings: [], needs: ["lost"],
            brief: "The job's rows, for tokens of --lost")
        static let map = ofRows(
            Options.map, "As in send, for the files of --rows. Lines have the columns token and id."
        )
        static let noHeader = ofRows(
            Options.noHeader,
            "As in send, for the files of --rows. Then --columns names the fields.")
        /// A wish for columns of lines is told of `--fields` before other needs, by the command.
        static let columns = ofRows(
            Options.columns,
            "As in send, for the files of --rows, with --no-header. To choose columns of reports there is --fields.",
            needs: [], brief: "Names of the fields of CSV without a header")
        static let delimiter = ofRows(
            Options.delimiter, "As in send, for the files of --rows.")
        static let quotes = ofRows(Options.quotes, "As in send, for the files of --rows.")

        /// An option of `send` for reading rows, where these are the files of `--rows`.
        private static func ofRows<Value>(
            _ option: Option<Value>, _ detail: String, needs: [String]? = nil,
            brief: String? = nil
        ) -> Option<Value> {
            option.with {
                $0.group = .output
                $0.detail = detail
                $0.brief = brief
                $0.needs = needs ?? ["rows"] + $0.needs
                // The format goes by the file's name or its first bytes.
                $0.excludes = []
                $0.isCommon = false
            }
        }

        static let match = Option(
            "match", .value(.choice(ReportKey.self), or: .row), .comparison,
            "What tells which rows are the same one",
            detail: "Row numbers take a byte for each row, the others up to 32.", default: "row",
            example: "token", needs: ["compare"])
        static let changed = Option(
            "changed", .value(.count(0...Limits.comparedListedMax), or: 20), .comparison,
            "How many rows to list whose outcome changed", default: "20", example: "100",
            needs: ["compare"])
        static let select = Option(
            "select", .values("WHAT", ValueReader.filter), .selection,
            "Write the lines whose columns have these values",
            detail: "Such as outcome=failed,unknown or reason!=Unregistered. Commas are "
                + "alternatives, and a line has to fit every --select. * stands for any text, and "
                + "a value in double quotes is taken as it stands.",
            example: "outcome=failed,unknown")
        static let fields = Option(
            "fields", .value(.list), .selection, "Write these columns, in this order",
            default: "all of them", example: "token,unregistered_at")
        static let ordered = Option(
            "ordered", .negatableFlag, .selection, "Write the lines in the order of their rows",
            detail: "Reads the reports twice, so it needs files.")
        static let output = Option(
            "output", short: "o", .value(.output, or: "-"), .selection,
            "Where lines go; - is standard output",
            detail: "With .gz or .zst behind the name the file is compressed. .sqlite, .sqlite3 or "
                + ".db makes a database, with the lines in a table outcomes.",
            default: "-", example: "dead.csv")
        static let outputFormat = Option(
            "output-format", .value(.choice(RowFormat.self)), .selection, "Format of the lines",
            default: "by the name of --output, else csv", example: "ndjson", excludes: ["compare"])
        static let spreadsheet = Option(
            "spreadsheet", .negatableFlag, .selection,
            "Write CSV in which a spreadsheet finds no formulas",
            detail:
                "Fields that begin with = + - @, a tab or a line end get an apostrophe before it; so "
                + "do = + - @ in a field behind a semicolon, a tab or a line end.",
            excludes: ["compare"], brief: "Write CSV in which a spreadsheet finds no formulas")
        static let overwrite = Option(
            "overwrite", .negatableFlag, .selection,
            "Replace the file of --output if it exists", needs: ["output"])
    }
}

extension Limits {
    /// The rows that a comparison lists at most.
    static let comparedListedMax = 10_000

    /// The number of a worker behind its name: # and ten digits.
    static let workerNumberBytesMax = 11
}
