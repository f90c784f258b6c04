import FanfareBase
import FanfareCore
import FanfareSQLite

/// A selection made ready for a database.
struct SQLiteQuery {
    private(set) var statement: SQLiteStatement
    private let database: SQLiteDatabase
    /// The source of a table's columns, and their order; `nil` for a query.
    private var tail: String?
    private var selected = "SELECT * "
    /// True if it can skip rows: those of a view, which may sort or group, would have to be
    /// computed anew.
    private(set) var canSkip = false
    /// Notices for people about the order of its rows.
    private(set) var notices: [String] = []

    init(_ selection: SQLiteSelection, in database: SQLiteDatabase) throws(SQLiteError) {
        self.database = database
        do throws(SQLiteError) {
            switch selection {
            case .query(let text):
                statement = try SQLiteStatement(text, in: database)
                guard statement.isQuery else {
                    throw SQLiteError(
                        .statement,
                        "it gives no rows, or changes something: only SELECT can be read")
                }
                let text = SQLiteText(text)
                if !text.hasOrder { notices.append(Self.withoutOrder) }
                if let word = text.changing { notices.append(Self.changing(word)) }
            case .table(let name):
                let (all, table) = ("SELECT * ", "FROM \(Self.quoted(name))")
                let ordered = table + " ORDER BY rowid"
                // Views have no row ids, though SQLite may pretend so; nor have some tables.
                canSkip = try !Self.isView(name, in: database)
                if canSkip,
                    let statement = try? SQLiteStatement(all + ordered, in: database)
                {
                    (self.statement, tail) = (statement, ordered)
                } else {
                    statement = try SQLiteStatement(all + table, in: database)
                    tail = table
                    notices.append(Self.withoutOrder)
                }
            }
        } catch {
            guard error.kind == .statement else { throw error }
            throw SQLiteError(
                .statement,
                error.message + Self.advice(error.message, database))
        }
    }

    /// True if it is a table or a view, of which columns can be left out.
    var isTable: Bool { tail != nil }

    /// Leaves out columns that are not wanted, so that SQLite need not read them.
    mutating func select(_ columns: [String]) throws(SQLiteError) {
        guard let tail, !columns.isEmpty else { return }
        let names = columns.map(Self.quoted).joined(separator: ", ")
        selected = "SELECT \(names) "
        statement = try SQLiteStatement(selected + tail, in: database)
    }

    /// Begins again behind some rows of a table, which are not looked at.
    /// - Returns: False if there are no others.
    mutating func skip(rows: Int) throws(SQLiteError) -> Bool {
        guard let tail, canSkip else { return false }
        let rest = try SQLiteStatement(
            "SELECT 1 " + tail + " LIMIT 1 OFFSET \(rows)", in: database)
        guard try rest.step() else { return false }
        statement = try SQLiteStatement(
            selected + tail + " LIMIT -1 OFFSET \(rows)", in: database)
        return true
    }

    private static func isView(
        _ name: String, in database: SQLiteDatabase
    ) throws(SQLiteError) -> Bool {
        try SQLiteStatement(
            "SELECT 1 FROM sqlite_schema WHERE type = 'view' "
                + "AND name = \(name.quoted(doubling: "'")) COLLATE NOCASE",
            in: database
        ).step()
    }

    /// Returns a name as SQL has it, with any characters.
    static func quoted(_ name: String) -> String { name.quoted(doubling: "\"") }

    private static let withoutOrder =
        "the rows have no ORDER BY, so they are numbered in the order that SQLite happens to read "
        + "them in"

    static func changing(_ word: String) -> String {
        "the query has \(word), so it may give other rows later: this job cannot be resumed"
    }

    /// Returns the tables that there are, for a user who has asked for another one.
    private static func advice(_ message: String, _ database: SQLiteDatabase) -> String {
        guard message.hasPrefix("no such table"),
            let tables = try? SQLiteStatement(
                "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') "
                    + "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name LIMIT 20",
                in: database)
        else { return "" }
        var names: [String] = []
        while (try? tables.step()) == true {
            guard case .text(let name) = tables.value(0) else { continue }
            names.append(unsafe String(decoding: name, as: UTF8.self))
        }
        return names.isEmpty
            ? "; it has no tables" : "; its tables: \(InputHead.list(names))"
    }
}

extension SQLiteSelection {
    /// The first word whose value is another one at another time.
    var changing: String? {
        guard case .query(let text) = self else { return nil }
        return SQLiteText(text).changing
    }
}
