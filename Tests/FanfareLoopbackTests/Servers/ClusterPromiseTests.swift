import FanfareBase
import FanfareTestSupport
import Testing

@testable import Fanfare
@testable import FanfareCore

/// The settings of a server on which a promise hangs.
@Suite(.serialized, .enabled(if: PostgresServer.isAvailable, PostgresServer.absence))
struct ClusterPromiseTests {
    private let server: PostgresServer

    init() throws {
        server = try PostgresServer()
        try ClusterControl(server.address).makeTables()
    }

    /// Has each commit note the setting by which it is made, which is that at the end of its transaction.
    private func note(_ table: String, _ event: String) throws {
        _ = try server.query(
            """
            CREATE CONSTRAINT TRIGGER note AFTER \(event) ON fanfare.\(table) DEFERRABLE
            INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note()
            """)
    }

    @Test func `promises are on the disk, whatever the database is set to`() throws {
        _ = try server.query(
            """
            CREATE TABLE noted (place int GENERATED ALWAYS AS IDENTITY, setting text);
            CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
              INSERT INTO noted (setting) VALUES (current_setting('synchronous_commit'));
              RETURN NULL; END $$
            """)
        try note("jobs", "INSERT OR UPDATE")
        try note("workers", "INSERT OR UPDATE")
        // The setting, and what a promise makes of it: never less.
        for (name, setting, expected) in [
            ("a", "off", "on"), ("b", "local", "on"), ("c", "remote_write", "on"),
            ("d", "on", "on"),
            ("e", "remote_apply", "remote_apply"),
        ] {
            _ = try server.query("ALTER DATABASE postgres SET synchronous_commit = \(setting)")
            func settings() throws -> [String] {
                let noted = try server.query("SELECT setting FROM noted ORDER BY place")
                _ = try server.query("TRUNCATE noted")
                return Array(Set(noted.split(separator: "\n").map(String.init))).sorted()
            }
            let engine = ClusterEngine(server.address)
            _ = try engine.enter(name, as: 7, deadline: .distantFuture)
            #expect(try settings() == [expected], "\(setting): a new job")
            func ask(_ operation: ClusterOperation, session: Int) throws -> ClusterAnswer {
                try engine.transact(
                    ClusterRequest(
                        worker: WorkerID(bits: 1), session: session, generation: nil,
                        operation: operation), deadline: .distantFuture)
            }
            _ = try ask(
                .join(
                    .init(
                        place: ClusterPlace(host: 1, boot: 2, file: 3), nonce: 4, fingerprint: 5,
                        protocols: 1...1,
                        terms: ClusterTerms(fingerprint: 5, protocolVersion: 1, rate: nil))),
                session: 0)
            #expect(try settings() == [expected], "\(setting): a worker")
            _ = try ask(
                .beat(
                    .init(
                        number: 1, using: 0, wants: 0, lined: [], lost: [],
                        counts: ClusterCounts(), outcomeEpoch: 0, counter: 1, isLeaving: false,
                        opens: nil)), session: 1)
            // No worker waits for a beat.
            #expect(try settings() == ["off"], "\(setting): a beat")
            try ClusterControl(server.address).order([.pause(true)], to: name)
            #expect(try settings() == [expected], "\(setting): an order")
        }
    }

    @Test func `a standby that the server does not wait for is told`() throws {
        _ = try server.query("CREATE ROLE w LOGIN IN ROLE fanfare_worker")
        let worker = ClusterEngine(server.address.replacing("user=postgres", with: "user=w"))
        #expect(worker.standbysBehind(deadline: .distantFuture) == 0)
        try server.follow {
            let isSeen = Poll.until(seconds: 20) {
                worker.standbysBehind(deadline: .distantFuture) == 1
            }
            #expect(isSeen)
            _ = try server.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
            _ = try server.query("SELECT pg_reload_conf()")
            let isSynchronous = Poll.until(seconds: 20) {
                worker.standbysBehind(deadline: .distantFuture) == 0
            }
            #expect(isSynchronous)
        }
    }
}
