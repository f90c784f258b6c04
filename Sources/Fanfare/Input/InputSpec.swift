import FanfareBase
import FanfareCore

/// The settings for reading inputs, and the columns to read of their rows.
struct InputSpec {
    var options = RowOptions()
    /// The columns to read of a row.
    var schema = RowSchema()
    /// The required columns, each with the setting that requires it.
    var required: [(column: String, by: Statement)] = []
    /// True to look for columns under other usual names.
    var findsOtherNames = false
    /// True to look for the column of each row's provider, which has several usual names.
    var findsProvider = false
    /// True to read the columns that no option has named.
    var wantsAllColumns = false
    /// True if it is a list of tokens.
    ///
    /// CSV may then have one token a line, without a header, and no option sets the meaning of its
    /// quotes.
    var isTokenList = false
    /// The blanks and brackets to take tokens out of; `nil` for none.
    var cleaning: TokenCleaning?
    /// True if the rows of all inputs have to fit into one file again.
    var wantsOneShape = false
    /// The most bytes to read of each input, before decompression.
    var bytesMax = Int.max
    /// The bytes of the first input that an earlier run of the job has seen.
    var headBytes: Int?

    /// Returns true if an input may be a JSON array: neither a setting nor its name says that it is CSV.
    func mayBeArray(_ input: RowInput) -> Bool {
        if let format = options.format { return format == .ndjson }
        guard case .file(let path) = input else { return true }
        return RowFormat(ofPath: path) != .csv
    }
}
