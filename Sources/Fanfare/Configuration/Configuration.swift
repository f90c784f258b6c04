import FanfareCore

/// Everything a job needs to know, as plain values.
///
/// The defaults are those of the command line; nothing here is read from the environment.
public struct Configuration: Sendable {
    /// Where the rows come from, in order.
    public var inputs: [RowInput] = []
    /// What happens behind the first input, if that is a seed list; `nil` if it is none.
    public var seeds: SeedOptions?
    /// How the inputs are read.
    public var rows = RowOptions()
    /// What is sent to each row.
    public var payload = PayloadSource.column
    /// Whom it is sent to, and as whom.
    public var provider = ProviderOptions()
    /// How much at once.
    public var engine = EngineOptions()
    /// At which hours; `nil` for all.
    public var window: WindowOptions?
    /// What outcomes are not put up with.
    public var guards = GuardOptions()
    /// What is written about it.
    public var report = ReportOptions()
    /// Where events are logged; `nil` for nowhere.
    public var log: LogOptions?

    /// A configuration with all defaults and no inputs.
    public init() {}
}

/// One source of rows.
public enum RowInput: Sendable, Equatable {
    /// The file at a path.
    case file(String)
    /// What is piped in.
    case standardInput
    /// Rows that are in memory already, and what to call them in messages.
    case memory([UInt8], name: String)
    /// Rows of a SQLite database: the file at a path, and which of its rows.
    ///
    /// Columns go by their names. `NULL` is a missing value, a BLOB is its bytes in hexadecimal.
    case sqlite(String, SQLiteSelection)
    /// Rows that a sequence gives, as ``PushJob`` takes them; read once, as a pipe is.
    case sequence(RowSequence)
    /// Rows as `fanfare generate` writes them, as CSV with a header, without an end: for load tests.
    ///
    /// Equal seeds give equal rows.
    case generated(seed: UInt64)

    /// The name to use in messages.
    public var name: String {
        switch self {
        case .file(let path), .sqlite(let path, _): path
        case .standardInput: "standard input"
        case .memory(_, let name): name
        case .generated: "generated rows"
        case .sequence: RowSequence.name
        }
    }

    /// Whether its rows are values, and no text that a user has written.
    var isSequence: Bool {
        if case .sequence = self { true } else { false }
    }
}

/// Which rows of a SQLite database.
public enum SQLiteSelection: Sendable, Equatable {
    /// All rows of a table or view, in the order of their row ids where they have them.
    case table(String)
    /// The rows that a single `SELECT` gives, in its order.
    case query(String)
}

/// The formats in which rows are read.
public enum RowFormat: String, Sendable, CaseIterable {
    /// Comma-separated values (RFC 4180), or with another delimiter.
    case csv
    /// A JSON object on each line.
    case ndjson
}

/// The encodings in which rows are read.
public enum RowEncoding: String, Sendable, CaseIterable {
    /// What most files are.
    case utf8 = "utf-8"
    /// Big endian, unless a byte order mark says otherwise.
    case utf16 = "utf-16"
    /// UTF-16, low byte first.
    case utf16LittleEndian = "utf-16le"
    /// UTF-16, high byte first.
    case utf16BigEndian = "utf-16be"
    /// ISO 8859-1.
    case latin1 = "latin-1"
    /// What older Windows programs call ANSI.
    case windows1252 = "windows-1252"

    var textEncoding: TextEncoding {
        switch self {
        case .utf8: .utf8
        case .utf16: .utf16
        case .utf16LittleEndian: .utf16LittleEndian
        case .utf16BigEndian: .utf16BigEndian
        case .latin1: .latin1
        case .windows1252: .windows1252
        }
    }
}

/// What a quote at the beginning of a CSV field means.
public enum RowQuotes: String, Sendable, CaseIterable {
    /// It opens a quoted field, which may have several lines; but where those look like rows, or go on to
    /// the end of the input, the quote was left open by mistake, and the job stops before them.
    case checked
    /// It opens a quoted field in every case, as RFC 4180 says.
    case trusted
    /// Nothing: it is a byte like others, and a line is a row.
    case ignored

    var meaning: CSVQuotes {
        switch self {
        case .checked: .checked
        case .trusted: .trusted
        case .ignored: .ignored
        }
    }
}

/// How inputs are read.
public struct RowOptions: Sendable, Equatable {
    /// The format, or `nil` to tell it from the name, else from the first bytes.
    public var format: RowFormat?
    /// The encoding of the text, or `nil` for UTF-8, or UTF-16 with a byte order mark.
    public var encoding: RowEncoding?
    /// The byte between CSV fields, or `nil` to detect it in the header.
    public var delimiter: UInt8?
    /// What a quote at the beginning of a CSV field means.
    public var quotes = RowQuotes.checked
    /// Whether the first CSV row names the columns.
    public var hasHeader = true
    /// The names of the CSV columns when there is no header.
    public var columns: [String] = []
    /// From our name of a column to the input's: `["token": "device_token"]`.
    public var mapping: [String: String] = [:]
    /// Which row of several with the same token is sent; `nil` for all of them.
    ///
    /// The others are `skipped`. `.last` needs inputs that can be read twice, and so does `.first`
    /// beyond some 14 million different tokens.
    public var deduplication: Deduplication?
    /// Lists of tokens that are never sent to: rows with a `token`, or one token a line.
    public var suppressions: [RowInput] = []
    /// Whether rows are checked before they are sent.
    ///
    /// Switched off for load tests only.
    public var validates = true

    /// The defaults: everything is detected, rows are checked.
    public init() {}
}

/// Which row of several a token belongs to.
public enum Deduplication: String, Sendable, CaseIterable {
    /// The one that comes first.
    case first
    /// The one that comes last; the inputs are read twice.
    case last
}

/// Where a row's payload comes from when the row has no `payload` of its own.
public enum PayloadSource: Sendable, Equatable {
    /// Nowhere else: every row brings its own.
    case column
    /// A JSON text with `{{placeholders}}`.
    /// - Parameter name: What to call it in messages: a file's path or `--payload-json`.
    case template(json: [UInt8], name: String)

    /// A JSON text with `{{placeholders}}`: `{"aps": {"alert": "Hi {{name|friend}}"}}`.
    public static func template(_ json: String) -> PayloadSource {
        .template(json: Array(json.utf8), name: "the template")
    }
}

/// What becomes of a row that may have reached the provider, or not.
public enum Delivery: String, Sendable, CaseIterable {
    /// It is reported as `unknown`.
    case atMostOnce = "at-most-once"
    /// It is sent again, with the same `apns-id`.
    case atLeastOnce = "at-least-once"
}

/// How much is done at once.
public struct EngineOptions: Sendable, Equatable {
    /// Connections to the provider, over all lanes; `nil` for as many as are of use, 256 at most.
    public var connections: Int?
    /// Our own limit of requests in flight on one connection; `nil` leaves it to the peer's.
    public var streams: Int?
    /// Whether the requests in flight follow what the provider answers well.
    ///
    /// Without it they are as many as connections and streams allow.
    public var isAdaptive = true
    /// Event-loop threads; `nil` for one less than there are cores, at least 1.
    public var lanes: Int?
    /// Attempts started, first ones and retries, over all lanes; `nil` for as many as possible.
    public var rate: SendingRate?
    /// How many starts can be made up for after a delay; `nil` for 20 ms of the rate and one more.
    ///
    /// In any time of T at most burst + rate × T attempts start.
    public var burst: Int?
    /// The time in which the rate rises to its height.
    public var ramp = Duration.zero
    /// Whether `Job.setRate` may give a job without a rate one; costs a lock for 64 requests.
    public var rateMayChange = false
    /// How often a row is tried at most.
    public var attemptsMax = 5
    /// What becomes of a row in doubt.
    public var delivery = Delivery.atMostOnce
    /// Whether a row may be sent again when it is not known what became of it.
    var mayRepeat: Bool { delivery == .atLeastOnce }
    /// When the last attempt may start, in milliseconds of UNIX time; `nil` for no such time.
    ///
    /// Rows that have not been started by then are `skipped`.
    public var untilMilliseconds: Int64?
    /// Retries per first attempt, over the job: those beyond it wait.
    public var retryBudget = 0.2
    /// The time for one attempt, from the request to the end of its answer.
    public var timeout = Duration.seconds(30)
    /// The time for a connection to be set up, TLS included.
    public var connectTimeout = Duration.seconds(10)
    /// How long the provider may answer nothing before the job stops, with its rows left for another run.
    ///
    /// Until its first answer that is a minute at most.
    public var giveUpAfter = Duration.seconds(15 * 60)

    /// The defaults of the specification.
    public init() {}
}

/// How much of a token the report shows.
public enum ReportToken: String, Sendable, CaseIterable {
    /// All of it.
    case full
    /// Its first eight characters, and an ellipsis.
    case prefix
    /// The first 16 bytes of the SHA-256 of its text, in hexadecimal.
    case hash
}

/// What a job can be resumed after.
public enum Durability: String, Sendable, CaseIterable {
    /// The end of the process, however it came; after a restart of the machine only if the job had
    /// come to an orderly stop.
    case process
    /// Loss of power too: every block of the report waits for the disk.
    case full
}

/// What is written about a job.
public struct ReportOptions: Sendable, Equatable {
    /// The path that stands for no report.
    public static let noFile = ""

    /// The report's path; `-` is standard output, ``noFile`` is none.
    ///
    /// The format goes by the name: `.csv` or `.ndjson`, compressed with `.gz` or `.zst` behind it.
    public var path = "fanfare-report.csv"
    /// The bytes at which the report goes on in another file; `nil` for one file.
    ///
    /// Of `report.csv` that is `report-2.csv`, then `report-3.csv`. Each has its own header, and is whole.
    public var splitBytes: Int?
    /// Where the tokens to delete are listed; `nil` for nowhere.
    ///
    /// The format goes by the name, as with the report.
    public var unregisteredPath: String?
    /// Where the rows go whose outcome was `throttled`, `failed` or `unknown`, as they stood in the
    /// input; `nil` for nowhere.
    ///
    /// All inputs must have the same format and the same header then.
    public var retryRowsPath: String?
    /// Whether to carry on with the unfinished job whose report is at `path`.
    ///
    /// When there is neither a report nor a checkpoint, the job begins.
    public var resumes = false
    /// What the report and the checkpoint survive.
    public var durability = Durability.process
    /// Whether an existing report, or file beside it, may be replaced.
    public var overwrites = false
    /// The input columns that are copied to the report.
    public var carriedColumns: [String] = []
    /// Whether the lines stand in the order of the rows once all are there.
    ///
    /// Until then they stand in the report in the order of completion. A report that is no regular file
    /// gets all lines at the end.
    public var isOrdered = false
    /// How much of a token is shown.
    public var token = ReportToken.full
    /// Whether it is kept what happened when, for `JobResult.html`: up to 720 KiB for each lane.
    public var keepsSeries = false
    /// Whether lines are wanted by a consumer in this process, with or without a file.
    var areLinesWanted = false

    /// The defaults of the specification.
    public init() {}
}
