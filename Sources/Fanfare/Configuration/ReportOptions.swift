/// The settings of a job's report.
public struct ReportOptions: Sendable, Equatable {
    /// The path that stands for no report.
    public static let noFile = ""

    /// The report's path; `-` is standard output, ``noFile`` is none.
    ///
    /// The name sets the format: `.csv` or `.ndjson`, compressed with `.gz` or `.zst` behind it.
    public var path = "fanfare-report.csv"
    /// The bytes at which the report continues in another file; `nil` for one file.
    ///
    /// After `report.csv` come `report-2.csv` and `report-3.csv`. Each has its own header, and is
    /// whole.
    public var splitBytes: Int?
    /// The path of the list of tokens to delete; `nil` for none.
    ///
    /// The name sets the format, as with the report.
    public var unregisteredPath: String?
    /// The path of the rows whose outcome was `throttled`, `failed` or `unknown`; `nil` for none.
    ///
    /// The rows stand there as in the input. All inputs must have the same format and the same
    /// header then.
    public var retryRowsPath: String?
    /// True to carry on with the unfinished job whose report is at `path`.
    ///
    /// Without a report and a checkpoint, a new job begins.
    public var resumes = false
    /// The durability of the report and the checkpoint.
    public var durability = Durability.process
    /// True if an existing report, or file beside it, may be replaced.
    public var overwrites = false
    /// The input columns that are copied to the report.
    public var carriedColumns: [String] = []
    /// True if the lines stand in the order of the rows once all are there.
    ///
    /// Until then they stand in the report in the order of completion. A report that is no regular
    /// file receives all lines at the end.
    public var isOrdered = false
    /// The part of each token that the report shows.
    public var token = ReportToken.full
    /// True to keep the course of the job for `JobResult.html`: up to 720 KiB for each lane.
    public var keepsSeries = false
    /// True if a consumer in this process takes outcomes, with or without a file.
    var areOutcomesWanted = false
    /// True if each outcome is handed over as soon as it is known, and not with others.
    var isPrompt = false

    /// The defaults of the specification.
    public init() {}

    /// True if rows' outcomes go to a file or a consumer, and are not only counted.
    var hasRecords: Bool {
        path != Self.noFile || unregisteredPath != nil || retryRowsPath != nil || areOutcomesWanted
    }
}

/// The part of a token that the report shows.
public enum ReportToken: String, Sendable, CaseIterable {
    /// The whole token.
    case full
    /// The token's first eight characters, and an ellipsis.
    case prefix
    /// The first 16 bytes of the SHA-256 of the token's text, in hexadecimal.
    case hash
}

/// The events after which a job can be resumed.
public enum Durability: String, Sendable, CaseIterable {
    /// The end of the process, however it came; after a restart of the machine only if the job had
    /// come to an orderly stop.
    case process
    /// Loss of power too: every block of the report waits for the disk.
    case full
}
