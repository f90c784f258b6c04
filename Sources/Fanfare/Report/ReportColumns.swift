import FanfareCore

/// The columns of a report that is read back, under the names that reports have now.
///
/// In reports of earlier versions `message_id` is `apns_id`, and there is no `provider`.
struct ReportColumns {
    /// The columns that every report had then.
    private static let earlier = [
        "row", "id", "token", "outcome", "status", "reason", "apns_id", "attempts", "latency_ms",
        "unregistered_at", "sent_at",
    ]

    /// All columns, the report's own first.
    let names: [String]
    /// The number of the report's own columns in the file, without carried ones.
    let ownCount: Int
    private let isEarlier: Bool

    /// - Parameter found: The columns as they stand in the file.
    init(_ found: [String]) {
        isEarlier = found.starts(with: Self.earlier)
        let own = isEarlier ? Self.earlier : ReportFormat.columns
        names = isEarlier ? ReportFormat.columns + found.dropFirst(own.count) : found
        ownCount = own.count
    }

    /// True if a whole report has these columns, and not only an extract.
    var areWhole: Bool { names.starts(with: ReportFormat.columns) }

    /// Returns a column's name in the file.
    func nameInFile(of column: String) -> String {
        isEarlier && column == "message_id" ? "apns_id" : column
    }
}
