import FanfareBase

/// The bounds of reading reports.
extension Limits {
    /// The buckets of a time series: more than a screen has room for.
    ///
    /// A bucket has 1.2 KiB, so a series has 720 KiB at most.
    package static let seriesBuckets = 600

    /// The length of a time series' buckets at first: a tenth of a second, as of a lane's progress.
    ///
    /// An hour ends with buckets of 6.4 s: 36,000 tenths are 563 times 64.
    package static let seriesMilliseconds: Int64 = 100

    /// The columns of a report of which all are read: 4,096 lines of them take 32 MiB.
    package static let allColumnsMax = 1000

    /// Pages of rows of the table that two reports are compared by.
    ///
    /// A page has 65,536 rows of a byte each: 512 MiB in all, and 536 million rows.
    package static let comparedPages = 8192

    /// The keys by which two reports are compared, where it is not by row.
    ///
    /// A key takes 16 bytes in a table that is half to a quarter full, and while it grows a half
    /// more: 768 MiB in all. Two of so many keys have the same 64 bits with a probability of 10⁻⁵.
    package static let comparedKeys = 16 * 1024 * 1024
}
