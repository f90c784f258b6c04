import FanfareSQLite
import FanfareSystem

/// The files of a SQLite database, which other programs may have open.
package enum DatabaseFiles {
    /// The suffixes of the files beside a database, which alone may contain the newest rows.
    ///
    /// https://sqlite.org/tempfiles.html
    private static let endings = ["-journal", "-wal", "-shm"]

    /// The files beside a database, whether they are there or not.
    ///
    /// Behind a link they are those of the file that it leads to.
    package static func beside(_ path: String) -> [String] {
        let place = FileDescriptor.place(of: path)
        return (place == path ? [path] : [path, place])
            .flatMap { path in endings.map { path + $0 } }
    }

    /// Returns true if a path names a database, by the file's content.
    package static func isDatabase(_ path: String) -> Bool {
        guard FileDescriptor.isRegularFile(path), let head = try? ReportParts.head(of: path, 16)
        else { return false }
        return SQLiteDatabase.isDatabase(head: head)
    }

    /// Returns true if a file is one of those beside a database.
    static func isFile(_ file: String, beside path: String) -> Bool {
        beside(path).contains { FileDescriptor.areSame($0, file) }
    }
}
