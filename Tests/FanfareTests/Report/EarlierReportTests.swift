import FanfareCore
import FanfareSQLite
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare

/// Reports of an earlier version, wherever reports are read.
@Suite struct EarlierReportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    enum Kind: CaseIterable {
        case csv, ndjson, database
    }

    private func report(_ kind: Kind) throws -> RowInput {
        switch kind {
        case .csv: return .file(try folder.write(EarlierReport.csv, to: "then.csv"))
        case .ndjson: return .file(try folder.write(EarlierReport.ndjson, to: "then.ndjson"))
        case .database:
            let path = folder.path("then.sqlite")
            let database = try SQLiteDatabase(path, .building, patience: 0)
            for sql in EarlierReport.sql.split(separator: ";") { try database.execute(String(sql)) }
            return .file(path)
        }
    }

    private func extract(
        _ reports: [RowInput], to name: String = "now.csv",
        adjust: (inout ReportExtract.Settings) throws -> Void = { _ in }
    ) throws -> String {
        var settings = ReportExtract.Settings()
        settings.path = folder.path(name)
        try adjust(&settings)
        _ = try ReportExtract.write(reports, settings)
        return try folder.read(name)
    }

    private static let lines = [
        "1,,t1,,accepted,200,,x1,1,12.345,,2026-01-01T00:00:02.000Z,\n",
        "2,b,t2,,failed,503,ServiceUnavailable,x2,5,1.000,,2026-01-01T00:00:00.000Z,Bo\n",
    ]

    @Test(arguments: Kind.allCases)
    func `the lines add up`(kind: Kind) throws {
        let digest = try ReportDigest.reading([report(kind)])
        #expect(digest.files.map(\.lines) == [2] && digest.files.allSatisfy { $0.torn == nil })
        #expect(digest.tally.count(.accepted) == 1 && digest.tally.count(.failed) == 1)
        #expect(digest.tally.attempts == 6 && digest.latency.max == 12_345_000)
    }

    @Test(arguments: Kind.allCases)
    func `they are written with the columns of now`(kind: Kind) throws {
        let lines = kind == .database ? Self.lines : Self.lines.reversed()
        #expect(
            try extract([report(kind)])
                == ReportFormat.columns.joined(separator: ",") + ",name\n" + lines.joined())
    }

    @Test(arguments: Kind.allCases)
    func `they are put in order`(kind: Kind) throws {
        let text = try extract([report(kind)]) { $0.isOrdered = true }
        #expect(
            text
                == ReportFormat.columns.joined(separator: ",") + ",name\n" + Self.lines.joined())
    }

    @Test(arguments: Kind.allCases)
    func `lines and columns are asked for by the names of now`(kind: Kind) throws {
        let text = try extract([report(kind)], to: "now.ndjson") {
            $0.filters = [try ReportFilter("message_id=x1")]
            $0.columns = ["message_id", "row", "provider"]
        }
        #expect(text == #"{"message_id":"x1","row":1,"provider":null}"# + "\n")
    }

    @Test func `where a provider is asked for, their lines have none`() throws {
        let now =
            ReportFormat.columns.joined(separator: ",") + "\n"
            + "3,,t3,fcm,accepted,200,,x3,1,1.000,,2026-01-01T00:00:02.000Z\n"
        let asked = [
            ("provider=fcm", "3\n"), ("provider!=fcm", "2\n1\n"), ("provider=", "2\n1\n"),
            ("provider=apns", ""),
        ]
        for (filter, lines) in asked {
            let text = try extract([report(.csv), .text(now)]) {
                $0.filters = [try ReportFilter(filter)]
                $0.columns = ["row"]
                $0.overwrites = true
            }
            #expect(text == "row\n" + lines, "\(filter)")
        }
    }

    @Test func `with reports of now they are one report`() throws {
        let now =
            ReportFormat.columns.joined(separator: ",") + ",name\n"
            + "3,,t3,fcm,accepted,200,,x3,1,1.000,,2026-01-01T00:00:02.000Z,Cy\n"
        for reports in [[try report(.csv), .text(now)], [.text(now), try report(.ndjson)]] {
            let text = try extract(reports) {
                $0.overwrites = true
                $0.columns = ["row", "provider", "message_id", "name"]
            }
            let lines = text.split(separator: "\n").map(String.init)
            #expect(lines.first == "row,provider,message_id,name")
            #expect(lines.dropFirst().sorted() == ["1,,x1,", "2,,x2,Bo", "3,fcm,x3,Cy"])
        }
    }

    @Test(arguments: Kind.allCases)
    func `they are compared`(kind: Kind) throws {
        let text =
            ReportFormat.columns.joined(separator: ",") + "\n"
            + "1,b,t2,apns,accepted,200,,x3,1,1.000,,2026-01-01T00:00:02.000Z\n"
        let before = try report(kind)
        let byToken = try ReportComparison.reading(before, .text(text), by: .token, listedMax: 5)
        #expect(byToken.matched == 1 && byToken.changed == 1 && byToken.onlyBefore == 1)
        #expect(byToken.listed.map(\.id) == ["b"] && byToken.listed.map(\.before) == [.failed])
        let byRow = try ReportComparison.reading(.text(text), before, by: .row, listedMax: 5)
        #expect(byRow.matched == 1 && byRow.changed == 0 && byRow.onlyAfter == 1)
    }

    @Test(arguments: Kind.allCases)
    func `they become a database of now`(kind: Kind) throws {
        var settings = ReportExtract.Settings()
        settings.path = folder.path("now.db")
        _ = try ReportExtract.write([report(kind)], settings)
        let database = try SQLiteDatabase(settings.path, .reading, patience: 0)
        let version = try SQLiteStatement("PRAGMA user_version", in: database)
        #expect(try version.step())
        guard case .integer(2) = version.value(0) else {
            Issue.record("the database is of another version")
            return
        }
        let columns = try SQLiteStatement("SELECT * FROM outcomes", in: database).columns
        #expect(columns == ReportFormat.columns + ["name"])
        #expect(
            try extract([.file(settings.path)])
                == ReportFormat.columns.joined(separator: ",") + ",name\n" + Self.lines.joined())
    }

    @Test func `parts of one are replaced as others are`() throws {
        for name in ["r.csv", "r-2.csv"] {
            try folder.write(EarlierReport.header + "\n", to: name)
        }
        let parts = ReportParts(folder.path("r.csv"))
        #expect(try parts.stale(overwrites: true) == [folder.path("r-2.csv")])
    }
}
