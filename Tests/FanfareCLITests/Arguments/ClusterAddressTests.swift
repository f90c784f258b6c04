import FanfareBase
import Testing

@testable import FanfareCLI

/// The addresses of servers and of jobs on them, as libpq's documentation has them (§34.1.1), and their faults.
@Suite struct ClusterAddressTests {
    @Test(arguments: [
        ("postgresql://db.example/push/july", "postgresql://db.example/push", "july"),
        ("postgres://me@db:5433/push/july", "postgres://me@db:5433/push", "july"),
        (
            "postgresql://db/push/july?sslmode=disable&host=/tmp/x",
            "postgresql://db/push?sslmode=disable&host=/tmp/x", "july"
        ),
        ("postgresql:///push/july?host=/run/pg", "postgresql:///push?host=/run/pg", "july"),
        ("postgresql://[::1]:5432/push/july", "postgresql://[::1]:5432/push", "july"),
        ("postgresql://[fe80::1],b:1/push/july", "postgresql://[fe80::1],b:1/push", "july"),
        ("postgresql://%2Frun%2Fpg/my%20db/july", "postgresql://%2Frun%2Fpg/my%20db", "july"),
        ("postgresql://db/push/july%2Feu%20north", "postgresql://db/push", "july/eu north"),
        ("postgresql://db/push/july/eu north", "postgresql://db/push", "july/eu north"),
        ("postgresql://db/push/j%C3%BCli%3F", "postgresql://db/push", "jüli?"),
        ("host=/run/pg dbname=push/july", "host=/run/pg dbname=push", "july"),
        ("dbname='my db' host=::1/a%2Fb c", "dbname='my db' host=::1", "a/b c"),
        ("postgresql://db/push/\u{301}x", "postgresql://db/push", "\u{301}x"),
        ("dbname=push\u{600}/\u{301}x", "dbname=push\u{600}", "\u{301}x"),
    ])
    func `an address is split into server and job`(text: String, server: String, job: String) throws
    {
        #expect(
            try ValueReader.clusterJob(text) == ClusterJobAddress(server: server, job: job))
    }

    @Test(arguments: [
        ("postgresql://db/push", "names no job behind the database"),
        ("postgresql://db/push/", "names no job behind the database"),
        ("postgresql://db", "names no job behind the database"),
        ("postgresql://db//july", "names no database before the job"),
        ("postgresql://db/push?sslmode=disable/july", "before the ?"),
        ("postgresql://[::1/push/july", "brackets"),
        ("postgresql://db/push/ju%2ly", "two hexadecimal digits"),
        ("postgresql://db/push/july%", "two hexadecimal digits"),
        ("postgresql://db/push/%FF", "two hexadecimal digits"),
        ("postgresql://db/push/%20", "is empty"),
        ("postgresql://db/push/a%0Ab", "cannot be shown"),
        ("host=/run/pg dbname=push", "names no job"),
        ("dbname=push", "names no job"),
        ("july", "is no PostgreSQL server"),
        ("push/july", "is no PostgreSQL server"),
        ("postgresql://me:secret@db/push/july", "PGPASSFILE"),
        ("postgresql://me:secret@db/push", "PGPASSFILE"),
    ])
    func `a fault of an address is named`(text: String, words: String) {
        let fault = #expect(throws: ValueFault.self) { try ValueReader.clusterJob(text) }
        #expect(fault?.problem.contains(words) == true, "\(fault?.problem ?? "none")")
    }

    @Test(arguments: [
        "postgresql://me:secret@db/push", "postgresql://db/push?password=secret",
        "postgresql://db/push?p%61ssword=secret", "dbname=push password = 'secret'",
        "dbname=push PASSWORD=secret", "dbname=push sslpassword=secret",
        "postgresql://me:sec/secret@db/push", "postgresql://me:secret/@db/push",
        "postgresql://me:1/secret@db/push", "postgresql://me:secret?x@db/push",
        "postgresql://me:secret@x@db/push", "postgresql://me@corp:secret@db/push",
        "postgresql://me:a/b?secret@db/push", "postgresql://:secret@/push",
        "postgresql://me:secret@[::1]/push", "postgresql://me:%2Fsecret@db/push",
        "postgresql://[::1]:secret/x@db/push", "postgresql://db:5432?user=secret@x",
        "postgresql://me:secret\u{600}@db/push", "postgresql://me\u{D4E}:secret@db/push",
        "dbname=push password=\u{301}secret", "postgresql://me:sec\u{600}/secret@db/push",
    ])
    func `a password is not taken, and not repeated`(text: String) {
        let fault = #expect(throws: ValueFault.self) { try ValueReader.clusterServer(text) }
        #expect(fault?.shown(text).contains("secret") == false)
    }

    @Test(arguments: [
        "postgresql://me@db/push", "postgresql://me@db:5432/push", "postgresql://db:5432/push",
        "postgresql://db:5432/push?user=me@corp.example", "postgresql://me@[::1]:5432/push",
        "postgresql://[fe80::1],b:1/push?user=me@x", "postgresql://me%40corp@db:5432/push",
        "postgresql:///push?host=/run/pg&user=a@b", "postgresql://db/a@b",
        "postgresql://a:1,b:2/push?user=a@b", "postgresql://me%3Asecret@db/push",
        "dbname=push user=a@b host=db:1",
    ])
    func `what only looks like a password is taken`(text: String) throws {
        #expect(try ValueReader.clusterServer(text) == text)
    }
}
