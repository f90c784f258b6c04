/// The settings for reading inputs.
public struct RowOptions: Sendable, Equatable {
    /// The format; `nil` to detect it from the name, else from the first bytes.
    public var format: RowFormat?
    /// The encoding of the text; `nil` for UTF-8, or UTF-16 with a byte order mark.
    public var encoding: RowEncoding?
    /// The byte between CSV fields; `nil` to detect it in the header.
    public var delimiter: UInt8?
    /// The meaning of a quote at the beginning of a CSV field.
    public var quotes = RowQuotes.checked
    /// True if the first CSV row names the columns.
    public var hasHeader = true
    /// The names of the CSV columns when there is no header.
    public var columns: [String] = []
    /// The input's names of columns, by our names: `["token": "device_token"]`.
    public var mapping: [String: String] = [:]
    /// Words by which rows name their providers, besides those that all jobs know (`ios`, `android`, …).
    ///
    /// Case does not matter for letters of ASCII.
    public var providerWords: [String: Provider] = [:]
    /// The row to send of several with the same token; `nil` for all of them.
    ///
    /// The others are `skipped`. `.last` needs inputs that can be read twice, and so does `.first`
    /// beyond some 14 million different tokens.
    public var deduplication: Deduplication?
    /// Lists of tokens that are never sent to: rows with a `token`, or one token a line.
    public var suppressions: [RowInput] = []
    /// The choice of rows that are sent to.
    public var choice = RowChoice()
    /// True if rows are checked before they are sent.
    ///
    /// Switch it off for load tests only.
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

/// The row of several that a token belongs to.
public enum Deduplication: String, Sendable, CaseIterable {
    /// The first one.
    case first
    /// The last one; the inputs are read twice.
    case last
}
