import FanfareCore
import FanfareLoop
import FanfareSQLite

/// The rows of a query, as lines of NDJSON.
///
/// One value is read at a time, so nothing grows with the result. From the first row to the last all is
/// read in one transaction: what others write meanwhile is not seen.
final class SQLiteRows {
    /// The columns of the result, in order; of those with one name the first one counts.
    let columns: [String]
    /// What people should know of the order of the rows.
    let notices: [String]
    /// The files of the database as they were before it was opened: what is written to them from then on
    /// may be in the rows or not.
    let files: [JobFingerprint.Input]
    private let statement: SQLiteStatement
    private let path: String
    /// What stands before each value; `nil` for a column that does not count.
    private let keys: [[UInt8]?]
    /// Whether there is a row that was not read yet.
    private var hasRow: Bool
    /// What has ended the reading too early.
    private var failure: FileError?
    private var text = ByteBuffer(capacity: 2 * Limits.headReadBytes)

    /// Opens a database, and goes to the first row.
    /// - Parameters:
    ///   - path: The database.
    ///   - selection: Which rows.
    ///   - isCancelled: Asked meanwhile; when true, that is the end.
    /// - Throws: `FileError`, with the operation `query` if the selection is to blame.
    init(
        _ path: String, _ selection: SQLiteSelection, isCancelled: @escaping @Sendable () -> Bool
    ) throws(FileError) {
        self.path = path
        files = JobFingerprint.files(ofDatabase: path)
        do throws(SQLiteError) {
            let database = try SQLiteDatabase(
                path, .reading, patience: Limits.sqlitePatienceMilliseconds,
                isCancelled: isCancelled)
            let query = try SQLiteQuery(selection, in: database)
            statement = query.statement
            notices = query.notices.map { "\(path): \($0)" }
            hasRow = try statement.step()
        } catch {
            throw FileError(error, path)
        }
        columns = statement.columns
        keys = columns.indices.map { [columns] column in
            guard columns.firstIndex(of: columns[column]) == column else { return nil }
            var key = ByteBuffer()
            key.append(column == 0 ? "{" : ",")
            key.appendJSONString(columns[column])
            key.append(UInt8(ascii: ":"))
            return unsafe Array(key.bytes)
        }
    }

    /// Reads text; lines may be cut anywhere.
    /// - Returns: The number of bytes; 0 at the end.
    func read(into space: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        while text.count < space.count && hasRow {
            appendRow()
            do throws(SQLiteError) {
                hasRow = try statement.step()
            } catch {
                // Another step would begin again with the first row.
                hasRow = false
                // Nobody wants the rest then.
                if error.kind != .interrupted { failure = FileError(error, path) }
            }
        }
        // What was read before is right.
        if text.isEmpty, let failure { throw failure }
        let count = min(text.count, space.count)
        unsafe space.copyBytes(from: text.bytes.prefix(count))
        text.removeFirst(count)
        return count
    }

    private func appendRow() {
        for (column, key) in keys.enumerated() {
            guard let key else { continue }
            unsafe key.withUnsafeBufferPointer { unsafe text.append($0) }
            append(statement.value(column))
        }
        text.append("}\n")
    }

    private func append(_ value: SQLiteValue) {
        switch value {
        case .null: text.append("null")
        case .integer(let number): text.append("\(number)" as String)
        case .real(let number):
            // JSON has no name for what is none.
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

    /// A byte more than a row may have: what is behind it changes nothing.
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
    init(_ error: SQLiteError, _ path: String) {
        self.init(
            .other, error.kind == .statement ? "query" : "read", path, error.message)
    }
}
