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
    /// Words by which rows name their providers, besides those that all jobs know (`ios`, `android`, …).
    ///
    /// Letters of ASCII may be of either case.
    public var providerWords: [String: Provider] = [:]
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

/// The formats in which rows are read.
public enum RowFormat: String, Sendable, CaseIterable {
    /// Comma-separated values (RFC 4180), or with another delimiter.
    case csv
    /// A JSON object on each line.
    case ndjson
}

/// Which row of several a token belongs to.
public enum Deduplication: String, Sendable, CaseIterable {
    /// The one that comes first.
    case first
    /// The one that comes last; the inputs are read twice.
    case last
}
