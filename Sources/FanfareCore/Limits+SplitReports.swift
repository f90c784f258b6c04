/// The bounds of reports that are split by their size.
extension Limits {
    /// The shortest part of a report: a block of lines (64 KiB), its last line and a header fit.
    package static let reportSplitBytesMin = 100_000

    /// The parts of a report: each costs a name and a look when a job is carried on.
    package static let reportPartsMax = 100_000
}
