import FanfareBase
package import FanfareCore
import FanfarePostgres

/// The words by which the engine's tables say what values are.
extension ClusterVerdict {
    init(text: String) throws(ClusterRow.Fault) {
        let words = text.split(separator: " ")
        switch words.first {
        case "ordered": self = .ordered
        case "outcomes": self = .outcomes
        case "inputs_differ":
            guard words.count == 2, let row = UInt64(words[1]), row <= Limits.clusterCountMax
            else { throw ClusterRow.Fault() }
            self = .inputsDiffer(atRow: row)
        case "granted_twice":
            guard words.count == 3, let first = UInt64(words[1]), let end = UInt64(words[2]),
                first < end, end <= Limits.clusterCountMax
            else { throw ClusterRow.Fault() }
            self = .grantedTwice(first..<end)
        default: throw ClusterRow.Fault()
        }
    }

    package var text: String {
        switch self {
        case .ordered: "ordered"
        case .outcomes: "outcomes"
        case .inputsDiffer(let row): "inputs_differ \(row)"
        case .grantedTwice(let rows): "granted_twice \(rows.lowerBound) \(rows.upperBound)"
        }
    }
}

/// Values as SQL.
enum ClusterSQL {
    /// Begins a transaction that locks a job over a round trip: three statements.
    ///
    /// A process that is stopped there, or whose network is gone, holds the others up for some seconds at most. No statement
    /// has a time-out: a commit must not be canceled while it waits for a standby.
    static let beginHolding =
        "BEGIN ISOLATION LEVEL READ COMMITTED; "
        + "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '5s';"

    /// Has a transaction be on the disk before its commit is acknowledged, and on that of a synchronous standby, also if the
    /// database or the user is set to less.
    ///
    /// An administrator may have asked for more, and gets it.
    ///
    /// It returns a row, or none.
    static let promise =
        "SELECT set_config('synchronous_commit', 'on', true) "
        + "WHERE current_setting('synchronous_commit') <> 'remote_apply'; "

    static func text(_ text: String?) -> String {
        text.map { PostgresConnection.literal($0) } ?? "NULL"
    }

    static func bits(_ bits: UInt64) -> String { "(\(Int64(bitPattern: bits)))::bigint" }

    static func count(_ count: UInt64) -> String { "\(Int64(clamping: count))" }

    static func counts(_ counts: [UInt64]) -> String {
        "'{" + counts.map { count($0) }.joined(separator: ",") + "}'"
    }

    static func worker(_ worker: WorkerID?) -> String {
        worker.map { "'\($0.text)'" } ?? "NULL"
    }

    static func rows(_ rows: RowIntervals?) -> String {
        rows.map { "'\($0.multirange)'" } ?? "NULL"
    }

    static func flag(_ isOn: Bool) -> String { isOn ? "true" : "false" }

    // MARK: Columns

    /// Returns a list of what is said of columns.
    ///
    /// Each transaction makes some ten lists, so none makes a text of each column on the way.
    static func list(
        _ columns: ClusterWriting.Columns, separator: String = ", ",
        of say: (inout String, ClusterWriting.Columns.Element) -> Void
    ) -> String {
        var text = ""
        text.reserveCapacity(32 * columns.count)
        for column in columns {
            if !text.isEmpty { text += separator }
            say(&text, column)
        }
        return text
    }

    /// Gives columns their values.
    static func assignments(_ columns: ClusterWriting.Columns) -> String {
        list(columns, of: equation)
    }

    /// True of records whose columns have these values; it goes on from another condition.
    static func conditions(_ columns: ClusterWriting.Columns) -> String {
        columns.isEmpty ? "" : " AND " + list(columns, separator: " AND ", of: equation)
    }

    private static func equation(_ text: inout String, _ column: ClusterWriting.Columns.Element) {
        text += column.name
        text += " = "
        text += column.value
    }
}
