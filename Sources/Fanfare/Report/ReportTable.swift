import FanfareBase
import FanfareCore
import FanfareSQLite
import FanfareSystem

/// The table of a report that is a database: made beside it, and put in its place when it is whole.
///
/// ```sql
/// CREATE TABLE outcomes (row INTEGER PRIMARY KEY, id TEXT, token TEXT, outcome TEXT, …)
/// ```
/// `PRAGMA user_version` is the version of the schema, and 0 until the table is whole.
final class ReportTable {
    /// The version that is written; in version 1 columns had other names, see `ReportColumns`.
    static let version: Int64 = 2
    /// The versions that are read.
    static let versionsRead = 1...version
    /// `PRAGMA application_id`, which the first page has: it tells whose a draft is.
    private static let mark = Array("Fanf".utf8)
    /// The columns that people ask by.
    private static let indexed = ["token", "outcome", "reason"]
    private static let types = [
        "row": "INTEGER PRIMARY KEY", "status": "INTEGER", "attempts": "INTEGER",
        "latency_ms": "REAL",
    ]

    private let path: String
    private let database: SQLiteDatabase
    private let insert: SQLiteStatement
    private let isCancelled: @Sendable () -> Bool
    private var count = 0
    private static let linesPerLook = 1000
    /// The report's columns, in order.
    let columns: [String]
    /// True for each column that is the report's own, and not carried.
    private let isOwn: [Bool]

    /// Returns the path of a database's draft, which later takes the database's place.
    static func draft(of path: String) -> String { path + ".partial" }

    /// Returns true if a draft may be made: its place is free, or has the leftover of a killed run.
    /// - Parameters:
    ///   - path: The place of the database.
    ///   - replacesWhole: True if the draft's place may hold a whole database, as a copy of a
    ///     report is.
    /// - Returns: True if it may.
    static func mayDraft(_ path: String, replacesWhole: Bool) -> Bool {
        let draft = Self.draft(of: path)
        guard FileDescriptor.exists(draft) else { return true }
        guard FileDescriptor.isRegularFile(draft), let head = try? ReportParts.head(of: draft, 72)
        else { return false }
        if head.isEmpty { return true }
        // At 60 user_version, at 68 application_id: https://sqlite.org/fileformat.html
        guard SQLiteDatabase.isDatabase(head: head), head.dropFirst(68).elementsEqual(mark) else {
            return false
        }
        return replacesWhole || head[60..<64].allSatisfy { $0 == 0 }
    }

    /// Returns true if a path is that of a database, by its name.
    static func isNamed(_ path: String) -> Bool {
        let name = path.lowercased()
        return endings.contains { name.hasSuffix($0) } && !OutputFile.isDevice(path)
    }

    /// The suffixes of databases' names.
    static let endings = [".sqlite", ".sqlite3", ".db"]

    /// Begins a table.
    /// - Parameters:
    ///   - path: The place of the database.
    ///   - columns: The report's columns: its own first, then carried ones.
    ///   - isCancelled: Called now and then; if it returns true, the work ends.
    /// - Throws: `FanfareError.Code.output` when the table cannot be made.
    init(
        _ path: String, columns: [String], isCancelled: @escaping @Sendable () -> Bool
    ) throws(FanfareError) {
        self.path = path
        self.columns = columns
        self.isCancelled = isCancelled
        isOwn = columns.map { ReportFormat.columns.contains($0) }
        let draft = Self.draft(of: path)
        try told(\.outputError) { () throws(FileError) in
            try FileDescriptor.removeIfThere(draft)
            // With its permissions as those of any report.
            _ = try FileDescriptor.writing(draft, existing: .refuse)
        }
        let names = Self.distinct(columns).map(SQLiteQuery.quoted)
        let definitions = zip(names, columns).map { name, column in
            let type = ReportFormat.columns.contains(column) ? Self.types[column] ?? "TEXT" : ""
            return type.isEmpty ? name : "\(name) \(type)"
        }
        let places = columns.indices.map { "?\($0 + 1)" }
        do throws(SQLiteError) {
            database = try SQLiteDatabase(
                draft, .building, patience: Limits.sqlitePatienceMilliseconds,
                isCancelled: isCancelled)
            let mark = Self.mark.reduce(0) { $0 << 8 | Int($1) }
            try database.execute(
                "PRAGMA application_id = \(mark)",
                "CREATE TABLE outcomes (\(definitions.joined(separator: ", ")))", "BEGIN")
            insert = try SQLiteStatement(
                "INSERT INTO outcomes VALUES (\(places.joined(separator: ", ")))", in: database)
        } catch {
            throw Self.failure(error, path)
        }
    }

    /// SQLite's names have no case: of two that differ in it only, the second one gets a number.
    private static func distinct(_ columns: [String]) -> [String] {
        var taken: Set<String> = []
        return columns.map { column in
            var name = column
            var number = 1
            while !taken.insert(name.lowercased()).inserted {
                number += 1
                name = "\(column)_\(number)"
            }
            return name
        }
    }

    // MARK: Lines

    /// Adds a line.
    /// - Parameters:
    ///   - position: The line.
    ///   - slots: The place of each column in the line; `nil` for none.
    ///   - isText: True if all values are text, including numbers, as in CSV.
    /// - Throws: `FanfareError.Code.output` when the line cannot be written, or its row is in the
    ///   table already.
    func append(
        _ position: ReportReader.Position, slots: [Int?], isText: Bool
    ) throws(FanfareError) {
        count += 1
        // SQLite asks by itself only where one statement takes long.
        if count % Self.linesPerLook == 0, isCancelled() {
            throw Self.failure(SQLiteError(.interrupted, "interrupted"), path)
        }
        for column in columns.indices {
            let field = position.field(slots[column])
            let value = unsafe position.batch.value(field)
            if field.isMissing || isText && isOwn[column] && value.isEmpty {
                insert.bind(column + 1, .null)
            } else if !isOwn[column] && field.kind == .json {
                unsafe insert.bind(column + 1, Self.value(ofJSON: value))
            } else {
                // The column's type makes a number of it.
                unsafe insert.bind(column + 1, .text(value))
            }
        }
        do throws(SQLiteError) {
            try insert.run()
        } catch {
            throw Self.failure(error, path)
        }
    }

    /// A number as a number, anything else as its text.
    private static func value(ofJSON text: UnsafeBufferPointer<UInt8>) -> SQLiteValue {
        let isNumber = unsafe text.first.map {
            $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0)
        }
        guard isNumber == true else { return unsafe .text(text) }
        let digits = unsafe String(decoding: text, as: UTF8.self)
        if let whole = Int64(digits) { return .integer(whole) }
        return unsafe Double(digits).map { .real($0) } ?? .text(text)
    }

    /// Makes the indexes, and puts the database in its place.
    func finish() throws(FanfareError) {
        do throws(SQLiteError) {
            try database.execute("COMMIT")
            for column in Self.indexed where columns.contains(column) {
                try database.execute("CREATE INDEX outcomes_\(column) ON outcomes (\(column))")
            }
            try database.execute("PRAGMA user_version = \(Self.version)")
        } catch {
            throw Self.failure(error, path)
        }
        try told(\.outputError) { () throws(FileError) in
            let draft = Self.draft(of: path)
            try FileDescriptor.reading(draft).synchronize()
            try FileDescriptor.rename(draft, to: path)
        }
    }

    /// Removes an unfinished table.
    static func discard(_ path: String) {
        // There is an error to be told already.
        try? FileDescriptor.remove(draft(of: path))
    }

    private static func failure(_ error: SQLiteError, _ path: String) -> FanfareError {
        let reason =
            error.kind == .constraint
            ? "a row has two lines: the reports are of several jobs, or it was sent twice"
            : error.message
        return FanfareError(.output, "\(path) cannot be written: \(reason)")
    }
}
