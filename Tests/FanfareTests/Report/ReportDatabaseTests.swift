import FanfareCore
import FanfareSQLite
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare

/// Reports that are databases.
@Suite struct ReportDatabaseTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("out.sqlite")
    }

    /// Makes a database of reports.
    private func make(
        _ texts: [String] = [ReportExtractTests.text],
        adjust: (inout ReportExtract.Settings) throws -> Void = { _ in }
    ) throws {
        var settings = ReportExtract.Settings()
        settings.path = path
        try adjust(&settings)
        _ = try ReportExtract.write(texts.map { .text($0, name: "r") }, settings)
    }

    /// SQLite's answer, a row in a line as `quote()` writes it.
    private func ask(_ sql: String) throws -> [String] {
        let database = try SQLiteDatabase(path, .reading, patience: 0)
        let statement = try SQLiteStatement(sql, in: database)
        var lines: [String] = []
        while try statement.step() {
            let values = statement.columns.indices.map { column in
                switch statement.value(column) {
                case .null: "NULL"
                case .integer(let number): "\(number)"
                case .real(let number): "\(number)"
                case .text(let bytes): String(decoding: bytes, as: UTF8.self)
                case .blob(let bytes): "\(bytes.count) bytes"
                }
            }
            lines.append(values.joined(separator: "|"))
        }
        return lines
    }

    private func failure(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch ReportExtract.Failure.failed(let error) {
            return error.message
        } catch {
            return "\(error)"
        }
    }

    // MARK: The table

    @Test func `lines are rows, with the types of their columns`() throws {
        try make()
        #expect(
            try ask("SELECT * FROM outcomes ORDER BY row") == [
                "1|a|t1|apns|accepted|200|NULL|x1|1|1.0|NULL|2026-01-01T00:00:00.000Z|A, B",
                "2|NULL|t2|NULL|invalid|NULL|line 3: no token|NULL|0|NULL|NULL|NULL|05",
                "3|c|t3|fcm|unregistered|410|Unregistered|x3|1|2.5|2025-01-01T00:00:00.000Z|"
                    + "2026-01-01T00:00:00.000Z|",
            ])
        #expect(
            try ask(
                "SELECT typeof(row), typeof(status), typeof(attempts), typeof(latency_ms), "
                    + "typeof(token), typeof(name) FROM outcomes WHERE row = 1")
                == ["integer|integer|integer|real|text|text"])
        #expect(try ask("PRAGMA user_version") == ["2"])
        #expect(try ask("PRAGMA integrity_check") == ["ok"])
        #expect(
            try ask("SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name") == [
                "outcomes_outcome", "outcomes_reason", "outcomes_token",
            ])
        #expect(!folder.exists("out.sqlite.partial"))
    }

    @Test func `a value may have lines that look like those of a report`() throws {
        let header = ReportFormat.columns.joined(separator: ",") + "\n"
        try make([header + "4,\"\(DeceptiveTexts.line)\",t4,apns,accepted,200,,x,1,1.000,,y\n"])
        #expect(try ask("SELECT row, id, token FROM outcomes") == ["4|\(DeceptiveTexts.line)|t4"])
    }

    @Test func `what was carried keeps its type, and a name of its own`() throws {
        let line =
            #"{"row":7,"id":null,"token":"t7","provider":"fcm","outcome":"failed","status":503,"reason":"R","#
            + #""message_id":"x","attempts":2,"latency_ms":0.500,"unregistered_at":null,"sent_at":"y","#
            + #""Reason":"mine","n":5,"f":1.5,"big":123456789012345678901,"o":{"a":1},"z":null}"#
        try make([line + "\n"])
        #expect(
            try ask("SELECT reason, Reason_2, n, f, big, o, z, typeof(n) FROM outcomes")
                == ["R|mine|5|1.5|1.2345678901234568e+20|{\"a\":1}|NULL|integer"])
    }

    /// The first characters make one grapheme with the quote behind them, the last one with that before it.
    @Test(arguments: [("\u{600}", ""), ("\u{D4E}", ""), ("", "\u{301}"), ("", "")])
    func `a column's name is a name, and runs nothing`(before: String, behind: String) throws {
        let victim = folder.path("victim.db")
        try SQLiteDatabase(victim, .building, patience: 0)
            .execute("CREATE TABLE s (v)", "INSERT INTO s VALUES (1)")
        let bytes = try folder.bytes("victim.db")
        let name =
            "n\(before)\"\(behind)); ATTACH '\(victim)' AS p; DELETE FROM p.s; "
            + "ATTACH '\(folder.path("made.db"))' AS q; CREATE TABLE q.x (y); --"
        let header = ReportFormat.columns.joined(separator: ",")
        let field = name.quoted(doubling: "\"")
        let line = "4,i,t4,apns,accepted,200,,x,1,1.000,,y,value\n"
        try make(["\(header),\(field)\n\(line)"])
        #expect(try names() == ["out.sqlite", "victim.db"])
        #expect(try folder.bytes("victim.db") == bytes)
        let columns = try ask("SELECT name FROM pragma_table_info('outcomes') ORDER BY cid")
        #expect(columns.last.map { Array($0.utf8) } == Array(name.utf8))
        // It is read as what it is, too.
        var settings = ReportExtract.Settings()
        settings.path = folder.path("again.csv")
        _ = try ReportExtract.write([.file(path)], settings)
        let again = try folder.bytes("again.csv")
        #expect(again == Array("\(header),\(field)\n\(line)".utf8))
        #expect(try folder.bytes("victim.db") == bytes)
    }

    @Test func `lines that are wanted, and columns, may be all`() throws {
        try make {
            $0.filters = [try ReportFilter("outcome=unregistered,invalid")]
            $0.columns = ["token", "outcome"]
        }
        #expect(
            try ask("SELECT * FROM outcomes ORDER BY token") == ["t2|invalid", "t3|unregistered"])
        #expect(
            try ask("SELECT count(*) FROM sqlite_schema WHERE type = 'index'") == ["2"])
    }

    @Test func `two lines for a row are told, and nothing is left`() throws {
        let message = failure {
            try make([ReportExtractTests.text, ReportExtractTests.text])
        }
        #expect(
            message
                == "\(path) cannot be written: a row has two lines: the reports are of several jobs, or it was sent twice"
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func `what is there is replaced when that was said, and stays if it cannot be`() throws {
        try folder.write("mine", to: "out.sqlite")
        #expect(failure { try make() }?.contains("exists already") == true)
        #expect(
            failure {
                try make(["no report\n"]) { $0.overwrites = true }
            } != nil)
        #expect(try folder.read("out.sqlite") == "mine")
        try make { $0.overwrites = true }
        #expect(try ask("SELECT count(*) FROM outcomes") == ["3"])
    }

    @Test func `nothing is left of what is not wanted any more`() throws {
        let lines = (1...5000).map { "\($0),,t,apns,accepted,200,,x,1,1.000,,y\n" }.joined()
        let header = ReportFormat.columns.joined(separator: ",") + "\n"
        let message = failure { try make([header + lines]) { $0.isCancelled = { true } } }
        #expect(message == "\(path) cannot be written: interrupted")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test(arguments: ["-wal", "-journal"])
    func `a database that another one is at work on is not replaced`(ending: String) throws {
        try folder.write("x", to: "out.sqlite" + ending)
        let message = failure { try make { $0.overwrites = true } }
        #expect(message?.contains("another program uses \(path)") == true)
    }

    @Test func `a user's database is not replaced, under any option`() throws {
        try SQLiteDatabase(path, .building, patience: 0).execute("CREATE TABLE users (name)")
        let message = failure { try make { $0.overwrites = true } }
        #expect(message?.contains("a database of something else") == true)
        var configuration = configuration()
        configuration.report.overwrites = true
        #expect(fanfareError { _ = try Job(configuration) }?.message == message)
        #expect(try ask("SELECT count(*) FROM users") == ["0"])
    }

    @Test(arguments: [false, true])
    func `a folder is not replaced, and told before anything is sent`(overwrites: Bool) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
        let told = "\(path) is a folder, which nothing replaces; name a file"
        #expect(failure { try make { $0.overwrites = overwrites } } == told)
        var configuration = configuration()
        configuration.report.overwrites = overwrites
        #expect(fanfareError { _ = try Job(configuration) }?.message == told)
    }

    // MARK: Where it is made

    private var draft: String { path + ".partial" }

    @Test(arguments: [false, true])
    func `what is where a database is made, and none of ours, stays`(overwrites: Bool) throws {
        try SQLiteDatabase(draft, .building, patience: 0).execute("CREATE TABLE outcomes (row)")
        let database = try folder.bytes("out.sqlite.partial")
        for bytes in [database, Array("precious".utf8), Array(database.prefix(71))] {
            try folder.write(bytes, to: "out.sqlite.partial")
            let told =
                "\(draft) exists already, and is where the database is made; move it away, or name "
                + "another file"
            #expect(failure { try make { $0.overwrites = overwrites } } == told)
            var configuration = configuration()
            configuration.report.overwrites = overwrites
            #expect(fanfareError { _ = try Job(configuration) }?.message == told)
            #expect(try folder.bytes("out.sqlite.partial") == bytes)
            #expect(try names() == ["out.sqlite.partial"])
        }
    }

    @Test func `what a killed run has left of a database is replaced`() throws {
        _ = try ReportTable(path, columns: ReportFormat.columns, isCancelled: { false })
        let begun = try folder.bytes("out.sqlite.partial")
        // SQLite's pages have 4 KiB.
        for length in [0, 4096, begun.count] {
            try folder.write(Array(begun.prefix(length)), to: "out.sqlite.partial")
            try make()
            #expect(try names() == ["out.sqlite"])
            #expect(try ask("SELECT count(*) FROM outcomes") == ["3"])
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test func `a whole database where one is made may be a copy of a user's`() throws {
        try make()
        // The letters of "Fanf".
        #expect(try ask("PRAGMA application_id") == ["\(0x4661_6E66)"])
        try FileManager.default.moveItem(atPath: path, toPath: draft)
        #expect(failure { try make() }?.hasPrefix("\(draft) exists already") == true)
        #expect(fanfareError { _ = try Job(configuration()) }?.code == .configuration)
        #expect(try names() == ["out.sqlite.partial"])
        try make { $0.overwrites = true }
        #expect(try names() == ["out.sqlite"])
    }

    @Test(arguments: ["out.sqlite", "out.sqlite.partial"])
    func `nothing of a job is where its database is, or is made`(name: String) throws {
        let place = folder.path + "/./" + name
        let told = "the report would replace \(place), which "
        for use in ["unregistered", "retry", "log", "input", "suppressed"] {
            var configuration = configuration()
            configuration.report.overwrites = true
            switch use {
            case "unregistered": configuration.report.unregisteredPath = place
            case "retry": configuration.report.retryRowsPath = place
            case "log": configuration.log = LogOptions(path: place)
            case "input": configuration.inputs = [.file(place)]
            default: configuration.rows.suppressions = [.file(place)]
            }
            try folder.write("token\n", to: name)
            let error = fanfareError { _ = try Job(configuration) }
            #expect(error?.code == .configuration)
            // Of the log the same is said in other words.
            #expect(use == "log" || error?.message.hasPrefix(told) == true, "\(use)")
            #expect(try folder.read(name) == "token\n")
        }
    }

    // MARK: Reading

    @Test func `it is read back as the report that it is made of`() throws {
        try make()
        let csv = folder.path("again.csv")
        var settings = ReportExtract.Settings()
        settings.path = csv
        let files = try ReportExtract.write([.file(path)], settings)
        #expect(files.map(\.lines) == [3])
        let lines = ReportExtractTests.text.split(separator: "\n").map(String.init)
        // Sorted by row, and the second column named token is gone.
        let expected = [lines[0].replacing(",token\n", with: "\n"), lines[1], lines[3], lines[2]]
            .map { $0.split(separator: ",", omittingEmptySubsequences: false).dropLast() }
            .map { $0.joined(separator: ",") + "\n" }
        #expect(try folder.read("again.csv") == expected.joined())
        let digest = try ReportDigest.reading([.file(path)])
        let original = try ReportDigest.reading([.text(ReportExtractTests.text, name: "r")])
        func totals(_ digest: ReportDigest) -> [Substring] {
            digest.json().split(separator: "\n").drop { !$0.hasPrefix("  \"rows\"") }.map(\.self)
        }
        #expect(totals(digest).count > 10 && totals(digest) == totals(original))
        settings.path = folder.path("again.ndjson")
        settings.columns = ["row", "id", "latency_ms", "reason", "name"]
        _ = try ReportExtract.write([.file(path)], settings)
        #expect(
            try folder.read("again.ndjson").split(separator: "\n").first
                == #"{"row":1,"id":"a","latency_ms":1.000,"reason":null,"name":"A, B"}"#)
        let same = try ReportComparison.reading(
            .file(csv), .file(path), by: .token, listedMax: 5)
        #expect(same.onlyBefore == 0 && same.onlyAfter == 0)
    }

    @Test(arguments: [
        ("CREATE TABLE t (v)", 0), ("CREATE TABLE outcomes (row, token)", 0),
        ("CREATE TABLE outcomes (row)", 1),
    ])
    func `a database that is no report is told`(sql: String, version: Int) throws {
        try SQLiteDatabase(path, .building, patience: 0)
            .execute(sql, "PRAGMA user_version = \(version)")
        let error = fanfareError { _ = try ReportDigest.reading([.file(path)]) }
        #expect(error?.code == .input)
        #expect(error?.message.hasPrefix("\(path) is no report: it is a database") == true)
    }

    /// A job leaves it whole: `--resume` would not write the last line anew.
    @Test(arguments: [1, 2, 3])
    func `a row that is no line is told, the last one, too`(row: Int) throws {
        try make()
        try SQLiteDatabase(path, .building, patience: 0).execute(
            "UPDATE outcomes SET outcome = NULL WHERE row = \(row)")
        let error = fanfareError { _ = try ReportDigest.reading([.file(path)]) }
        #expect(error?.code == .input)
        #expect(
            error?.message == "\(path), row \(row), is no line of a report: it has no row number, "
                + "or no outcome")
    }

    // MARK: Jobs

    private func configuration() -> Configuration {
        var configuration = Preparation.configuration(
            "token,name\n"
                + (1...50).map { String(repeating: "a", count: 62) + "\($0 + 10),n\($0)\n" }
                .joined())
        configuration.report.path = path
        configuration.report.carriedColumns = ["name"]
        return configuration
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func `a job leaves a database, and nothing else`() throws {
        let provider = try SimulatedProvider("")
        var configuration = configuration()
        configuration.provider.endpoint = provider.endpoint
        let result = try Job(configuration).run()
        #expect(result.exitCode == 0, "\(result.stopMessage ?? "")")
        #expect(result.summaryJSON.contains("\"report\": \"\(path)\""))
        #expect(try names() == ["out.sqlite"])
        #expect(
            try ask("SELECT count(*), min(row), max(row), min(name), max(status) FROM outcomes")
                == ["50|1|50|n1|200"])
        let message = fanfareError { _ = try Job(configuration) }?.message
        #expect(message?.hasPrefix("\(path) exists already") == true)
        configuration.report.resumes = true
        let finished = fanfareError { _ = try Job(configuration) }?.message
        #expect(finished?.hasPrefix("the job of \(path) is finished") == true)
        #expect(finished?.contains(".csv") == false)
        // A file of that name may be anything, such as an export of the database.
        let export = try folder.write("mine", to: "out.sqlite.csv")
        let named = fanfareError { _ = try Job(configuration) }?.message
        #expect(named?.contains("\(export) is no part of it any more") == true)
        #expect(try names() == ["out.sqlite", "out.sqlite.csv"])
        #expect(folder.text(of: "out.sqlite.csv") == "mine")
        try FileManager.default.removeItem(atPath: export)
        configuration.report.resumes = false
        configuration.report.overwrites = true
        #expect(try Job(configuration).run().exitCode == 0)
        #expect(provider.stop().requests == 100)
    }

    @Test func `a database that cannot be made is made by the next run`() throws {
        let provider = try SimulatedProvider("")
        var configuration = configuration()
        configuration.provider.endpoint = provider.endpoint
        // The holder of the job has its lock, too.
        func firstRun() throws -> JobResult {
            let job = try Job(configuration, resumeCommand: "again")
            try FileManager.default.createDirectory(
                atPath: path + ".partial", withIntermediateDirectories: false)
            return try job.run()
        }
        let result = try firstRun()
        #expect(result.exitCode == 4)
        #expect(result.stopMessage?.contains("all outcomes are in \(path).csv") == true)
        #expect(result.summaryJSON.contains("\"report\": \"\(path).csv\""))
        try FileManager.default.removeItem(atPath: path + ".partial")
        // A kill in the last moment has left it whole.
        try make()
        try FileManager.default.moveItem(atPath: path, toPath: draft)
        configuration.report.resumes = true
        let again = try Job(configuration).run()
        #expect(again.exitCode == 0)
        #expect(try names() == ["out.sqlite"])
        #expect(try ask("SELECT count(*) FROM outcomes WHERE outcome = 'accepted'") == ["50"])
        #expect(provider.stop().requests == 50)
    }

    @Test func `a rehearsal leaves a database, too`() throws {
        let result = try Rehearsal(configuration()).run()
        #expect(result.exitCode == 0, "\(result.stopMessage ?? "")")
        #expect(try names() == ["out.sqlite"])
        #expect(try ask("SELECT count(*) FROM outcomes WHERE reason = 'valid'") == ["50"])
    }

    @Test func `what is read is not replaced, and a database is not split`() throws {
        try SQLiteDatabase(path, .building, patience: 0).execute("CREATE TABLE t (token)")
        var configuration = configuration()
        configuration.inputs = [.sqlite(path, .table("t"))]
        configuration.report.overwrites = true
        let error = fanfareError { _ = try Job(configuration) }
        #expect(error?.message.hasPrefix("the report would replace \(path)") == true)
        configuration.report.path = folder.path("other.db")
        configuration.report.splitBytes = 1_000_000
        #expect(
            fanfareError { _ = try Job(configuration) }?.message.contains("cannot be split") == true
        )
    }
}
