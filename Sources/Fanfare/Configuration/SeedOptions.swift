/// That the first input is a seed list: rows whose outcomes a person looks at before all others are
/// sent.
public struct SeedOptions: Sendable {
    /// How long the other rows wait for a person to end the job, where none is asked.
    public var wait = Duration.zero
    /// Whether they are sent though a row of the list was not accepted, where no person is asked.
    public var continuesAfterFailures = false
    /// Told what became of the list.
    public var show: (@Sendable (SeedResult) -> Void)?
    /// Asked whether to go on; `nil` to ask no person.
    ///
    /// Called once, on a thread that may wait. The second argument says whether the answer is wanted
    /// no more, because the job is being stopped.
    public var confirm: (@Sendable (SeedResult, _ isStopping: () -> Bool) -> Bool)?

    /// No person is asked, and the rows go on at once if all of the list were accepted.
    public init() {}
}

/// What became of the rows of a seed list.
public struct SeedResult: Sendable, Equatable {
    /// One row of it.
    public struct Row: Sendable, Equatable {
        /// Its number.
        public var number: UInt64
        /// As much of its token as may be shown to anybody.
        public var token: String
        /// The name of its outcome.
        public var outcome: String
        /// Status and reason, as far as there are any, shortened and without control characters.
        public var reason: String
    }

    /// What messages call the list.
    public var name: String
    /// The rows that it has.
    public var rowCount: UInt64
    /// Those that were accepted.
    public internal(set) var acceptedCount: UInt64 = 0
    /// Some rows, in their order: those that were not accepted, and if there is room the others.
    public internal(set) var rows: [Row] = []

    /// Whether every row was accepted.
    public var isAccepted: Bool { acceptedCount == rowCount }

    /// The result as a table for people.
    public var table: String {
        var lines = ["Seed list \(name): \(acceptedCount) of \(rowCount) accepted", ""]
        let columns =
            [["row", "token", "outcome", "reason"]]
            + rows.map {
                ["\($0.number)", $0.token, $0.outcome, $0.reason]
            }
        let widths = (0..<4).map { column in columns.map { $0[column].count }.max() ?? 0 }
        for cells in columns {
            var line = " "
            for (cell, width) in zip(cells, widths) {
                line += " " + cell + String(repeating: " ", count: width - cell.count + 1)
            }
            while line.last == " " { line.removeLast() }
            lines.append(line)
        }
        let more = Int(rowCount) - rows.count
        if more > 0 { lines.append("  and \(more) more") }
        return lines.joined(separator: "\n") + "\n"
    }
}
