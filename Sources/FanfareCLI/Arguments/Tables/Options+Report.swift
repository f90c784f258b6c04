extension Options {
    /// What is made of reports: `report`.
    static let report: [OptionSpec] = [
        OptionSpec(
            "json", .negatableFlag, .output, "Write the totals as JSON, not as a table")
    ]
}
