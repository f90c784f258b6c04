/// The treatment of the first input as a seed list.
///
/// A person looks at the outcomes of its rows before all others are sent.
public struct SeedOptions: Sendable {
    /// The time that the other rows wait for a person to end the job, if none is asked.
    public var wait = Duration.zero
    /// True if they are sent although a row of the list was not accepted, if no person is asked.
    public var continuesAfterFailures = false
    /// Called with the result of the list.
    public var show: (@Sendable (SeedResult) -> Void)?
    /// Asks a person whether to go on; `nil` to ask none.
    ///
    /// The job calls it once, on a thread that may wait. The second argument returns true if the
    /// job is being stopped, so that the answer does not matter any more.
    public var confirm: (@Sendable (SeedResult, _ isStopping: () -> Bool) -> Bool)?

    /// Creates options that ask no person and go on at once if all rows of the list were accepted.
    public init() {}
}

/// The outcomes of a seed list's rows.
public struct SeedResult: Sendable, Equatable {
    /// One row of it.
    public struct Row: Sendable, Equatable {
        /// Its number.
        public var number: UInt64
        /// The part of its token that any reader may see.
        public var token: String
        /// The name of its outcome.
        public var outcome: String
        /// Status and reason, as far as there are any, shortened and without control characters.
        public var reason: String
    }

    /// The list's name in messages.
    public var name: String
    /// The rows that it has.
    public var rowCount: UInt64
    /// The number of rows that were accepted.
    public internal(set) var acceptedCount: UInt64 = 0
    /// Some rows, in their order: those that were not accepted, and if there is room the others.
    public internal(set) var rows: [Row] = []

    /// True if every row was accepted.
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
