import FanfareCore
import FanfareSQLite

/// A selection made ready for a database.
struct SQLiteQuery {
    let statement: SQLiteStatement
    /// What people should know of the order of its rows.
    private(set) var notices: [String] = []

    init(_ selection: SQLiteSelection, in database: SQLiteDatabase) throws(SQLiteError) {
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
                let select = "SELECT * FROM \(Self.quoted(name))"
                // Views have no row ids, though SQLite may pretend so; nor have some tables.
                if try !Self.isView(name, in: database),
                    let ordered = try? SQLiteStatement(select + " ORDER BY rowid", in: database)
                {
                    statement = ordered
                } else {
                    statement = try SQLiteStatement(select, in: database)
                    notices.append(Self.withoutOrder)
                }
            }
        } catch {
            guard error.kind == .statement else { throw error }
            throw SQLiteError(
                .statement,
                selection.name + ": " + error.message + Self.advice(error.message, database))
        }
    }

    private static func isView(
        _ name: String, in database: SQLiteDatabase
    ) throws(SQLiteError) -> Bool {
        let text =
            "'"
            + name.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "''") + "'"
        return try SQLiteStatement(
            "SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = \(text) COLLATE NOCASE",
            in: database
        ).step()
    }

    private static func quoted(_ name: String) -> String {
        "\""
            + name.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\"\"") + "\""
    }

    private static let withoutOrder =
        "the rows have no ORDER BY, so they are numbered in the order that SQLite happens to read "
        + "them in"

    static func changing(_ word: String) -> String {
        "the query has \(word), so it may give other rows later: this job cannot be resumed"
    }

    /// What there is, for whoever has asked for something else.
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
            ? "; it has no tables" : "; its tables: \(RowSource.list(names))"
    }
}

extension SQLiteSelection {
    /// The option that it comes from.
    var name: String {
        switch self {
        case .table: "--table"
        case .query: "--query"
        }
    }

    /// The first word whose value is another one at another time.
    var changing: String? {
        guard case .query(let text) = self else { return nil }
        return SQLiteText(text).changing
    }
}
