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
    /// Whether outcomes are wanted by a consumer in this process, with or without a file.
    var areOutcomesWanted = false

    /// The defaults of the specification.
    public init() {}

    /// Whether anything is made of a row's outcome but a count.
    var hasRecords: Bool {
        path != Self.noFile || unregisteredPath != nil || retryRowsPath != nil || areOutcomesWanted
    }
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
