import FanfareBase
import FanfareCore

/// How inputs are read, and what is wanted of their rows.
struct InputSpec {
    var options = RowOptions()
    /// What is wanted of a row.
    var schema = RowSchema()
    /// Columns that must be there, and what wants them.
    var required: [(column: String, by: Statement)] = []
    /// Whether columns are looked for under names that others give them.
    var findsOtherNames = false
    /// Whether the column is looked for that names each row's provider, which has several usual names.
    var findsProvider = false
    /// Whether the columns are wanted that no option has named.
    var wantsAllColumns = false
    /// Whether it is a list of tokens: CSV may be one a line, without a header, and no option says what
    /// quotes mean in it.
    var isTokenList = false
    /// Whether the rows of all inputs are to go into one file again.
    var wantsOneShape = false
    /// How much of each input is read, before it is decompressed.
    var bytesMax = Int.max
    /// How much of the first input an earlier run of the job has seen.
    var headBytes: Int?
}
