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
    ])
    func `a password is not taken, and not repeated`(text: String) {
        let fault = #expect(throws: ValueFault.self) { try ValueReader.clusterServer(text) }
        #expect(fault?.shown(text).contains("secret") == false)
    }
}
