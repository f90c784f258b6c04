import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare
@testable import FanfareSQLite

/// Rows of a database.
@Suite struct SQLiteRowsTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("app.db")
    }

    private func make(_ script: String) throws {
        let database = try SQLiteDatabase(path, .building, patience: 0)
        for sql in script.split(separator: ";") { try database.execute(String(sql)) }
    }

    private func message(_ selection: SQLiteSelection) -> (FanfareError.Code, String)? {
        let error = fanfareError {
            let spec = InputSpec(
                required: [("token", "every row needs")], findsOtherNames: true)
            try RowSource([.sqlite(path, selection)], spec).openFirst()
        }
        return error.map { ($0.code, $0.message) }
    }

    /// The rows of a table, of which names are wanted, too.
    private var rowsWithNames: RowSource {
        RowSource(
            [.sqlite(path, .table("t"))],
            InputSpec(
                schema: RowSchema(extra: ["name"]), required: [("token", "every row needs")]))
    }

    /// The payloads that the template makes of the rows of a query.
    private func payloads(_ query: String, template: String) throws -> [String] {
        var configuration = Preparation.configuration("", payload: template)
        configuration.inputs = [.sqlite(path, .query(query))]
        return try Preparation.rows(configuration).map { $0.isReady ? $0.payload : $0.problem }
    }

    @Test(arguments: ["-journal", "-wal", "-shm"])
    func `what is beside a database is read with it`(ending: String) throws {
        try make("CREATE TABLE t (v)")
        try folder.link("link.db", to: path)
        let link = folder.path("link.db")
        try folder.write("rows", to: "app.db" + ending)
        let other = try folder.write("rows", to: "other.db" + ending)
        for input in [
            RowInput.sqlite(path, .table("t")), .sqlite(link, .table("t")), .file(path),
            .file(link),
        ] {
            #expect(input.isRead(from: path) && input.isRead(from: path + ending))
            #expect(!input.isRead(from: other))
        }
        #expect(!RowInput.file(other).isRead(from: path + ending))
    }

    private static let token = String(repeating: "ab", count: 32)

    @Test func `values are texts in a template, and numbers as JSON`() throws {
        try make("CREATE TABLE t (token, v)")
        let template = #"{"aps":{},"text":"<{{v|none}}>","json":"{{v:json|0}}"}"#
        for (literal, text, json) in [
            ("7", "7", "7"), ("-1", "-1", "-1"), ("0.1", "0.1", "0.1"), ("3.0", "3.0", "3.0"),
            ("'7'", "7", "\"7\""), ("NULL", "none", "0"), ("''", "", "\"\""),
            ("'\"a\\b' || char(10)", #"\"a\\b\n"#, #""\"a\\b\n""#), ("X'00FF'", "00ff", "\"00ff\""),
            ("9e999", "inf", "\"inf\""), ("'{\"a\":1}'", #"{\"a\":1}"#, #""{\"a\":1}""#),
        ] {
            let query = "SELECT '\(Self.token)' AS token, \(literal) AS v"
            #expect(
                try payloads(query, template: template)
                    == ["{\"aps\":{},\"text\":\"<\(text)>\",\"json\":\(json)}"], "\(literal)")
        }
    }

    @Test func `a payload and a token may be what they are in other applications`() throws {
        try make("CREATE TABLE t (v)")
        var configuration = Preparation.configuration("", payload: nil)
        configuration.inputs = [
            .sqlite(
                path,
                .query(
                    "SELECT x'\(Self.token)' AS token, '{\"aps\":{\"alert\":1}}' AS payload, 10 AS priority"
                ))
        ]
        let rows = try Preparation.rows(configuration)
        #expect(rows.map(\.token) == ["\(Self.token)"])
        #expect(rows.map(\.payload) == [#"{"aps":{"alert":1}}"#])
        #expect(rows.map(\.priority) == ["10"])
    }

    @Test func `rows are numbered in the order of the result`() throws {
        try make(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, token TEXT);
            INSERT INTO t VALUES (3, 'c'), (1, 'a'), (2, 'b')
            """)
        func tokens(_ selection: SQLiteSelection) throws -> [String?] {
            let rows = try RowReading.rows([.sqlite(path, selection)])
            #expect(rows.map(\.number) == rows.indices.map { UInt64($0 + 1) })
            #expect(rows.map(\.line) == rows.map(\.number))
            return rows.map(\.token)
        }
        #expect(try tokens(.table("t")) == ["a", "b", "c"])
        #expect(try tokens(.query("SELECT token FROM t ORDER BY id DESC")) == ["c", "b", "a"])
        #expect(try tokens(.query("SELECT token FROM t WHERE id > 5 ORDER BY 1")) == [])
    }

    @Test func `more rows than fit into any buffer come whole`() throws {
        try make(
            """
            CREATE TABLE t (token);
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            INSERT INTO t SELECT printf('%064x', i) FROM n
            """)
        let rows = try RowReading.rows([.sqlite(path, .table("t"))])
        let expected = (1...5000).map { number in
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 64 - digits.count) + digits
        }
        #expect(rows.map(\.token) == expected)
    }

    @Test func `a row that is no text, or too long, is invalid, and no other`() throws {
        try make(
            """
            CREATE TABLE t (token, name);
            INSERT INTO t VALUES ('a', 'x'), ('b', CAST(x'41FF' AS TEXT)), ('c', 'x'),
                ('d', printf('%.*c', 1100000, 'x')), ('e', zeroblob(600000)), ('f', 'x')
            """)
        let source = rowsWithNames
        var reading = RowReading(source)
        try reading.readAll(inputCapacity: 4096, rowCapacity: 64)
        let rows = reading.rows
        #expect(
            rows.map(\.fault) == [
                .none, .lineNotUTF8, .none, .lineTooLong, .lineTooLong, .none,
            ])
        #expect(rows.map(\.token) == ["a", nil, "c", nil, nil, "f"])
    }

    /// SQLite has a bound of its own, beyond which it does not so much as hand out the row.
    @Test(arguments: [
        "CREATE TABLE t (token, name)", "CREATE TABLE t (token PRIMARY KEY, name) WITHOUT ROWID",
    ])
    func `a row with a value of any length is invalid, and the others are read`(sql: String) throws
    {
        try make(sql)
        try insert([("a", 1), ("b", 17_000_000), ("c", 17_000_000), ("d", 1)], into: "t")
        let source = rowsWithNames
        var reading = RowReading(source)
        try reading.readAll(inputCapacity: 4096, rowCapacity: 64)
        #expect(reading.rows.map(\.fault) == [.none, .lineTooLong, .lineTooLong, .none])
        #expect(reading.rows.map(\.token) == ["a", nil, nil, "d"])
        // Unwanted columns are not read.
        let tokens = try RowReading.rows([.sqlite(path, .table("t"))])
        #expect(tokens.map(\.token) == ["a", "b", "c", "d"])
    }

    /// A view that sorts would make all its rows again for each one that is left out.
    @Test(arguments: ["", " ORDER BY token", " GROUP BY token"])
    func `a value of any length in a view ends the reading`(end: String) throws {
        try make("CREATE TABLE u (token, name)")
        try make("CREATE VIEW t AS SELECT * FROM u\(end)")
        try insert([("a", 1), ("b", 17_000_000), ("c", 1)], into: "u")
        let source = rowsWithNames
        let error = fanfareError {
            var reading = RowReading(source)
            try reading.readAll(inputCapacity: 4096, rowCapacity: 64)
        }
        #expect(error?.code == .input)
        #expect(error?.message.contains("a value is longer than 16 MiB, or than its share") == true)
        #expect(
            error?.message.hasSuffix(
                "; let SQLiteSelection.query name the columns that are wanted") == true)
        // Unwanted columns are not read, unless they have to be kept for a group.
        guard !end.contains("GROUP") else { return }
        let tokens = try RowReading.rows([.sqlite(path, .table("t"))])
        #expect(tokens.map(\.token) == ["a", "b", "c"])
    }

    private func insert(_ rows: [(token: String, bytes: Int)], into table: String) throws {
        // The bound holds for what is written, too.
        let database = try SQLiteDatabase(path, .building, patience: 0)
        database.limitValues(bytes: 20_000_000)
        for row in rows {
            try database.execute(
                "INSERT INTO \(table) VALUES ('\(row.token)', zeroblob(\(row.bytes)))")
        }
    }

    /// Two thousand values of a mebibyte.
    @Test func `a view of large values costs what is wanted of it`() throws {
        let columns = (0..<1999).map { "zeroblob(1048577) AS c\($0)" }.joined(separator: ", ")
        try make("CREATE VIEW v AS SELECT '\(Self.token)' AS token, \(columns)")
        let rows = try RowReading.rows([.sqlite(path, .table("v"))])
        #expect(rows.map(\.token) == [Self.token])
        let query = message(.query("SELECT * FROM v"))
        #expect(query?.0 == .configuration)
        #expect(query?.1.contains("columns, and 256 are the most; let it name those") == true)
    }

    @Test func `a row is cut where it is too long`() throws {
        let columns = (0..<200).map { "zeroblob(1048577) AS c\($0)" }.joined(separator: ", ")
        try make("CREATE VIEW v AS SELECT 'a' AS token, \(columns)")
        let rows = try SQLiteRows(path, .query("SELECT * FROM v")) { false }
        try rows.begin()
        var (count, lineFeeds) = (0, 0)
        var space = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let read = try space.withUnsafeMutableBytes { try rows.read(into: $0) }
            if read == 0 { break }
            lineFeeds += space[..<read].count { $0 == 10 }
            count += read
        }
        #expect(count == Limits.rowBytesMax + 2)
        #expect(lineFeeds == 1)
    }

    @Test func `columns are found under other names, and the first of two counts`() throws {
        try make("CREATE TABLE t (deviceToken, name, \"user.city\")")
        try make("INSERT INTO t VALUES ('\(Self.token)', 'Ada', 'Rom')")
        var configuration = Preparation.configuration(
            "", payload: #"{"aps":{"alert":"{{name}} {{user.city}}"}}"#)
        configuration.inputs = [
            .sqlite(path, .query("SELECT *, 'Eve' AS name FROM t ORDER BY 1"))
        ]
        let plan = fanfareError { _ = try Preparation.rows(configuration) }
        #expect(plan?.message.contains("has 2 columns named 'name'") == true)
        configuration.inputs = [.sqlite(path, .table("t"))]
        let rows = try Preparation.rows(configuration)
        #expect(rows.map(\.payload) == [#"{"aps":{"alert":"Ada Rom"}}"#])
    }

    @Test func `what is not there is told, with what is`() throws {
        try make("CREATE TABLE devices (name); CREATE VIEW names AS SELECT name FROM devices")
        let table = message(.table("tokens"))
        #expect(table?.0 == .configuration)
        #expect(
            table?.1
                == "\(path) cannot be read: SQLiteSelection.table: no such table: tokens; its "
                + "tables: devices, names"
        )
        let column = message(.table("devices"))
        #expect(column?.0 == .input)
        #expect(column?.1.contains("has no column 'token', which every row needs") == true)
        let query = message(.query("SELECT token FROM devices"))
        #expect(query?.0 == .configuration)
        #expect(query?.1 == "\(path) cannot be read: SQLiteSelection.query: no such column: token")
        #expect(
            message(.query("DROP TABLE devices"))?.1.contains("only SELECT can be read") == true)
    }

    @Test func `what is no database, or not there, is told`() throws {
        #expect(message(.table("t"))?.1 == "\(path) cannot be read: no such file or directory")
        try folder.write(String(repeating: "token\n", count: 200), to: "app.db")
        #expect(
            message(.table("t"))?.1
                == "\(path) cannot be read: it is no SQLite database, or an encrypted one")
    }

    @Test func `an order that is left to SQLite is told`() throws {
        try make(
            """
            CREATE TABLE t (token); CREATE VIEW v AS SELECT token FROM t;
            CREATE TABLE w (token PRIMARY KEY) WITHOUT ROWID
            """)
        func notices(_ selection: SQLiteSelection) throws -> [String] {
            let source = RowReading.source([.sqlite(path, selection)])
            try source.openFirst()
            return source.notices.map(\.description)
        }
        #expect(try notices(.table("t")).isEmpty)
        #expect(try notices(.query("SELECT token FROM t ORDER BY rowid")).isEmpty)
        for selection in [.table("v"), .table("w"), .query("SELECT token FROM t")]
            as [SQLiteSelection]
        {
            #expect(try notices(selection).first?.contains("no ORDER BY") == true)
        }
        let notice = try notices(
            .query("SELECT token FROM t WHERE token > date('now') ORDER BY rowid"))
        #expect(notice.first?.contains("'now', so it may give other rows later") == true)
    }

    @Test func `what others write meanwhile is not seen, and they may write`() throws {
        try make(
            """
            PRAGMA journal_mode = WAL; CREATE TABLE t (token);
            INSERT INTO t VALUES ('a'), ('b')
            """)
        let writer = try SQLiteDatabase(path, .building, patience: 0)
        try writer.execute("INSERT INTO t VALUES ('c')")
        let source = RowReading.source([.sqlite(path, .table("t"))])
        try source.openFirst()
        try writer.execute("DELETE FROM t", "INSERT INTO t VALUES ('d')")
        var reading = RowReading(source)
        try reading.readAll(inputCapacity: 4096, rowCapacity: 64)
        #expect(reading.rows.map(\.token) == ["a", "b", "c"])
    }
}
