import FanfareSQLite
import Testing

/// The findings in the text of a query.
@Suite struct SQLiteTextTests {
    @Test(arguments: [
        "SELECT * FROM t ORDER BY id", "select * from t order\n  by 1 limit 3",
        "SELECT * FROM (SELECT 1) ORDER /* so */ BY x -- end", "SELECT 'it''s' ORDER BY 1",
    ])
    func `an order is seen`(query: String) {
        #expect(SQLiteText(query).hasOrder)
    }

    @Test(arguments: [
        "SELECT * FROM t", "SELECT * FROM (SELECT * FROM t ORDER BY id)",
        "SELECT 'ORDER BY' FROM t", "SELECT \"order by\", [order by], `order by` FROM t",
        "SELECT * FROM t -- ORDER BY id", "SELECT * FROM t /* ORDER BY id */",
        "SELECT row_number() OVER (ORDER BY id) FROM t", "SELECT 'a ORDER BY", "SELECT [x",
    ])
    func `what is none is not taken for an order`(query: String) {
        #expect(!SQLiteText(query).hasOrder)
    }

    @Test(arguments: [
        ("SELECT * FROM t WHERE seen > date('now', '-30 day')", "'now'"),
        ("SELECT * FROM t ORDER BY Random()", "random"),
        ("SELECT * FROM t WHERE seen < CURRENT_TIMESTAMP", "current_timestamp"),
        ("SELECT * FROM t WHERE seen < unixepoch ( )", "unixepoch()"),
    ])
    func `what changes with time is seen`(query: String, word: String) {
        #expect(SQLiteText(query).changing == word)
    }

    @Test(arguments: [
        "SELECT date(seen) FROM t WHERE note = 'now what'", "SELECT \"random\" FROM t",
        "SELECT * FROM t WHERE name = 'x' -- now()", "SELECT count() FROM t",
    ])
    func `what stays the same is not blamed`(query: String) {
        #expect(SQLiteText(query).changing == nil)
    }
}
