internal import CSQLite

/// A value of a row.
///
/// Bytes are borrowed until the statement's next step.
@safe
package enum SQLiteValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(UnsafeBufferPointer<UInt8>)
    case blob(UnsafeBufferPointer<UInt8>)
}

/// One statement, made ready; its rows one after the other.
///
/// Use from one thread at a time.
@safe
package final class SQLiteStatement {
    private let database: SQLiteDatabase
    private let statement: OpaquePointer
    /// The names of the columns that it gives.
    package let columns: [String]

    /// Makes SQL ready.
    /// - Throws: `SQLiteError.Kind.statement` when it is not right, or not one statement.
    package init(_ sql: String, in database: SQLiteDatabase) throws(SQLiteError) {
        self.database = database
        var made: OpaquePointer?
        var text = sql
        // The rest may be blanks and comments, which make no statement.
        let (code, isAlone) = text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { text in
                unsafe Self.prepare(text, database.connection, &made)
            }
        }
        guard code == SQLITE_OK else { throw database.error(code) }
        guard let statement = unsafe made else {
            throw SQLiteError(.statement, "there is no statement in it")
        }
        guard isAlone else {
            unsafe sqlite3_finalize(statement)
            throw SQLiteError(.statement, "there is more than one statement in it")
        }
        unsafe self.statement = statement
        let count = unsafe sqlite3_column_count(statement)
        columns = (0..<count).map {
            unsafe sqlite3_column_name(statement, $0).map(String.init(cString:)) ?? ""
        }
    }

    /// Makes the first statement of a text ready.
    /// - Returns: The result code, and whether there is no other statement behind it.
    private static func prepare(
        _ text: UnsafeBufferPointer<CChar>, _ connection: OpaquePointer,
        _ made: inout OpaquePointer?
    ) -> (code: Int32, isAlone: Bool) {
        var tail: UnsafePointer<CChar>?
        let code = unsafe sqlite3_prepare_v2(
            connection, text.baseAddress, Int32(clamping: text.count), &made, &tail)
        guard code == SQLITE_OK, let start = text.baseAddress, let end = unsafe tail else {
            return (code, true)
        }
        var next: OpaquePointer?
        let rest = unsafe text.count - (end - start)
        let nextCode = unsafe sqlite3_prepare_v2(
            connection, end, Int32(clamping: rest), &next, nil)
        let isAlone = unsafe nextCode == SQLITE_OK && next == nil
        unsafe sqlite3_finalize(next)
        return (code, isAlone)
    }

    deinit { unsafe sqlite3_finalize(statement) }

    /// True if it gives rows and changes nothing.
    package var isQuery: Bool {
        unsafe sqlite3_stmt_readonly(statement) != 0 && !columns.isEmpty
    }

    // MARK: Rows

    /// Goes to the next row.
    /// - Returns: True if there is one.
    package func step() throws(SQLiteError) -> Bool {
        let code = unsafe sqlite3_step(statement)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw database.error(code)
        }
    }

    /// Returns the value of a column, counted from 0, of the current row.
    package func value(_ column: Int) -> SQLiteValue {
        let column = Int32(column)
        switch unsafe sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return unsafe .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return unsafe .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            let text = unsafe sqlite3_column_text(statement, column)
            return unsafe .text(
                UnsafeBufferPointer(
                    start: text, count: Int(sqlite3_column_bytes(statement, column))))
        case SQLITE_BLOB:
            let bytes = unsafe sqlite3_column_blob(statement, column)
            let count = unsafe Int(sqlite3_column_bytes(statement, column))
            return unsafe .blob(
                UnsafeBufferPointer(
                    start: bytes?.assumingMemoryBound(to: UInt8.self), count: count))
        default: return .null
        }
    }

    // MARK: Parameters

    /// Sets a parameter, counted from 1.
    ///
    /// Bytes are not copied: they have to stay until `run` has returned.
    package func bind(_ parameter: Int, _ value: SQLiteValue) {
        let parameter = Int32(parameter)
        let code =
            switch value {
            case .null: unsafe sqlite3_bind_null(statement, parameter)
            case .integer(let number): unsafe sqlite3_bind_int64(statement, parameter, number)
            case .real(let number): unsafe sqlite3_bind_double(statement, parameter, number)
            case .text(let bytes):
                unsafe bytes.withMemoryRebound(to: CChar.self) { text in
                    unsafe sqlite3_bind_text(
                        statement, parameter, text.baseAddress, Int32(clamping: text.count), nil)
                }
            case .blob(let bytes):
                unsafe sqlite3_bind_blob(
                    statement, parameter, bytes.baseAddress, Int32(clamping: bytes.count), nil)
            }
        precondition(
            code == SQLITE_OK || code == SQLITE_TOOBIG || code == SQLITE_NOMEM,
            "BUG: a parameter that the statement has not")
    }

    /// Runs a statement that gives no rows, and makes it ready to be run again.
    package func run() throws(SQLiteError) {
        let code = unsafe sqlite3_step(statement)
        guard code == SQLITE_DONE else {
            let error = database.error(code)
            unsafe sqlite3_reset(statement)
            throw error
        }
        unsafe sqlite3_reset(statement)
    }
}
