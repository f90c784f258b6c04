import FanfareBase
import FanfareCore
import FanfareSQLite
import FanfareSystem

/// A job's report that becomes a database.
///
/// The job writes its log as CSV beside it, from which a later run carries it on. At its
/// end it makes the database from the log.
struct ReportDatabase: Sendable {
    let path: String

    /// The log's path: with a name that tells whose it is.
    var logPath: String { path + ".csv" }

    /// Turns a configuration whose report is a database into that of the job that writes its log.
    ///
    /// The result is nil if the report is no database.
    /// - Throws: `FanfareError.Code.configuration` when an existing file may not be replaced.
    init?(_ configuration: inout Configuration) throws(FanfareError) {
        let report = configuration.report
        guard ReportTable.isNamed(report.path) else { return nil }
        path = report.path
        try check(configuration)
        configuration.report.path = logPath
    }

    private func check(_ configuration: Configuration) throws(FanfareError) {
        let report = configuration.report
        guard report.splitBytes == nil else {
            throw FanfareError(
                .configuration,
                "a report that is a database cannot be split; "
                    + "\(.reportPath, option: "FILE.csv", member: #""report.csv""#) can")
        }
        guard !report.isOrdered else {
            throw FanfareError(
                .configuration,
                "a report that is a database has no order: leave out \(.isOrdered), and ask it "
                    + "with ORDER BY")
        }
        let columns =
            ReportFormat.columns.count + report.carriedColumns.count
            + (configuration.variantNames.isEmpty ? 0 : 1)
        guard columns <= Limits.allColumnsMax else {
            throw FanfareError(
                .configuration,
                "a report that is a database has \(Limits.allColumnsMax) columns at most, and this one "
                    + "would have \(columns): let \(.carriedColumns) name fewer, or write "
                    + "\(.reportPath, option: "FILE.csv", member: #""report.csv""#)")
        }
        try protectFiles(configuration)
        let isBegun = FileDescriptor.exists(logPath + CheckpointFile.suffix)
        try Self.checkPlace(path, replacesWhole: report.overwrites || isBegun)
        guard FileDescriptor.exists(path), !report.overwrites else { return }
        guard report.resumes else { throw OutputFiles.alreadyThere(path, .report) }
        guard isBegun else {
            // A run that was killed when all was done may have left it; or it is not the job's at all.
            let log =
                FileDescriptor.exists(logPath)
                ? ". \(logPath) is no part of it any more: it may be the job's log, and go" : ""
            throw FanfareError(
                .configuration,
                "the job of \(path) is finished, so there is nothing to resume. \(.overwrites) "
                    + "sends everything again, \(.reportPath, any: "FILE") keeps it\(log)")
        }
    }

    /// Refuses a place of the database that the job reads or writes otherwise.
    private func protectFiles(_ configuration: Configuration) throws(FanfareError) {
        let places = [path, ReportTable.draft(of: path)]
        let inputs = configuration.inputs + configuration.rows.suppressions
        for input in inputs where places.contains(where: { input.isRead(from: $0) }) {
            throw FanfareError(
                .configuration,
                "the report would replace \(input.name), which is read; "
                    + "\(.reportPath, any: "FILE") names "
                    + "another file")
        }
        let report = configuration.report
        let others = [report.unregisteredPath, report.retryRowsPath, configuration.log?.path]
        let taken = places.map { FileDescriptor.place(of: $0) }
        for other in others.compactMap(\.self)
        where taken.contains(FileDescriptor.place(of: other)) {
            throw FanfareError(
                .configuration,
                "the report would replace \(other), which the job writes as well; "
                    + "\(.reportPath, any: "FILE") "
                    + "names another file")
        }
    }

    /// Checks that a database may be put in a place, apart from what `--overwrite` decides.
    ///
    /// A new file must not meet the journal of an old one, which SQLite would take for its own. And
    /// a user's database must not be lost like an earlier report.
    /// - Parameters:
    ///   - path: The place.
    ///   - replacesWhole: True if the draft's place may hold a whole report.
    /// - Throws: `FanfareError.Code.configuration` when something is in the way.
    static func checkPlace(_ path: String, replacesWhole: Bool) throws(FanfareError) {
        let draft = ReportTable.draft(of: path)
        for name in [path, draft] {
            for ending in ["-journal", "-wal"] where FileDescriptor.exists(name + ending) {
                throw FanfareError(
                    .configuration,
                    "\(name)\(ending) is there: another program uses \(name), or was killed while "
                        + "it did; name another file")
            }
        }
        guard ReportTable.mayDraft(path, replacesWhole: replacesWhole) else {
            throw FanfareError(
                .configuration,
                "\(draft) exists already, and is where the database is made; move it away, or name "
                    + "another file")
        }
        guard !FileDescriptor.isFolder(path) else {
            throw FanfareError(
                .configuration, "\(path) is a folder, which nothing replaces; name a file")
        }
        guard DatabaseFiles.isDatabase(path), (try? columns(of: path)) == nil else { return }
        throw FanfareError(
            .configuration,
            "\(path) is a database of something else, which nothing replaces; name another file")
    }

    /// Makes the database of a log that is whole, and leaves the log.
    /// - Parameter isCancelled: Called now and then; if it returns true, the work ends.
    /// - Returns: The number of lines.
    /// - Throws: `FanfareError`, and the log is as it was.
    func load(isCancelled: @escaping @Sendable () -> Bool) throws(FanfareError) -> UInt64 {
        var settings = ReportExtract.Settings()
        settings.path = path
        settings.overwrites = true
        settings.isCancelled = isCancelled
        do throws(ReportExtract.Failure) {
            let files = try ReportExtract.write([.file(logPath)], settings)
            return files.reduce(0) { $0 + $1.lines }
        } catch {
            switch error {
            case .failed(let error): throw error
            case .readerGone, .unknownColumn:
                preconditionFailure("BUG: a database that is a pipe, or wants a column")
            }
        }
    }

    /// The database has it all.
    func removeLog() {
        // A leftover does no harm.
        try? FileDescriptor.remove(logPath)
    }
}

extension ReportOptions {
    /// Returns true if a report of this name is a database, which has a log beside it while the job
    /// runs.
    package static func isDatabase(_ path: String) -> Bool { ReportTable.isNamed(path) }

    /// Returns the path of a database's draft, and of the files that SQLite may put beside both.
    /// - Returns: The paths; none if the path's name is no database's.
    package static func filesBeside(database path: String) -> [String] {
        guard isDatabase(path) else { return [] }
        let draft = ReportTable.draft(of: path)
        return [draft] + DatabaseFiles.beside(path) + DatabaseFiles.beside(draft)
    }
}

// MARK: - Reading

extension ReportDatabase {
    /// Returns the lines of a report that is a database.
    /// - Parameters:
    ///   - input: The report.
    ///   - wantsAll: True to include carried columns, of which there may be many.
    /// - Returns: Its rows, and all its columns; nil if the report is no database.
    /// - Throws: `FanfareError.Code.input` when it is a database and no report.
    static func lines(
        of input: RowInput, wantsAll: Bool
    ) throws(FanfareError) -> (input: RowInput, columns: [String])? {
        guard case .file(let path) = input, DatabaseFiles.isDatabase(path) else { return nil }
        let columns = try columns(of: path)
        let wanted = wantsAll ? columns[...] : columns.prefix(ReportColumns(columns).ownCount)
        let values = wanted.map { column in
            let name = SQLiteQuery.quoted(column)
            // As every report has it: three digits.
            return column == "latency_ms"
                ? "CASE WHEN latency_ms IS NOT NULL THEN printf('%.3f', latency_ms) END AS latency_ms"
                : name
        }
        let query = "SELECT \(values.joined(separator: ", ")) FROM outcomes ORDER BY row"
        return (.sqlite(path, .query(query)), columns)
    }

    /// The columns of a report that is a database.
    private static func columns(of path: String) throws(FanfareError) -> [String] {
        do throws(SQLiteError) {
            let database = try SQLiteDatabase(
                path, .reading, patience: Limits.sqlitePatienceMilliseconds)
            let version = try SQLiteStatement("PRAGMA user_version", in: database)
            _ = try version.step()
            let columns = try SQLiteStatement("SELECT * FROM outcomes LIMIT 0", in: database)
                .columns
            if case .integer(let version) = version.value(0),
                ReportTable.versionsRead.contains(version), ReportColumns(columns).areWhole
            {
                return columns
            }
        } catch {
            guard error.kind == .statement else {
                throw FanfareError(.input, "\(path) cannot be read: \(error.message)")
            }
        }
        throw FanfareError(
            .input,
            "\(path) is no report: it is a database, and has no table of outcomes as version "
                + "\(ReportTable.version) of it is")
    }
}
