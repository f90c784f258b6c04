import FanfareTestSupport
import Testing

@testable import FanfareSQLite

/// Databases that are opened, and statements that are run.
@Suite struct SQLiteStatementTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    private func open(
        _ access: SQLiteDatabase.Access = .reading,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws -> SQLiteDatabase {
        try SQLiteDatabase(path, access, patience: 0, isCancelled: isCancelled)
    }

    private func make(_ statements: String...) throws {
        for sql in statements { try open(.building).execute(sql) }
    }

    private func error(_ body: () throws -> Void) -> SQLiteError? {
        do {
            try body()
            return nil
        } catch {
            return error as? SQLiteError
        }
    }

    /// A value as `quote()` of SQLite writes it.
    private func text(_ value: SQLiteValue) -> String {
        switch value {
        case .null: return "NULL"
        case .integer(let number): return "\(number)"
        case .real(let number): return "\(number)"
        case .text(let bytes): return "'\(String(decoding: bytes, as: UTF8.self))'"
        case .blob(let bytes):
            let digits = bytes.map { byte in
                String(byte >> 4, radix: 16, uppercase: true)
                    + String(byte & 15, radix: 16, uppercase: true)
            }
            return "X'\(digits.joined())'"
        }
    }

    @Test func `values come with their types`() throws {
        try make("CREATE TABLE t (v)")
        let literals = [
            "NULL", "0", "-9223372036854775808", "9223372036854775807", "0.1", "'5'", "''",
            "'grün'", "X''", "X'00FF'",
        ]
        for literal in literals { try make("INSERT INTO t VALUES (\(literal))") }
        let statement = try SQLiteStatement(
            "SELECT v, quote(v) AS q FROM t ORDER BY rowid", in: try open())
        #expect(statement.columns == ["v", "q"])
        var read: [String] = []
        while try statement.step() {
            read.append(text(statement.value(0)))
            // SQLite's own word on it.
            #expect(text(statement.value(1)) == "'\(read[read.count - 1])'")
        }
        #expect(read == literals)
    }

    @Test func `what is bound is what is stored`() throws {
        let database = try open(.building)
        try database.execute("CREATE TABLE t (a, b, c, d, e)")
        let insert = try SQLiteStatement("INSERT INTO t VALUES (?1, ?2, ?3, ?4, ?5)", in: database)
        for round in 1...2 {
            let bytes: [UInt8] = [0x41, 0, 0x42]
            try bytes.withUnsafeBufferPointer { bytes in
                insert.bind(1, .null)
                insert.bind(2, .integer(Int64(round)))
                insert.bind(3, .real(0.5))
                insert.bind(4, .text(bytes))
                insert.bind(5, .blob(bytes))
                try insert.run()
            }
        }
        let rows = try SQLiteStatement(
            "SELECT count(*), sum(b), sum(c), min(hex(d)), max(typeof(d) || typeof(e)), count(a) FROM t",
            in: database)
        #expect(try rows.step())
        #expect(
            (0..<6).map { text(rows.value($0)) } == [
                "2", "3", "1.0", "'410042'", "'textblob'", "0",
            ])
    }

    @Test(arguments: [
        ("SELECT 1; SELECT 2", "there is more than one statement in it"),
        ("SELECT 1; nonsense", "there is more than one statement in it"),
        (" -- nothing", "there is no statement in it"),
        ("SELECT x", "no such column: x"),
        ("SELECT \"x\" FROM t", "no such column: x"),
        ("SELEC 1", "near \"SELEC\": syntax error"),
    ])
    func `what is no single statement is refused`(sql: String, message: String) throws {
        try make("CREATE TABLE t (v)")
        let database = try open()
        let error = error { _ = try SQLiteStatement(sql, in: database) }
        #expect(error == SQLiteError(.statement, message))
    }

    @Test func `a second statement is not run`() throws {
        try make("CREATE TABLE t (v)")
        let error = error { try make("INSERT INTO t VALUES (1); DROP TABLE t") }
        #expect(error == SQLiteError(.statement, "there is more than one statement in it"))
        let count = try SQLiteStatement("SELECT count(*) FROM t", in: try open())
        #expect(try count.step())
        #expect(text(count.value(0)) == "0")
    }

    @Test(arguments: [SQLiteDatabase.Access.reading, .building])
    func `no other database is reached`(access: SQLiteDatabase.Access) throws {
        try make("CREATE TABLE t (v)")
        let error = error { try open(access).execute("ATTACH '\(folder.path("b.db"))' AS b") }
        #expect(error?.message == "too many attached databases - max 0")
        #expect(!folder.exists("b.db"))
    }

    @Test(arguments: ["SELECT 1 ;", "SELECT 1; -- and so on\n", "SELECT 1;;/* */"])
    func `one statement may have an end and a comment`(sql: String) throws {
        #expect(try SQLiteStatement(sql, in: try open(.building)).isQuery)
    }

    @Test(arguments: [
        "DELETE FROM t", "DELETE FROM t RETURNING v", "PRAGMA journal_mode = WAL", "BEGIN",
        "ATTACH 'b.db' AS b", "VACUUM INTO 'b.db'", "CREATE TABLE u (v)",
    ])
    func `what may change something is no query`(sql: String) throws {
        try make("CREATE TABLE t (v)")
        #expect(try !SQLiteStatement(sql, in: try open()).isQuery)
    }

    @Test func `a database that is read cannot be written`() throws {
        try make("CREATE TABLE t (v)")
        let before = try folder.bytes("a.db")
        #expect(error { try open().execute("INSERT INTO t VALUES (1)") } != nil)
        #expect(try folder.bytes("a.db") == before)
    }

    @Test func `what is no database is told`() throws {
        try folder.write(String(repeating: "token,name\n", count: 100), to: "a.db")
        #expect(
            error { _ = try SQLiteStatement("SELECT 1 FROM t", in: try open()) }?.kind
                == .notADatabase)
    }

    @Test func `what another one writes to is locked`() throws {
        try make("CREATE TABLE t (v)")
        let writer = try open(.building)
        try writer.execute("BEGIN EXCLUSIVE")
        let error = error {
            _ = try SQLiteStatement("SELECT * FROM t", in: try open()).step()
        }
        #expect(error?.kind == .locked)
    }

    @Test func `a caller that no longer wants the result need not wait for it`() throws {
        try make("CREATE TABLE t (v)")
        let database = try open { true }
        let endless = """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n
            """
        let error = error { _ = try SQLiteStatement(endless, in: database).step() }
        #expect(error?.kind == .interrupted)
    }

    @Test func `a value that is too long is an error, and not memory`() throws {
        try make("CREATE TABLE t (v)", "INSERT INTO t VALUES ('short')")
        let statement = try SQLiteStatement(
            "SELECT zeroblob(17000000) FROM t", in: try open())
        let error = error { _ = try statement.step() }
        #expect(error?.kind == .tooLong)
        #expect(error?.message.contains("longer than 16 MiB") == true)
    }

    /// By sqlite.org/security.html.
    @Test func `the statements of a file are bounded`() throws {
        try make("CREATE TABLE t (v)")
        let database = try open()
        let terms = (0..<600).map { "v = \($0)" }.joined(separator: " OR ")
        let selects = Array(repeating: "SELECT v FROM t", count: 60).joined(
            separator: " UNION ALL ")
        for (sql, message) in [
            ("SELECT v FROM t WHERE \(terms)", "Expression tree is too large (maximum depth 500)"),
            (selects, "too many terms in compound SELECT"),
        ] {
            #expect(self.error { _ = try SQLiteStatement(sql, in: database) }?.message == message)
        }
        let pattern = try SQLiteStatement(
            "SELECT 'x' LIKE '\(String(repeating: "%", count: 1001))'", in: database)
        #expect(
            self.error { _ = try pattern.step() }?.message.contains("pattern too complex") == true)
        let check = try SQLiteStatement("PRAGMA cell_size_check", in: database)
        #expect(try check.step())
        #expect(text(check.value(0)) == "1")
        // Queries that people write are far below.
        let usual = (0..<400).map { "v = \($0)" }.joined(separator: " OR ")
        #expect(try SQLiteStatement("SELECT v FROM t WHERE \(usual)", in: database).isQuery)
    }
}
