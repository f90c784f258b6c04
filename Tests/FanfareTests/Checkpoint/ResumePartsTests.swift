import FanfareCore
import FanfareSQLite
import FanfareSystem
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Jobs that are carried on whose report is in parts, or whose rows are in a database.
@Suite struct ResumePartsTests: StoppedJobs {
    let folder: TemporaryFolder
    let provider: SimulatedProvider

    init() throws {
        folder = try TemporaryFolder()
        provider = try Self.stoppingProvider()
    }

    // MARK: Parts

    /// A hundred rows with a name of 8 KiB that the report carries: parts of 100 KB have some ten.
    @Test(arguments: [Durability.process, .full])
    func `a report in parts goes on in its last part`(durability: Durability) throws {
        let name = String(repeating: "n", count: 8192)
        var configuration = try configuration()
        try folder.write(rows.replacing(/,n\d+/, with: ",\(name)"), to: "rows.csv")
        configuration.report.carriedColumns = ["name"]
        configuration.report.splitBytes = 100_000
        configuration.report.durability = durability
        configuration.report.unregisteredPath = folder.path("dead.csv")
        #expect(try Job(configuration).run().exitCode == 3)
        let parts = ReportParts(folder.path("r.csv"))
        let before = try FileSystem().found(parts).map {
            try folder.read(String($0.path.split(separator: "/").last!))
        }
        #expect(before.count > 3)
        // Torn in the midst of the header of the next part.
        try folder.write("row,id,", to: "r-\(before.count + 1).csv")
        let result = try Job(resuming(configuration)).run()
        #expect(result.exitCode == 0, "\(result.stopMessage ?? "")")
        #expect(result.outcomes["accepted"] == 90)
        let found = FileSystem().found(parts)
        #expect(result.summaryJSON.contains("\"report_parts\": \(found.count)"))
        #expect(found.allSatisfy { $0.bytes <= 100_000 })
        var rows: [Int] = []
        for (number, part) in found.enumerated() {
            let file = String(part.path.split(separator: "/").last!)
            rows += try folder.reportLines(file).keys
            // A part that was closed has not been touched.
            if number + 1 < before.count { #expect(try folder.read(file) == before[number]) }
        }
        #expect(rows.sorted() == Array(1...100))
        #expect(try ReportDigest.reading(found.map { .file($0.path) }).missingRows == 0)
    }

    @Test func `a part that is missing is told`() throws {
        let name = String(repeating: "n", count: 8192)
        var configuration = try configuration()
        try folder.write(rows.replacing(/,n\d+/, with: ",\(name)"), to: "rows.csv")
        configuration.report.carriedColumns = ["name"]
        configuration.report.splitBytes = 100_000
        #expect(try Job(configuration).run().exitCode == 3)
        try FileDescriptor.remove(folder.path("r-2.csv"))
        #expect(message(resuming(configuration))?.1.contains("lines are missing") == true)
        configuration.report.splitBytes = nil
        #expect(
            message(resuming(configuration))?.1.contains(
                "ReportOptions.splitBytes was 100000 "
                    + "then") == true)
    }

    // MARK: Databases

    /// The hundred rows in a table.
    private func database() throws -> String {
        let path = folder.path("rows.db")
        let values = rows.split(separator: "\n").dropFirst().map { line in
            "(" + line.split(separator: ",").map { "'\($0)'" }.joined(separator: ",") + ")"
        }
        try SQLiteDatabase(path, .building, patience: 0).execute(
            "CREATE TABLE t (token, name)", "CREATE TABLE other (v)",
            "INSERT INTO t VALUES \(values.joined(separator: ","))")
        return path
    }

    @Test func `rows of a database go on where they were`() throws {
        let path = try database()
        let configuration = try stoppedJob {
            $0.inputs = [.sqlite(path, .query("SELECT * FROM t ORDER BY rowid"))]
            $0.report.retryRowsPath = folder.path("again.ndjson")
        }
        var other = configuration
        other.inputs = [.sqlite(path, .query("SELECT * FROM t ORDER BY +rowid"))]
        #expect(
            message(resuming(other))?.1.contains(
                "SQLiteSelection.query was SELECT * FROM t ORDER "
                    + "BY rowid then")
                == true)
        let result = try Job(resuming(configuration)).run()
        #expect(result.exitCode == 0)
        #expect(result.outcomes["accepted"] == 90)
        #expect(try folder.reportLines("r.csv").keys.sorted() == Array(1...100))
        #expect(provider.stop().requests == 101)
    }

    @Test(arguments: ["DELETE", "WAL"])
    func `a database that was written to is not carried on with`(mode: String) throws {
        let path = try database()
        let writer = try SQLiteDatabase(path, .building, patience: 0)
        try writer.execute(
            "PRAGMA journal_mode = \(mode)", "INSERT INTO other VALUES (1)")
        let configuration = try stoppedJob { $0.inputs = [.sqlite(path, .table("t"))] }
        try writer.execute("INSERT INTO other VALUES (2)")
        #expect(message(resuming(configuration))?.1.contains("has changed since then") == true)
    }

    @Test func `a query of now is not carried on with`() throws {
        let query = "SELECT * FROM t WHERE '2020-01-01' < date('now') ORDER BY rowid"
        let path = try database()
        let configuration = try stoppedJob { $0.inputs = [.sqlite(path, .query(query))] }
        #expect(
            message(resuming(configuration))?.1.contains(
                "has 'now'. Go on with another ReportOptions.path and a query") == true)
    }
}
