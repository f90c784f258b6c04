import FanfareBase
import FanfareCore
import FanfareSQLite
import FanfareSystem

/// The rows of a query, as lines of NDJSON.
///
/// One value is read at a time, and of a row no more than makes it too long, so nothing grows with
/// the result. One transaction reads all rows: it does not see changes that others make meanwhile.
final class SQLiteRows {
    /// The columns of the result, in order; of those with one name the first one counts.
    let columns: [String]
    /// Notices for people about the order of the rows.
    let notices: [String]
    /// The files of the database as they were before it was opened: the rows may or may not include
    /// later changes.
    let files: [InputIdentity]
    /// True if a query names its columns.
    var isQuery: Bool { !query.isTable }
    private let database: SQLiteDatabase
    private var query: SQLiteQuery
    private let path: String
    /// The text before each value that is read; `nil` before the first row is read.
    private var keys: [(column: Int, text: [UInt8])]?
    /// True if there is a row that was not read yet.
    private var hasRow = false
    /// True if the row has a value that is too long for SQLite.
    private var isTooLong = false
    /// The rows that were read.
    private var rowCount = 0
    /// The failure that has ended the reading too early.
    private var failure: FileError?
    /// True if the database or the query is the cause, so that another try would end there, too.
    private(set) var hasLastingFault = false
    private var text = ByteBuffer(capacity: 2 * Limits.headReadBytes)

    /// Opens a database.
    /// - Parameters:
    ///   - path: The database.
    ///   - selection: The rows to read.
    ///   - isCancelled: Called now and then; if it returns true, the reading ends.
    /// - Throws: `FileError`, with the operation `query` if the selection is the cause.
    init(
        _ path: String, _ selection: SQLiteSelection, isCancelled: @escaping @Sendable () -> Bool
    ) throws(FileError) {
        self.path = path
        files = InputIdentity.files(ofDatabase: path)
        do throws(SQLiteError) {
            database = try SQLiteDatabase(
                path, .reading, patience: Limits.sqlitePatienceMilliseconds,
                isCancelled: isCancelled)
            // The first look and the reading see the same rows.
            try database.execute("BEGIN")
            query = try SQLiteQuery(selection, in: database)
        } catch {
            throw FileError(error, path, of: selection)
        }
        notices = query.notices.map { "\(path): \($0)" }
        columns = query.statement.columns
    }

    /// Goes to the first row.
    /// - Parameter isWanted: Returns true for a column to read.
    /// - Throws: `FileError`, with the operation `query` if the selection is the cause.
    func begin(_ isWanted: (String) -> Bool = { _ in true }) throws(FileError) {
        let wanted = columns.indices.filter {
            columns.firstIndex(of: columns[$0]) == $0 && isWanted(columns[$0])
        }
        let isTable = query.isTable && !wanted.isEmpty
        keys = wanted.enumerated().map { place, column in
            var key = ByteBuffer()
            key.append(place == 0 ? "{" : ",")
            key.appendJSONString(columns[column])
            key.append(UInt8(ascii: ":"))
            return (isTable ? place : column, unsafe Array(key.bytes))
        }
        do throws(SQLiteError) {
            try query.select(wanted.map { columns[$0] })
            // SQLite reads the wanted columns of a table, and may compute all of a view. One that is as long as a row
            // may be is never too long.
            let most = Limits.sqliteRowBytesMax / (Limits.rowBytesMax + 1)
            database.limitValues(
                columns: query.canSkip
                    ? query.statement.columns.count : min(columns.count, most))
            hasRow = try step()
            if !hasRow { finish() }
        } catch {
            throw FileError(error, path)
        }
    }

    /// Reads text; lines may be cut anywhere.
    /// - Returns: The number of bytes; 0 at the end.
    func read(into space: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        if keys == nil { try begin() }
        while text.count < space.count && hasRow {
            appendRow()
            do throws(SQLiteError) {
                if try !step() { finish() }
            } catch {
                // Another step would begin again with the first row.
                finish()
                // The job does not want the rest then.
                if error.kind != .interrupted { failure = FileError(error, path) }
                let lasting: [SQLiteError.Kind] = [.damaged, .tooLong, .noMemory, .statement]
                hasLastingFault = lasting.contains(error.kind)
            }
        }
        // The text read before is right.
        if text.isEmpty, let failure { throw failure }
        let count = min(text.count, space.count)
        unsafe space.copyBytes(from: text.bytes.prefix(count))
        text.removeFirst(count)
        return count
    }

    /// Goes to the next row.
    ///
    /// Of a table's row with a value that SQLite may not even look at it is known that it is there.
    private func step() throws(SQLiteError) -> Bool {
        if isTooLong {
            isTooLong = false
            guard try query.skip(rows: rowCount) else { return false }
        }
        do throws(SQLiteError) {
            guard try query.statement.step() else { return false }
        } catch {
            // A table is read row by row, so it is this one that takes too much.
            guard [.tooLong, .noMemory].contains(error.kind), query.canSkip else { throw error }
            isTooLong = true
        }
        rowCount += 1
        return true
    }

    /// A process that wants to write to the database need not wait any longer.
    private func finish() {
        hasRow = false
        // The transaction has changed nothing; without it there is nothing to end.
        try? database.execute("COMMIT")
    }

    private func appendRow() {
        let start = text.count
        if isTooLong { return appendTooLong(behind: start) }
        for (column, key) in keys ?? [] {
            text.append(key)
            append(query.statement.value(column))
            // Later bytes change nothing.
            guard text.count - start <= Limits.rowBytesMax else {
                return appendTooLong(behind: start)
            }
        }
        text.append(keys?.isEmpty == false ? "}\n" : "{}\n")
    }

    /// Makes the row that begins at an offset of the text a byte longer than a row may be.
    private func appendTooLong(behind start: Int) {
        let missing = Limits.rowBytesMax + 1 - (text.count - start)
        if missing < 0 {
            text.removeLast(-missing)
        } else {
            text.append([UInt8](repeating: UInt8(ascii: "x"), count: missing))
        }
        text.append(UInt8(ascii: "\n"))
    }

    private func append(_ value: SQLiteValue) {
        switch value {
        case .null: text.append("null")
        case .integer(let number): text.append("\(number)" as String)
        case .real(let number):
            // JSON has no name for infinity or NaN.
            if number.isFinite {
                text.append("\(number)" as String)
            } else {
                text.appendJSONString("\(number)")
            }
        case .text(let bytes): unsafe append(text: bytes)
        case .blob(let bytes):
            text.append(UInt8(ascii: "\""))
            let shown = unsafe bytes.prefix(Self.shownBytesMax)
            for index in unsafe shown.indices {
                text.appendHexadecimal(UInt64(unsafe shown[index]), digits: 2)
            }
            text.append(UInt8(ascii: "\""))
        }
    }

    /// A byte more than a row may have: the bytes behind it change nothing.
    private static let shownBytesMax = Limits.rowBytesMax + 1

    private func append(text bytes: UnsafeBufferPointer<UInt8>) {
        let shown = unsafe UnsafeBufferPointer(rebasing: bytes.prefix(Self.shownBytesMax))
        if unsafe shown.count == bytes.count && UTF8Check.firstFault(in: bytes) != nil {
            // Not to be sent as something else: the row is found to be no UTF-8, as in a file.
            text.append(UInt8(ascii: "\""))
            text.append(0xFF as UInt8)
            text.append(UInt8(ascii: "\""))
        } else {
            unsafe text.appendJSONString(shown)
        }
    }
}

extension FileError {
    /// Creates the error about the rows of a database that cannot be read.
    /// - Parameters:
    ///   - error: SQLite's error.
    ///   - path: The database.
    ///   - selection: The selection, until SQLite has understood it.
    init(_ error: SQLiteError, _ path: String, of selection: SQLiteSelection? = nil) {
        let operation =
            switch (error.kind, selection) {
            case (.statement, .table): Self.selectingTable
            case (.statement, .query): Self.selectingQuery
            case (.statement, nil): Self.querying
            case (.tooLong, _): Self.measuring
            default: "read"
            }
        self.init(.other, operation, path, error.message)
    }

    private static let selectingTable = "select from a table"
    private static let selectingQuery = "select with a query"
    private static let querying = "query"
    private static let measuring = "measure"

    /// The message about an input that cannot be opened.
    func inputError(_ name: String) -> FanfareError {
        // A query that is wrong is no fault of the database's.
        let selecting = [Self.selectingTable, Self.selectingQuery, Self.querying]
        return FanfareError(
            selecting.contains(operation) ? .configuration : .input,
            "\(name) cannot be read: \(inputReason)")
    }

    /// The reason that an input cannot be read for, with the setting that is to blame or may help.
    var inputReason: Statement {
        switch operation {
        case Self.selectingTable: "\(.table): \(reason)"
        case Self.selectingQuery: "\(.query): \(reason)"
        case Self.measuring: "\(reason); let \(.query) name the columns that are wanted"
        default: Statement(reason)
        }
    }
}
