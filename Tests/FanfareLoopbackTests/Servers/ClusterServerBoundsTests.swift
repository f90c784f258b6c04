import FanfareBase
import FanfareTestSupport
import Testing

@testable import Fanfare
@testable import FanfareCore

/// A server that is not to be trusted: answers without an end, and tables that another user has made.
@Suite(.serialized, .enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct ClusterServerBoundsTests {
    private let server: PostgresServer
    private let control: ClusterControl

    init() throws {
        server = try PostgresServer()
        control = ClusterControl(server.address)
    }

    private func message(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "no complaint"
        } catch {
            return "\(error)"
        }
    }

    @Test func `an answer without an end is ended`() throws {
        for statement in [
            // Some terabytes.
            "SELECT repeat('x', 1000), generate_series(1, 1000000000)",
            // Rows without a value take place, too.
            "SELECT NULL, generate_series(1, 1000000000)",
            "SELECT repeat('x', 68000000)",
        ] {
            #expect(message { _ = try control.run(statement) }.contains("longer than 64 MiB"))
        }
        // The next request has a connection of its own.
        let rows = try control.run(
            "SELECT 1; SELECT g, NULL FROM generate_series(1, 3) g; SELECT 2 WHERE false")
        #expect(rows == [[["1"]], [["1", nil], ["2", nil], ["3", nil]], []])
        #expect(try control.run("SELECT length(repeat('x', 60000000))") == [[["60000000"]]])
        let long = try control.run("SELECT repeat('x', 60000000)")
        #expect(long[0][0][0]?.utf8.count == 60_000_000)
    }

    /// By eve's trigger an administrator who makes the tables would make eve one.
    @Test func `tables that somebody else has made are refused`() throws {
        _ = try server.query("CREATE ROLE eve; GRANT CREATE ON DATABASE postgres TO eve")
        _ = try server.query(
            """
            SET ROLE eve; CREATE SCHEMA fanfare; CREATE TABLE fanfare.meta (version int);
            CREATE FUNCTION fanfare.f() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN ALTER ROLE eve SUPERUSER; RETURN NEW; END $$;
            CREATE TRIGGER t BEFORE INSERT ON fanfare.meta FOR EACH ROW EXECUTE FUNCTION fanfare.f()
            """)
        let complaint = message { try control.makeTables() }
        #expect(complaint.contains("belongs to eve, whose code would run as postgres"))
        #expect(try server.query("SELECT rolsuper FROM pg_roles WHERE rolname = 'eve'") == "f")
        // One table of eve's in our own schema is enough.
        _ = try server.query("DROP SCHEMA fanfare CASCADE")
        try control.makeTables()
        _ = try server.query(
            "CREATE VIEW fanfare.v AS SELECT 1; ALTER VIEW fanfare.v OWNER TO eve")
        #expect(message { try control.makeTables() }.contains("belongs to eve"))
        _ = try server.query("DROP VIEW fanfare.v")
        try control.makeTables()
    }

    @Test func `an administrator who is no superuser makes the tables twice`() throws {
        _ = try server.query(
            "CREATE ROLE admin LOGIN CREATEROLE; GRANT CREATE ON DATABASE postgres TO admin")
        let admin = ClusterControl(
            server.address.replacing("user=postgres", with: "user=admin"))
        try admin.makeTables()
        try admin.makeTables()
        // A superuser would run what that administrator has put there.
        #expect(message { try control.makeTables() }.contains("belongs to admin"))
    }
}
